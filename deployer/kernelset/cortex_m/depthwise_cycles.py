"""Cycles of a depthwise convolution by pixels of a channel and by other kernels.

All are estimated from counts of what their loops do. What each takes was fitted to some 200
layers by every kernel that takes them, under the model of the core; the estimates hold to 4 to 8 %,
rms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import BEGUN_WINDOWS, FEW_WINDOWS, TAP_CHANNELS
from deployer.kernelset.cortex_m.depthwise_pixels import (
    FOUR,
    LOOPED_ROWS,
    NINE,
    PixelPlan,
    bands_of,
    copied_bytes,
    fours_of_part,
    parts_of,
    pixel_plan,
    record_bytes,
)
from deployer.kernelset.cortex_m.depthwise_work import row_work
from deployer.kernelset.kernel import KernelCase

WORD = 4  # bytes, which others than those at words take longer to load
# Of the others' cycles: as much as the estimates are off by, and where pixels are whole words, as
# in regular networks, whose layers share the others' code.
GAIN, WHOLE_GAIN = 0.98, 0.9
_WEIGHT = 0.6  # of a byte of weights that comes through the cache, and where it is taken
# By pixels: a call, a band, a channel of one, a part of one, a copied row, its bytes, a four that
# is listed; four outputs of nine taps; of rows of four and five, and such a row; of others, a tap.
_CALL, _BAND, _CHANNEL, _PART = 500, 250, 24, 120
_COPIED_ROW, _COPIED_BYTE, _LISTED = 50, 0.6, 19
_NINE_TAPS, _ROWS, _ROW = 62.5, 24.0, {4: 21.6, 5: 26.6}
_OUTPUTS, _TAP = 22.5, 5.97


@dataclass(frozen=True)
class _Pixels:
    """Pixel after pixel: of a call, a row; of four outputs, a tap of them, the same loaded by
    elements; of a window with a list of its own, what each run of outputs adds to it, and a tap of
    one; of four copied channels; of a pixel's run."""

    call: float
    row: float
    four: float
    tap: float
    alone: float
    own: float
    own_run: float
    listed: float
    copied: float
    run: float


_CHANNELS = {
    ("s8", True): _Pixels(600, 250, 20.0, 4.85, 6.0, 80.0, 30.0, 10.0, 6.5, 17.0),
    ("s16", True): _Pixels(600, 250, 20.0, 4.5, 6.0, 80.0, 30.0, 10.0, 10.6, 17.0),
    ("s8", False): _Pixels(600, 250, 25.0, 5.25, 6.0, 80.0, 30.0, 10.0, 6.5, 17.0),
    ("s16", False): _Pixels(600, 250, 25.0, 4.75, 6.0, 80.0, 30.0, 10.0, 10.6, 17.0),
}  # of nine taps, which have a loop, and of others
_SEVERAL = {
    (True, True): _Pixels(500, 150, 19.5, 4.5, 0.0, 50.0, 50.0, 11.0, 0.0, 25.0),
    (True, False): _Pixels(500, 150, 20.0, 5.0, 0.0, 50.0, 50.0, 11.0, 0.0, 25.0),
    (False, True): _Pixels(500, 150, 20.0, 4.05, 0.0, 50.0, 50.0, 11.0, 0.0, 25.0),
    (False, False): _Pixels(500, 150, 20.0, 4.45, 0.0, 50.0, 50.0, 11.0, 0.0, 25.0),
}  # of two outputs a channel, and of nine taps


def pixel_cycles(case: KernelCase) -> float:
    """Four pixels of a channel after another."""
    plan, channels = pixel_plan(case), case.out_channels
    bands, parts = list(bands_of(plan)), list(_every_part(plan))
    fours = sum(map(fours_of_part, parts))
    copied = [part for band in bands for part in band]
    rows = sum(_rows_of(case, part[0][1] - part[0][0]) for part in copied)
    copies = _COPIED_ROW * rows + _COPIED_BYTE * sum(copied_bytes(case, part) for part in copied)
    own = len(bands) * (_BAND + _CHANNEL * channels) + _PART * len(parts)
    weights = _WEIGHT * channels * record_bytes(case)
    return _CALL + own + copies + weights + fours * (_LISTED + channels * _four_cycles(case))


def _four_cycles(case: KernelCase) -> float:
    (tall, wide), taps = case.kernel, math.prod(case.kernel)
    if taps == NINE:
        return _NINE_TAPS
    if wide in LOOPED_ROWS:
        return _ROWS + _ROW[wide] * tall
    return _OUTPUTS + _TAP * (taps + taps % 2)


