"""Depthwise convolutions as others of the same sums: columns as rows, rows of a dilation apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.access import hwc
from deployer.kernelset.arguments import REAL
from deployer.kernelset.blocking.neon import DEPTHWISE_CHANNELS, NARROW_BLOCK_PIXELS
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.taps_c8 import Window, column_window, side_by_side
from deployer.kernelset.neon.depthwise_tall import is_tall

_SLIDING_TAPS = 3


def turned(case: KernelCase) -> KernelCase:
    """Rows as columns."""
    batch, height, width, channels = case.in_shapes[0]
    rows, columns, outputs = hwc(case.out_shape)
    pads = case.pads
    return replace(
        case,
        in_shapes=((batch, width, height, channels),),
        out_shape=(batch, columns, rows, outputs),
        kernel=case.kernel[::-1],
        stride=case.stride[::-1],
        dilation=case.dilation[::-1],
        pads=Pads(top=pads.left, bottom=pads.right, left=pads.top, right=pads.bottom),
    )


def window_of(case: KernelCase) -> Window:
    """As weights are packed for it, before rows are columns."""
    if case.act == REAL:
        return Window(case.kernel, case.stride)
    return column_window(case.kernel, case.stride, case.multiplier)


def group_of(case: KernelCase) -> int:
    """Pixels whose channels are side by side in pieces of weights."""
    return side_by_side(case.in_channels, window_of(case))


def is_joined(case: KernelCase) -> bool:
    """Whether a row is one pixel, as columns of taps never mix pixels; the same in
    depthwise_periods.h, but for pixels with something between."""
    width = hwc(case.in_shapes[0])[1]
    whole = not (case.pads.left or case.pads.right)
    many = width > 1 and width * case.in_channels >= DEPTHWISE_CHANNELS
    return window_of(case).column and whole and many


def joined(case: KernelCase) -> KernelCase:
    """With a row as one pixel, as of one core."""
    batch, height, width, channels = case.in_shapes[0]
    rows, columns, outputs = hwc(case.out_shape)
    return replace(
        case,
        in_shapes=((batch, height, 1, width * channels),),
        out_shape=(batch, rows, 1, columns * outputs),
    )


def is_column(case: KernelCase) -> bool:
    """Of pixels."""
    widths = case.in_shapes[0][2], case.out_shape[2], case.kernel[1]
    return widths == (1, 1, 1) and not (case.pads.left or case.pads.right)


def is_long(case: KernelCase, group: int) -> bool:
    """Whether windows are columns that slide once they are turned; the same in
    depthwise_turn.h."""
    rows, columns, _ = hwc(case.out_shape)
    dense = case.stride[0] == 1 and case.dilation[0] == 1
    full = _in_blocks(rows) * columns * 3 <= _in_blocks(columns) * rows * 4
    return may_be_long(case, group) and dense and full and rows >= NARROW_BLOCK_PIXELS


def may_be_long(case: KernelCase, group: int) -> bool:
    """Whether parts or phases of a layer may, of whose pixels so many are side by side."""
    column = case.kernel[1] == 1 and case.kernel[0] >= _SLIDING_TAPS
    return case.act == "s16" and column and group == 1


def _in_blocks(pixels: int) -> int:
    return -(-pixels // NARROW_BLOCK_PIXELS) * NARROW_BLOCK_PIXELS


def phases(case: KernelCase) -> Iterator[KernelCase]:
    """Convolutions of every so many-th row, the tallest first; none where rows are neighbours."""
    step = case.dilation[0]
    if case.stride[0] != 1 or step == 1:
        return
    batch, rows, columns, outputs = case.out_shape
    for part in (-(-rows // step), rows // step):
        yield replace(
            case,
            out_shape=(batch, part, columns, outputs),
            dilation=(1, case.dilation[1]),
        )


def in_phases(case: KernelCase, group: int) -> bool:
    """Whether a layer is taken as such; the same in depthwise_phases.h."""
    return any(is_tall(part) or is_long(part, group) for part in list(phases(case))[:1])
