"""Terms of convolutions on packed rows, which make four outputs of a row and channel at a time
(kernels/include/dpl/cortex_m/planes.h): as those of depthwise ones, with a row of taps for each
input channel of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deployer.ir import Window

_BLOCK = 4  # outputs


@dataclass(frozen=True)
class _Side:
    """One way to walk the image: along lines of ``outputs``, ``dilation`` phases of them, with
    ``taps`` of a line and so many lines of a window."""

    outputs: int
    taps: int
    lines: int
    dilation: int
    stride: int

    @property
    def quads(self) -> float:
        """Blocks to an output, the last ones of a line filled up."""
        phases = self.dilation if self.stride == 1 else 1
        return -(-self.outputs // phases // _BLOCK) * phases / self.outputs

    @property
    def pairs(self) -> int:
        """Of taps of a line."""
        return self.taps // 2 + 1 if self.stride == 1 else (self.taps + 1) // 2


def conv_terms(
    window: Window, outputs: tuple[int, int], depth: int, channels: int
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Of an output pixel and of a call: ``channels`` outputs, each of ``depth`` inputs, in an image
    of so many rows and columns, which lie as columns where that takes less."""
    sides = [
        _Side(
            outputs[n], window.kernel[n], window.kernel[1 - n], window.dilation[n], window.stride[n]
        )
        for n in (1, 0)
    ]
    along = sides[0]
    if window.stride[0] == window.stride[1] and 5 * _products(sides[1]) < 4 * _products(along):
        along = sides[1]
    return _of_side(along, depth, channels)


def transposed_terms(
    window: Window, outputs: tuple[int, int], depth: int, channels: int
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The same of a transposed convolution: remainders of its strides are convolutions."""
    down, across = window.stride
    taps = [max(1, round(k / s)) for k, s in zip(window.kernel, window.stride, strict=True)]
    side = _Side(-(-outputs[1] // across), taps[1], taps[0], 1, 1)
    pixel, once = _of_side(side, depth, channels)
    return pixel, {name: count * down * across for name, count in once.items()}


def packed_elements(window: Window, inputs: float) -> float:
    """Of ``inputs`` channels at an output pixel: at other strides than 1 and 2 a line for each pair
    of taps, whose rows are packed again for each output row where a dilation parts them."""
    (tall, wide), (down, right) = window.kernel, window.stride
    if right <= 2 or wide == 1 or window.dilation[1] % right == 0:
        return inputs * down * right
    parted = window.dilation[0] > 1 and window.dilation[0] % down > 0
    rows = tall * window.dilation[0] if parted else min(down, tall)
    return inputs * rows * 2 * ((wide + 1) // 2)


def _of_side(
    side: _Side, depth: int, channels: int
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    quads, rows = side.quads * channels, side.lines * depth
    pixel = {"quad": quads, "quad_row": quads * rows, "quad_taps": quads * rows * side.pairs}
    return pixel, {"spread": channels * rows * side.pairs}


def _products(side: _Side) -> float:
    return side.quads * side.pairs * side.lines
