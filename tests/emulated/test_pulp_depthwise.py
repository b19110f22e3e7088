"""Depthwise convolutions on eight cores at a time: right, within scratch, and quick enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from deployer.ir.attrs import Pads
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import by_symbol
from deployer.resources import data_root
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, build, reported


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


@dataclass(frozen=True)
class Layer:
    """``rate``: products a cycle of eight cores that it must reach; ``off``: the largest error of
    the estimate."""

    rate: float
    off: float | None = None
    height: int = 16
    width: int = 16
    channels: int = 64
    side: int = 3
    stride: int = 1
    low: int = -128
    variant: str = ""
    pads: Pads | None = None

    @property
    def sides(self) -> Pads:
        return self.pads or Pads(*(self.side // 2,) * 4)

    @property
    def case(self) -> KernelCase:
        pads, extents = self.sides, (self.height, self.width)
        both = pads.top + pads.bottom, pads.left + pads.right
        outputs = (
            (n + around - self.side) // self.stride + 1
            for n, around in zip(extents, both, strict=True)
        )
        return KernelCase(
            op="DepthwiseConv2d",
            act="s8",
            weights="s8",
            in_shapes=((1, *extents, self.channels),),
            out_shape=(1, *outputs, self.channels),
            kernel=(self.side, self.side),
            stride=(self.stride, self.stride),
            pads=pads,
            groups=self.channels,
            rule="i32",
            blocked_input=bool(self.variant),
        )


LAYERS = {
    "5x5": Layer(5.2, side=5),
    "half the groups": Layer(5.5, channels=16),
    "bounded": Layer(5.8, low=-90),
    "wide": Layer(5, 0.04, height=9, width=50, channels=32),
    "one column left over": Layer(5.8, 0.04, height=25, width=5),
    "two columns left over": Layer(5.1, 0.05, height=6, width=6, channels=128),
    "three columns": Layer(2.9, 0.05, height=3, width=3, channels=256),
    "in rows of a core": Layer(6.4, 0.04, height=24, width=8, channels=32),
    "three columns, stride 2": Layer(2.3, 0.04, height=6, width=6, channels=128, stride=2),
    "in pieces, stride 2": Layer(3.2, 0.04, height=24, width=24, channels=24, stride=2),
    "odd": Layer(2, height=11, width=7, channels=37),
    "blocks": Layer(7.6, 0.04, variant="_blocked"),
    "blocks, bounded": Layer(4.6, height=11, width=4, channels=36, variant="_blocked", low=-20),
    "blocks, a row": Layer(0.5, height=1, width=8, channels=4, variant="_blocked"),
    "blocks, in rows of a core": Layer(
        6.5, 0.05, height=24, width=12, channels=12, variant="_blocked"
    ),
    "blocks, stride 2": Layer(5.7, 0.04, stride=2, variant="_blocked_by_2"),
    "blocks, two columns left over": Layer(
        4.5, 0.05, height=12, width=12, stride=2, variant="_blocked_by_2"
    ),
    "blocks, two columns": Layer(1, height=5, width=4, stride=2, variant="_blocked_by_2", low=-99),
    "blocks, unpadded": Layer(
        5.7, 0.04, stride=2, variant="_blocked_by_2_unpadded", pads=Pads(0, 0, 1, 1)
    ),
    "blocks, unpadded, two columns": Layer(
        1,
        height=7,
        width=12,
        channels=12,
        stride=2,
        variant="_blocked_by_2_unpadded",
        pads=Pads(1, 0, 1, 1),
        low=-40,
    ),
    "odd, stride 2": Layer(1, height=11, width=9, channels=13, stride=2),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_eight_cores_at_a_time(tmp_path: Path, layer: Layer) -> None:
    kernel = by_symbol(f"dpl_depthwise_conv2d_s8__xpulpv2{layer.variant}")
    case = layer.case
    assert kernel.takes(case)
    numbers = {
        "HEIGHT": layer.height,
        "WIDTH": layer.width,
        "CHANNELS": layer.channels,
        "SIDE": layer.side,
        "STRIDE": layer.stride,
        "TOP": layer.sides.top,
        "LEFT": layer.sides.left,
        "BOTTOM": layer.sides.bottom,
        "RIGHT": layer.sides.right,
        "OUT_HEIGHT": case.out_shape[1],
        "OUT_WIDTH": case.out_shape[2],
        "LOW": layer.low,
        "DPL_CORES": 8,
        "SCRATCH": kernel.scratch(case),
    }
    flags = [f"-D{name}={value}" for name, value in numbers.items()]
    flags += ["-DBLOCKED"] * bool(layer.variant)
    flags += [f"-DKERNEL={kernel.symbol}"]
    root = data_root()
    done = run(
        build(
            tmp_path,
            "depthwise.c",
            *(root / name for name in kernel.sources),
            flags=[*flags, f"-I{root / 'kernels/include'}", "-fno-tree-loop-distribute-patterns"],
        ),
        limit=50_000_000,
    )
    got = reported(done)
    assert (got["wrong"], got["touched"]) == (0, 0)
    products = layer.side**2 * case.out_shape[1] * case.out_shape[2] * layer.channels
    assert products / got["cycles"] >= layer.rate
    if layer.off is not None:
        assert got["cycles"] == pytest.approx(kernel.cycles(case), rel=layer.off)
