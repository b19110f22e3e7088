"""Convolutions and fully connected layers on the cluster of our simulator, with what they must
compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deployer.ir.attrs import Pads, Window
from deployer.ir.ops import window_output
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import Parameters, packed
from deployer.kernelset.select import by_symbol
from deployer.numerics.integer import conv_sums
from deployer.numerics.requant import Multipliers, choose, requantize
from deployer.resources import data_root
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import build, c_array, reported

CONVOLUTION, DENSE = "dpl_conv2d_s8__xpulpv2", "dpl_fully_connected_s8__xpulpv2"

_ZERO_IN, _ZERO_OUT = -3, 5
_HIGH = 127
_FLAGS = ("-fno-tree-loop-distribute-patterns", "-Wno-missing-braces")


@dataclass(frozen=True)
class Layer:
    """``kernel`` 0: a fully connected layer of ``channels_in`` inputs; ``wide``: columns of a
    kernel that is not square. ``low``: the least output.
    ``border_padding``: zero points lie between the rows already, ``pad`` of them between two."""

    height: int
    width: int
    channels_in: int
    channels: int
    kernel: int = 3
    stride: int = 1
    pad: int = 0
    rule: str = "i32"
    low: int = -128
    border_padding: bool = False
    groups: int = 1
    dilation: int = 1
    wide: int = 0

    @property
    def sides(self) -> tuple[int, int]:
        return max(self.kernel, 1), max(self.wide or self.kernel, 1)

    @property
    def window(self) -> Window:
        square = (self.stride, self.stride), (self.dilation, self.dilation)
        return Window(self.sides, *square, pads=Pads(*(self.pad,) * 4))

    @property
    def pads(self) -> Pads:
        """Those the kernel is told of."""
        side = 0 if self.border_padding else self.pad
        return Pads(self.pad, side, self.pad, side)

    @property
    def columns(self) -> int:
        """Of the input, as the kernel is told."""
        return self.width + (2 * self.pad if self.border_padding else 0)

    @property
    def pitch(self) -> int:
        """Bytes from a row of the input to the next."""
        return (self.width + (self.pad if self.border_padding else 0)) * self.channels_in

    @property
    def out(self) -> tuple[int, int]:
        height, width = window_output(self.window, self.height, self.width)
        return height, width

    @property
    def products(self) -> int:
        """Of one output."""
        return self.sides[0] * self.sides[1] * self.channels_in // self.groups

    @property
    def macs(self) -> int:
        return self.out[0] * self.out[1] * self.channels * self.products

    @property
    def entry(self) -> Kernel:
        return by_symbol(CONVOLUTION if self.kernel else DENSE)

    @property
    def seen(self) -> KernelCase:
        return KernelCase(
            op="Conv2d" if self.kernel else "FullyConnected",
            act="s8",
            weights="s8",
            in_shapes=((1, self.height, self.columns, self.channels_in),),
            out_shape=(1, *self.out, self.channels),
            kernel=self.window.kernel,
            stride=self.window.stride,
            dilation=self.window.dilation,
            groups=self.groups,
            pads=self.pads,
            rule=self.rule,
            contiguous=True,
        )


def run_layers(folder: Path, layers: Sequence[Layer]) -> tuple[list[int], list[int], int]:
    """Cycles of a warm call and wrong bytes of each layer; the most of a core's stack, bytes."""
    names = [f"layer{i}" for i in range(len(layers))]
    cases = "\n".join(_arrays(n, layer) for n, layer in zip(names, layers, strict=True))
    rows = "\n".join(_row(n, layer) for n, layer in zip(names, layers, strict=True))
    text = f"{cases}\nstatic const layer layers[] = {{\n{rows}\n}};\n"
    (folder / "cases.h").write_text(text)
    kernels = {file for layer in layers for file in layer.entry.sources}
    kernels |= {file for symbol in (CONVOLUTION, DENSE) for file in by_symbol(symbol).sources}
    include = data_root() / "kernels" / "include"
    flags = (*_FLAGS, "-DDPL_CORES=8", f"-I{include}", f"-I{folder}")
    elf = build(folder, "layers.c", *(data_root() / f for f in sorted(kernels)), flags=flags)
    got = reported(run(elf, limit=100_000_000))
    return [got[n] for n in names], [got[f"wrong_{n}"] for n in names], got["stack"]


