"""Depthwise convolutions on the cluster of our simulator, with what they must compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deployer.ir.attrs import Pads, Window
from deployer.ir.ops import window_output
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import Parameters, packed
from deployer.kernelset.pulp import depthwise
from deployer.numerics.convolve import depthwise_sum
from deployer.numerics.requant import choose, requantize
from deployer.resources import data_root
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import build, c_array, reported

_ZERO_IN, _ZERO_OUT = -3, 5
_HIGH = 127
_FLAGS = ("-fno-tree-loop-distribute-patterns", "-Wno-missing-braces")

Pair = tuple[int, int]


@dataclass(frozen=True)
class DepthwiseLayer:
    """``low``: the least output; ``by``: the end of the kernel's name, else the one that is
    chosen."""

    height: int
    width: int
    channels: int
    kernel: Pair = (3, 3)
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    multiplier: int = 1
    pads: tuple[int, int, int, int] = (0, 0, 0, 0)
    rule: str = "i32"
    low: int = -128
    by: str = ""

    @property
    def window(self) -> Window:
        return Window(self.kernel, self.stride, self.dilation, Pads(*self.pads))

    @property
    def out(self) -> tuple[int, int, int]:
        height, width = window_output(self.window, self.height, self.width)
        return height, width, self.channels * self.multiplier

    @property
    def macs(self) -> int:
        return int(np.prod(self.out)) * self.kernel[0] * self.kernel[1]

    @property
    def case(self) -> KernelCase:
        return KernelCase(
            op="DepthwiseConv2d",
            act="s8",
            weights="s8",
            in_shapes=((1, self.height, self.width, self.channels),),
            out_shape=(1, *self.out),
            kernel=self.kernel,
            stride=self.stride,
            dilation=self.dilation,
            groups=self.channels,
            pads=Pads(*self.pads),
            rule=self.rule,
            contiguous=True,
        )

    @property
    def entry(self) -> Kernel:
        if self.by:
            return next(k for k in depthwise.KERNELS if k.symbol.endswith(self.by))
        return next(k for k in depthwise.KERNELS if not k.opt_in and k.takes(self.case))


def run_depthwise(
    folder: Path, layers: Sequence[DepthwiseLayer]
) -> tuple[list[int], list[int], int]:
    """Cycles of a warm call and wrong bytes of each layer; the most of a core's stack, bytes."""
    names = [f"layer{i}" for i in range(len(layers))]
    cases = "\n".join(_arrays(n, layer) for n, layer in zip(names, layers, strict=True))
    rows = "\n".join(_row(n, layer) for n, layer in zip(names, layers, strict=True))
    text = f"{cases}\nstatic const layer layers[] = {{\n{rows}\n}};\n"
    (folder / "cases.h").write_text(text)
    kernels = sorted({file for layer in layers for file in layer.entry.sources})
    include = data_root() / "kernels" / "include"
    flags = (*_FLAGS, "-DDPL_CORES=8", f"-I{include}", f"-I{folder}")
    elf = build(folder, "depthwise_layers.c", *(data_root() / f for f in kernels), flags=flags)
    got = reported(run(elf, limit=100_000_000))
    return [got[n] for n in names], [got[f"wrong_{n}"] for n in names], got["stack"]


def _arrays(name: str, layer: DepthwiseLayer) -> str:
    rng = np.random.default_rng(layer.macs + layer.channels)
    shape = layer.height, layer.width, layer.channels
    x = rng.integers(-128, 128, (1, *shape)).astype(np.int8)
    channels = layer.out[2]
    w = rng.integers(-127, 128, (*layer.kernel, channels)).astype(np.int8)
    bias = rng.integers(-(2**12), 2**12, channels).astype(np.int32)
    bound = np.abs(w.astype(np.int64)).sum(axis=(0, 1)) * 128 + np.abs(bias)
    real = 160.0 / bound * (1 + np.arange(channels) % 5)
    table = choose(layer.rule, real, bound, _ZERO_OUT)
    sums = depthwise_sum(x.astype(np.float64), w.astype(np.float64), layer.window, _ZERO_IN)
    tables = (table.multiplier, table.rounding, table.shift)
    whole = sums.astype(np.int32) + bias
    expected = requantize(whole, layer.rule, *tables, low=layer.low, high=_HIGH)
    given = Parameters(
        w,
        bias,
        table.multiplier,
        rule=layer.rule,
        rounding=table.rounding,
        shift=table.shift,
        groups=layer.channels,
        dilation=layer.dilation,
    )
    arrays = {
        "input": x,
        "weights": packed(layer.entry.weight_layout, given).astype(np.int8),
        "bias": bias,
        "multiplier": table.multiplier,
        "rounding": table.rounding,
        "shift": table.shift,
        "expected": expected,
    }
    return "\n".join(c_array(f"{name}_{part}", values) for part, values in arrays.items())


def _row(name: str, layer: DepthwiseLayer) -> str:
    rule = {"i32": "DPL_I32", "q32": "DPL_Q32"}[layer.rule]
    tables = f"{name}_multiplier, {name}_rounding, {name}_shift"
    tensors = (
        f"{_tensor(f'(int8_t *){name}_input', layer.height, layer.width, layer.channels)}, "
        f"{_tensor('0', *layer.out)}"
    )
    numbers = (*layer.kernel, *layer.stride, *layer.dilation)
    window = f"{{{', '.join(map(str, numbers))}, {{{', '.join(map(str, layer.pads))}}}}}"
    requant = f"{{{tables}, 1, {rule}, {layer.low}, {_HIGH}}}"
    arrays = f"{name}_weights, {name}_bias"
    args = f"{{{tensors}, {arrays}, {window}, {_ZERO_IN}, {requant}, 0}}"
    sizes = f"sizeof {name}_weights, {layer.entry.scratch(layer.case)}"
    return f'    {{"{name}", {layer.entry.symbol}, {args}, {name}_expected, {sizes}}},'


def _tensor(data: str, height: int, width: int, channels: int) -> str:
    return f"{{{data}, {height}, {width}, {channels}, {width * channels}, {channels}, 0, 0}}"
