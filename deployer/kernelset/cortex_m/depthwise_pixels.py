"""How a depthwise convolution by pixels of a channel is cut (kernels/include/dpl/cortex_m/
pixel_plan.h): the bytes of scratch follow from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from deployer.kernelset.blocking.cortex_m import PIXEL_BAND_BYTES, PIXEL_PARTS
from deployer.kernelset.kernel import KernelCase

FOUR, NINE, LOOPED_ROWS = 4, 9, (4, 5)
_FOUR_BYTES, _WORD = 32, 4
_CACHE_LINES = 32  # bytes of a pixel that channels bring along

Share = tuple[int, int]  # from the first to behind the last
Rect = tuple[Share, Share]  # rows and columns of outputs


@dataclass(frozen=True)
class PixelPlan:
    """``inside``: outputs whose windows lie in the input; the others are read in copies, or ``all``
    of them. ``band``: output rows at a time, ``bytes`` of scratch."""

    case: KernelCase
    inside: Rect
    all: bool
    band: int = 0
    bytes: int = 0


@lru_cache(maxsize=1024)
def pixel_plan(case: KernelCase) -> PixelPlan:
    _, tall, wide, _ = case.out_shape
    inside = _inside(case, 0), _inside(case, 1)
    all_copied = 2 * math.prod(end - begin for begin, end in inside) < tall * wide
    band = _band(case, all_copied)
    plan = PixelPlan(case, inside, all_copied, band)
    copies = max(sum(copied_bytes(case, part) for part in parts) for parts in bands_of(plan))
    lists = _FOUR_BYTES * (band * _fours_of_row(plan) + 1) + _WORD * _step_words(plan)
    return PixelPlan(case, inside, all_copied, band, lists + copies)


def fours_of(pixels: int) -> int:
    return -(-pixels // FOUR)


def fours_of_part(part: Rect) -> int:
    """Of a rectangle: its last columns, fewer than four, go down its rows, or each row's last four
    begin earlier."""
    rows, columns = (end - begin for begin, end in part)
    left = columns % FOUR
    return rows * (columns // FOUR) + (min(_fours_of_columns(left, rows), rows) if left else 0)


def _fours_of_columns(columns: int, rows: int) -> int:
    """Of two columns twelve are three fours."""
    fours, over = divmod(rows, FOUR)
    if columns == 2 and over == 2 and fours:
        return 2 * fours + 1
    return fours * columns + min(over, columns)


def bands_of(plan: PixelPlan) -> Iterator[list[Rect]]:
    """The copied parts of each band."""
    tall = plan.case.out_shape[1]
    for begin in range(0, tall, plan.band):
        yield [
            part for part, copied in parts_of(plan, (begin, min(begin + plan.band, tall))) if copied
        ]


def parts_of(plan: PixelPlan, rows: Share) -> list[tuple[Rect, bool]]:
    """Of a band of ``rows``, and whether each is copied."""
    columns = 0, plan.case.out_shape[2]
    if plan.all:
        return [((rows, columns), True)]
    (top, bottom), (left, right) = plan.inside
    first = min(max(top, rows[0]), rows[1])
    inside = first, max(min(bottom, rows[1]), first)
    every = [
        (((rows[0], first), columns), True),
        ((inside, (0, left)), True),
        ((inside, (left, right)), False),
        ((inside, (right, columns[1])), True),
        (((inside[1], rows[1]), columns), True),
    ]
    return [(part, copied) for part, copied in every if all(end > begin for begin, end in part)]


def copied_bytes(case: KernelCase, part: Rect) -> int:
    """Of a copy, wherever in a word it begins."""
    pixel = case.in_channels * case.element_bytes
    rows, columns = (_reach(case, axis, end - begin) for axis, (begin, end) in enumerate(part))
    row = columns * pixel
    pitch = row + (case.in_shapes[0][2] * pixel - row) % _WORD
    return (rows * pitch + 6) // _WORD * _WORD


def _reach(case: KernelCase, axis: int, outputs: int) -> int:
    """Rows or columns that so many outputs read, one behind the other."""
    return (outputs - 1) * case.stride[axis] + _span(case, axis)


def _span(case: KernelCase, axis: int) -> int:
    return (case.kernel[axis] - 1) * case.dilation[axis] + 1


def _inside(case: KernelCase, axis: int) -> Share:
    outputs, extent = case.out_shape[1 + axis], case.in_shapes[0][1 + axis]
    pad, stride = (case.pads.top, case.pads.left)[axis], case.stride[axis]
    room = extent + pad - _span(case, axis)
    last = min(0 if room < 0 else room // stride + 1, outputs)
    return min(-(-pad // stride), last), last


def _band(case: KernelCase, all_copied: bool) -> int:
    pixel, tall = case.in_channels * case.element_bytes, case.out_shape[1]
    wide = _reach(case, 1, case.out_shape[2])
    row = wide * pixel if all_copied else case.in_shapes[0][2] * min(pixel, _CACHE_LINES)
    further = (PIXEL_BAND_BYTES // row - _span(case, 0)) // case.stride[0]
    bands = -(-tall // (1 + max(0, further)))
    return -(-tall // bands)


def _fours_of_row(plan: PixelPlan) -> int:
    (left, right), wide = plan.inside[1], plan.case.out_shape[2]
    if plan.all:
        return fours_of(wide)
    return fours_of(left) + fours_of(right - left) + fours_of(wide - right)


def record_bytes(case: KernelCase) -> int:
    """Of an output channel's weights; rows of five are filled up."""
    taps, (tall, wide) = math.prod(case.kernel), case.kernel
    halves = taps + tall if wide == LOOPED_ROWS[1] and taps != NINE else taps + taps % 2
    return 2 * halves + 2 * _WORD


def has_loop(case: KernelCase) -> bool:
    """Whether rows of taps have a loop, which needs no list of steps."""
    return math.prod(case.kernel) == NINE or case.kernel[1] in LOOPED_ROWS


def _step_words(plan: PixelPlan) -> int:
    taps = math.prod(plan.case.kernel)
    own = 0 if has_loop(plan.case) else -(-taps // 2) * 2 + 1
    return own * (1 if plan.all else PIXEL_PARTS)
