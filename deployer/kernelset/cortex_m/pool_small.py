"""Cycles of pools of little work, of nine taps or of columns that windows share: pixel by pixel, in
lines or by columns (kernels/include/dpl/cortex_m/average_small.h, extreme_small.h).

All are estimated from counts, as those of ``pool_choice``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from deployer.kernelset.kernel import KernelCase


@dataclass(frozen=True)
class SmallCycles:
    """Of a call, a pixel, what one at a side takes more, an output and a tap of one."""

    call: float
    pixel: float
    side: float
    output: float
    tap: float


# Rules by which sums become outputs by a product.
BY_PRODUCTS = {"s8": ("i32", "shift"), "s16": ("i32", "shift", "q32")}
WORD = 4  # bytes
# Of average pools in lines (dpl/cortex_m/average_small.h) a call, a part of the plane whose windows
# have the same taps, a line, and an output of nine taps, of those that share six or three of them
# with the next one, at a side of six taps of those that share four and of others, and of columns
# that share all but one or two; of a line of those that are cut, one of them, its taps and which
# share of them it has. Outputs of a line that is worth to share three.
NINE, THREE = 9, 3
_LINES_CALL, _LINES_PART, LINE = 250, 150, 42
_NINE_OUTPUT, _SHARED_OUTPUT, _THREE_OUTPUT, _SLIDING_OUTPUT = 14, 9, 12, (7, 10)
_SIDE_OUTPUT, _LONG_LINE = (8, 10), 12
_CUT_LINE, _CUT_OUTPUT, _CUT_TAP, _CUT_SHARE = 60, 12, 2.2, 0.7
_SMALL = {"average": SmallCycles(60, 95, 60, 27, 3.5), "extreme": SmallCycles(60, 80, 60, 20, 4)}
# Of maximum pools by columns a call, a column, an output, and a row of one between words; a row
# that is listed.
_COLUMNS_CALL, _COLUMN, _COLUMN_OUTPUT, _ODD_ROW = 300, 40, 15.8, 3.5
_ROW_LISTED = 7.0
# Of columns of differences a call, an output that is listed, a column, a row of it and an output.
_SUMS_CALL, _SUMS_LISTED, _SUMS_COLUMN, _SUMS_ROW, _SUMS_OUTPUT = 250, 25, 20, 2.3, 8.8
_MEAN_TAPS, _MEAN_STRIDE = 16, 3  # at most


def small_extreme_cycles(case: KernelCase) -> float:
    """Pixel by pixel, or by columns (dpl/cortex_m/extreme_columns.h)."""
    plain = _small_cycles(case, _SMALL["extreme"])
    return min(plain, _columns_cycles(case)) if in_columns(case) else plain


def in_columns(case: KernelCase) -> bool:
    """Whether windows are columns of nine taps of which two share all but two or three."""
    near = case.dilation[0] == 1 and case.stride[0] in (2, 3)
    return near and case.kernel == (NINE, 1) and not (case.pads.left or case.pads.right)


def _columns_cycles(case: KernelCase) -> float:
    (_, tall, wide, channels), size = case.out_shape, case.element_bytes
    length = wide * channels if case.stride[1] == 1 else channels
    runs = wide * channels // length
    a_word, a_half = WORD // size, WORD // 2 // size
    columns = runs * -(-length // (a_word if length >= a_word else min(length, a_half)))
    odd = between_words(channels * size, size) if length >= a_word else 0.0
    output = _COLUMN_OUTPUT + odd * _ODD_ROW * case.stride[0]
    listed = (tall * case.stride[0] + NINE) * _ROW_LISTED
    return _COLUMNS_CALL + listed + columns * (_COLUMN + tall * output)


def small_average_cycles(case: KernelCase) -> float:
    """Pixel by pixel, or in lines."""
    found = [_small_cycles(case, _SMALL["average"])]
    if in_lines(case):
        found.append(_lines_cycles(case))
    if in_mean_columns(case):
        found.append(_difference_cycles(case))
    return min(found)


def in_mean_columns(case: KernelCase) -> bool:
    """Whether columns of outputs may be differences of sums (dpl/cortex_m/mean_columns.h)."""
    (tall, wide), near = case.kernel, case.dilation[0] == 1 and case.stride[0] <= _MEAN_STRIDE
    few = wide == 1 and 1 < tall <= _MEAN_TAPS and not (case.pads.left or case.pads.right)
    return few and near and case.rule in BY_PRODUCTS[case.act]


def _difference_cycles(case: KernelCase) -> float:
    _, tall, wide, channels = case.out_shape
    rows = min((tall - 1) * case.stride[0] + case.kernel[0], case.in_shapes[0][1])
    column = _SUMS_COLUMN + rows * _SUMS_ROW + tall * _SUMS_OUTPUT
    return _SUMS_CALL + tall * _SUMS_LISTED + wide * channels * column


def in_lines(case: KernelCase) -> bool:
    """Whether windows have nine taps, or are columns that share most of theirs."""
    (tall, wide), stride = case.kernel, case.stride[0]
    near = stride <= len(_SLIDING_OUTPUT) and tall > 2 * stride
    shared = wide == 1 and case.dilation[0] == 1 and near
    return (tall * wide == NINE or shared) and case.rule in BY_PRODUCTS[case.act]


def _lines_cycles(case: KernelCase) -> float:
    """A line is along rows, columns or channels."""
    (_, tall, wide, channels), taps = case.out_shape, math.prod(case.kernel)
    rows, columns = _whole(case)
    parts = (1 + tall - rows) * (1 + wide - columns)
    lines, output = _lines(case, rows, columns)
    sides = _sides_of_pairs(case, rows, columns)
    cut_pixels = tall * wide - rows * columns - sum(sides)
    cut = cut_pixels * channels * (_CUT_OUTPUT + _CUT_TAP * taps * _CUT_SHARE)
    cut_lines = (tall - rows) * min(columns, channels) + (wide - columns) * min(rows, channels)
    whole = lines * LINE + rows * columns * channels * output
    side = sum(n * each for n, each in zip(sides, _SIDE_OUTPUT, strict=True)) * channels
    return _LINES_CALL + parts * _LINES_PART + cut_lines * _CUT_LINE + cut + side + whole


def _sides_of_pairs(case: KernelCase, rows: int, columns: int) -> tuple[int, int]:
    """Pixels at sides of windows of three by three that have six taps: in lines that share pairs of
    them, and in others."""
    (_, tall, wide, channels), (down, across) = case.out_shape, case.stride
    if case.kernel != (THREE, THREE) or case.dilation != (1, 1):
        return 0, 0
    above, beside = (tall - rows) * columns, (wide - columns) * rows
    shared = above * (across == 1 and columns >= THREE) + beside * (down == 1 and rows >= THREE)
    apart = above * (across > 1 and max(columns, channels) >= THREE)
    apart += beside * (down > 1 and max(rows, channels) >= THREE)
    return shared, apart


def _lines(case: KernelCase, rows: int, columns: int) -> tuple[int, float]:
    """Lines of outputs with all their taps, and what an output of one takes."""
    (tall, wide), (down, across), channels = case.kernel, case.stride, case.out_channels
    near = case.dilation == (1, 1)
    if near and wide == 1 and rows >= THREE and down <= THREE:
        outputs = (*_SLIDING_OUTPUT, _SHARED_OUTPUT)
        return columns * channels * (1 + (down <= len(_SLIDING_OUTPUT))), outputs[down - 1]
    shared = [n for n, step in ((rows, down), (columns, across)) if step == 1 and n >= THREE]
    if near and tall == wide and shared:
        return rows * columns // max(shared) * channels, _SHARED_OUTPUT
    twice = [n for n, step in ((rows, down), (columns, across)) if step == 2 and n >= _LONG_LINE]
    if near and tall == wide and twice:
        return rows * columns // max(twice) * channels, _THREE_OUTPUT
    return rows * columns * channels // max(rows, columns, channels, 1), _NINE_OUTPUT


def _whole(case: KernelCase) -> tuple[int, int]:
    """Rows and columns of outputs whose windows have all their taps."""
    (_, tall, wide, _), pads, (down, across) = case.out_shape, case.pads, case.stride
    rows = tall - sides(pads.top, pads.bottom, down, tall)
    return rows, wide - sides(pads.left, pads.right, across, wide)


def _small_cycles(case: KernelCase, each: SmallCycles) -> float:
    (_, tall, wide, channels), taps = case.out_shape, math.prod(case.kernel)
    rows, columns = _whole(case)
    outputs = tall * wide * channels * (each.output + taps * each.tap)
    return each.call + tall * wide * (each.pixel + each.side) - rows * columns * each.side + outputs


def sides(before: int, after: int, stride: int, outputs: int) -> int:
    """Outputs whose windows reach beyond the input, at most."""
    return min(outputs, -(-max(before, 0) // stride) + -(-max(after, 0) // stride))


def between_words(pixel: int, size: int) -> float:
    """Which share of taps begins between words."""
    if pixel % WORD == 0:
        return 0.0
    return 0.5 if size > 1 or pixel % 2 == 0 else 0.75