def _every_part(plan: PixelPlan) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    tall = plan.case.out_shape[1]
    for begin in range(0, tall, plan.band):
        yield from (part for part, _ in parts_of(plan, (begin, min(begin + plan.band, tall))))


def _rows_of(case: KernelCase, outputs: int) -> int:
    return (outputs - 1) * case.stride[0] + (case.kernel[0] - 1) * case.dilation[0] + 1


def row_cycles(case: KernelCase) -> float:
    """On packed rows."""
    work = row_work(case)
    blocks = 36.6 * work.threes + 7.5 * work.threes_apart
    blocks += 15.7 * work.quads + 6.6 * work.quad_rows + 2.7 * work.quad_terms
    blocks += 4.0 * work.quads_apart + 2.0 * work.alone_apart
    odd = case.in_channels * case.element_bytes % WORD > 0
    packing = (10.5 + 1.6 * odd) * work.packed + 1.1 * work.packed_alone + 42 * work.lines
    packing += 6.25 * work.weights
    return 1650 + 850 * work.bands + blocks + packing + 24.7 * work.roomed + 79 * work.runs


def channel_cycles(case: KernelCase) -> float:
    """Four channels of a pixel after another."""
    taps, (_, tall, wide, _) = math.prod(case.kernel), case.out_shape
    of, pixels = _CHANNELS[case.act, taps == NINE], tall * wide
    fours = -(-case.in_channels // FOUR)
    runs = fours * case.multiplier
    over = case.in_channels % FOUR > 0
    cut = over and not (case.act == "s16" and case.in_channels % 2 == 0)
    copied = cut and _copies(case)
    tap = of.alone if cut and not copied else of.tap
    pixel = runs * (of.four + tap * taps) + of.run * case.multiplier * (1 + over)
    read = max(pixels * math.prod(case.stride), math.prod(case.in_shapes[0][1:3]))
    rows = 1 if _is_column(case) and not copied else tall
    beside = _beside(case, of, runs=case.multiplier, fours=runs, rows=rows)
    return beside + pixels * pixel + of.copied * copied * fours * read


def several_cycles(case: KernelCase) -> float:
    """Four outputs of one or two channels of a pixel after another."""
    pixels, taps = math.prod(case.out_shape[1:3]), math.prod(case.kernel)
    two = case.multiplier == 2
    word = two and taps == NINE and case.act == "s16" and case.in_channels % 2 == 0
    of = _SEVERAL[two and not word, taps == NINE]  # a word of two channels takes as long as one
    runs = 1 if two else -(-case.multiplier // FOUR)
    fours = -(-case.in_channels // 2) if two else case.in_channels * runs
    rows = 1 if _is_column(case) else case.out_shape[1]
    beside = _beside(case, of, runs=runs, fours=fours, rows=rows)
    return beside + pixels * (fours * (of.four + of.tap * taps) + of.run * runs)


def _is_column(case: KernelCase) -> bool:
    """Whether it is computed as a row."""
    return case.kernel[1] == case.out_shape[2] == case.in_shapes[0][2] == 1


def _beside(case: KernelCase, of: _Pixels, *, runs: int, fours: int, rows: int) -> float:
    """A call, its rows, its lists of taps and its weights."""
    taps, inside = math.prod(case.kernel), pixel_plan(case).inside
    own = math.prod(case.out_shape[1:3]) - math.prod(end - begin for begin, end in inside)
    listed = own * (of.own + of.own_run * runs + of.listed * taps)
    return of.call + of.row * rows + listed + _WEIGHT * fours * 4 * (2 * taps + 2 * FOUR)


def _copies(case: KernelCase) -> bool:
    few = FEW_WINDOWS if case.act == "s16" or math.prod(case.kernel) == NINE else FEW_WINDOWS // 2
    few += BEGUN_WINDOWS // -(-case.in_channels // FOUR)
    windows, (_, tall, wide, _) = math.prod(case.kernel) * case.multiplier, case.in_shapes[0]
    apart = max(math.prod(case.stride), tall * wide / math.prod(case.out_shape[1:3]))
    return windows > few * apart


def three_cycles(case: KernelCase) -> float:
    """Of 3x3, two rows of four channels in planes."""
    _, tall, wide, channels = case.out_shape
    blocks, pixels = channels // TAP_CHANNELS, tall * wide
    read = case.in_channels * math.prod(case.stride)
    return 200 + tall * (24 + 95 * blocks) + pixels * (36.3 * blocks + 2 * read + 1)