def _arrays(name: str, layer: Layer) -> str:
    rng = np.random.default_rng(layer.products * 131 + layer.channels)
    side = layer.window.kernel
    x = rng.integers(-128, 128, (1, layer.height, layer.width, layer.channels_in)).astype(np.int8)
    depth = layer.channels_in // layer.groups
    w = rng.integers(-127, 128, (layer.channels, *side, depth)).astype(np.int8)
    bias = rng.integers(-(2**12), 2**12, layer.channels).astype(np.int32)
    table = _multipliers(w, bias, layer)
    sums = conv_sums(x, w, layer.window, groups=layer.groups, zero=_ZERO_IN) + bias
    tables = (table.multiplier, table.rounding, table.shift)
    expected = requantize(sums, layer.rule, *tables, low=layer.low, high=_HIGH)
    given = Parameters(
        w if layer.kernel else w.reshape(layer.channels, -1),
        bias,
        table.multiplier,
        rule=layer.rule,
        rounding=table.rounding,
        shift=table.shift,
        groups=layer.groups,
        dilation=layer.window.dilation,
    )
    arrays = {
        "input": _padded(x, layer.pad) if layer.border_padding else x,
        "weights": packed(layer.entry.weight_layout, given).astype(np.int8),
        "bias": bias,
        "multiplier": table.multiplier,
        "rounding": table.rounding,
        "shift": table.shift,
        "expected": expected,
    }
    return "\n".join(c_array(f"{name}_{part}", values) for part, values in arrays.items())


def _padded(x: np.ndarray, pad: int) -> np.ndarray:
    """Zero points between the rows, before the first and behind the last."""
    widths = (0, 0), (0, 0), (pad, 0), (0, 0)
    rows = np.pad(x, widths, constant_values=_ZERO_IN).reshape(-1)
    return np.append(rows, np.full(pad * x.shape[3], _ZERO_IN, np.int8))


def _multipliers(w: np.ndarray, bias: np.ndarray, layer: Layer) -> Multipliers:
    """To outputs that fill int8, of channels that differ."""
    bound = np.abs(w.astype(np.int64)).reshape(layer.channels, -1).sum(axis=1) * 128 + np.abs(bias)
    real = 160.0 / bound * (1 + np.arange(layer.channels) % 5)
    return choose(layer.rule, real, bound, _ZERO_OUT)


def _row(name: str, layer: Layer) -> str:
    stride, dilation = layer.stride, layer.dilation
    tall, wide = layer.sides if layer.kernel else (0, 0)
    shape = layer.height, layer.columns, layer.channels_in
    rule = {"i32": "DPL_I32", "q32": "DPL_Q32"}[layer.rule]
    tables = f"{name}_multiplier, {name}_rounding, {name}_shift"
    tensors = (
        f"{_tensor(f'(int8_t *){name}_input', *shape, pitch=layer.pitch)}, "
        f"{_tensor('0', *layer.out, layer.channels, pitch=layer.out[1] * layer.channels)}"
    )
    pads = layer.pads
    four = f"{{{pads.top}, {pads.left}, {pads.bottom}, {pads.right}}}"
    window = f"{{{tall}, {wide}, {stride}, {stride}, {dilation}, {dilation}, {four}}}"
    requant = f"{{{tables}, 1, {rule}, {layer.low}, {_HIGH}}}"
    arrays = f"{name}_weights, {name}_bias"
    numbers = f"{layer.groups}, {_ZERO_IN}"
    args = f"{{{tensors}, {arrays}, {window}, {numbers}, {requant}, 0}}"
    sizes = f"sizeof {name}_weights, {layer.entry.scratch(layer.seen)}"
    return f'    {{"{name}", {args}, {name}_expected, {sizes}}},'


def _tensor(data: str, height: int, width: int, channels: int, *, pitch: int) -> str:
    return f"{{{data}, {height}, {width}, {channels}, {pitch}, {channels}, 0, 0}}"
