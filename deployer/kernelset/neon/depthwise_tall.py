"""Depthwise 3x3 at stride 1: strips of four rows of the output, whose six input rows are copied."""

from __future__ import annotations

from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import (
    COPIED_CHANNELS,
    NARROW_BLOCK_PIXELS,
    TALL_BYTES,
)
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.taps_c8 import Window, side_by_side
from deployer.kernelset.order import AccessOrder

_KERNEL = (3, 3)
_ROWS = NARROW_BLOCK_PIXELS + _KERNEL[0] - 1
_WIDE_BYTES = 2  # of a copied element
_ALIGNED_BYTES, _PIXEL_BYTES, _ROW_BYTES = 16, 8, 32  # multiples
_ELEMENT_BYTES = {"s8": 1, "s16": 2}
ORDER = AccessOrder(rows=NARROW_BLOCK_PIXELS, buffered=True, once=True)


def _multiple(size: int, of: int) -> int:
    return -(-size // of) * of


def tall_window(case: KernelCase) -> bool:
    """Whether windows, channels and types are such as strips are for."""
    dense = case.stride == (1, 1) and case.dilation[0] == 1
    return case.kernel == _KERNEL and dense and case.multiplier == 1 and case.act in _ELEMENT_BYTES


def is_tall(case: KernelCase) -> bool:
    """Whether strips take a layer; the same in depthwise_tall.h."""
    (height, width, _), block = hwc(case.out_shape), NARROW_BLOCK_PIXELS
    if not tall_window(case) or height < block or _bytes(case) > TALL_BYTES:
        return False
    few = case.in_channels <= COPIED_CHANNELS or _group(case) > 1
    return few or (width >= block and _repeats_few(case))


def _repeats_few(case: KernelCase) -> bool:
    """Of rows, in the last strip: more where pixels do not begin at eight bytes."""
    height = hwc(case.out_shape)[0]
    rows = _multiple(height, NARROW_BLOCK_PIXELS)
    unaligned = case.in_channels * _ELEMENT_BYTES[case.act] % _PIXEL_BYTES != 0
    return rows * 7 <= height * 8 or (unaligned and rows * 4 <= height * 5)


def tall_bytes(case: KernelCase) -> int:
    """Of a core, for a layer or parts of it; its windows are such."""
    return min(_bytes(case), TALL_BYTES)


def _group(case: KernelCase) -> int:
    return side_by_side(case.in_channels, Window(_KERNEL, case.stride))


def _bytes(case: KernelCase) -> int:
    """Of copies, and of pixels side by side on their way to the output."""
    group = _group(case)
    width, pixel = hwc(case.out_shape)[1], case.in_channels * _WIDE_BYTES
    apart = pixel if group > 1 else _multiple(pixel, _PIXEL_BYTES)
    columns = width + group - 1 + (_KERNEL[1] - 1) * case.dilation[1]
    row = max(width, group) * case.in_channels * _ELEMENT_BYTES[case.act]
    beside = _multiple(NARROW_BLOCK_PIXELS * row, _ALIGNED_BYTES) if group > 1 else 0
    return _ROWS * _multiple(columns * apart, _ROW_BYTES) + beside
