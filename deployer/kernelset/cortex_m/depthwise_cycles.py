"""Cycles of a depthwise convolution by pixels of a channel and by other kernels.

All are estimated from counts of what their loops do. What each takes was fitted to some 30 layers
by every kernel that takes them, under the model of the core; the estimates hold to 5 to 10 %, rms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import BEGUN_WINDOWS, FEW_WINDOWS, TAP_CHANNELS
from deployer.kernelset.cortex_m.depthwise_pixels import (
    FOUR,
    NINE,
    PixelPlan,
    bands_of,
    copied_bytes,
    fours_of_part,
    parts_of,
    pixel_plan,
)
from deployer.kernelset.cortex_m.depthwise_work import row_work
from deployer.kernelset.kernel import KernelCase

PIXEL_GAIN = 0.93  # of the others' cycles, as much as the estimates are off by
# By pixels: a call, a band, a channel of one, a copied row, its bytes, a four that is listed; four
# outputs of nine taps, of others, a tap of theirs.
_CALL, _BAND, _CHANNEL, _COPIED_ROW, _COPIED_BYTE, _LISTED = 700, 150, 22, 45, 0.6, 24
_NINE_TAPS, _OUTPUTS, _TAP = 65.5, 26.0, 6.25


@dataclass(frozen=True)
class _Pixels:
    """Pixel after pixel: of a call; of four outputs, a tap of them, the same loaded by elements; of
    a tap of a window beyond the input, and of a row; of four copied channels; of a pixel's run."""

    call: float
    four: float
    tap: float
    alone: float
    listed: float
    row_tap: float
    copied: float
    run: float


_CHANNELS = {
    ("s8", True): _Pixels(330, 20.0, 4.85, 1.1, 16.0, 3.7, 9.2, 11.0),
    ("s16", True): _Pixels(330, 20.0, 4.6, 1.5, 16.0, 3.7, 9.2, 11.0),
    ("s8", False): _Pixels(330, 26.0, 5.7, 1.2, 16.0, 3.7, 9.2, 11.0),
    ("s16", False): _Pixels(330, 26.0, 5.3, 1.7, 16.0, 3.7, 9.2, 11.0),
}  # of nine taps, which have a loop, and of others
_SEVERAL = _Pixels(330, 19.0, 4.8, 0.0, 6.2, 10.2, 0.0, 1.0)


def pixel_cycles(case: KernelCase) -> float:
    plan = pixel_plan(case)
    taps, channels, bands = math.prod(case.kernel), case.out_channels, list(bands_of(plan))
    fours = sum(map(fours_of_part, _every_part(plan)))
    four = _NINE_TAPS if taps == NINE else _OUTPUTS + _TAP * (taps + taps % 2)
    copied = [part for band in bands for part in band]
    rows = sum(_rows_of(case, part[0][1] - part[0][0]) for part in copied)
    copies = _COPIED_ROW * rows + _COPIED_BYTE * sum(copied_bytes(case, part) for part in copied)
    own = len(bands) * (_BAND + _CHANNEL * channels) + fours * (_LISTED + channels * four)
    return _CALL + own + copies


def _every_part(plan: PixelPlan) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    tall = plan.case.out_shape[1]
    for begin in range(0, tall, plan.band):
        yield from (part for part, _ in parts_of(plan, (begin, min(begin + plan.band, tall))))


def _rows_of(case: KernelCase, outputs: int) -> int:
    return (outputs - 1) * case.stride[0] + (case.kernel[0] - 1) * case.dilation[0] + 1


def row_cycles(case: KernelCase) -> float:
    """On packed rows."""
    work = row_work(case)
    blocks = 42.5 * work.threes + 18 * work.quads + 3.6 * work.quad_rows + 3.3 * work.quad_terms
    packing = 12.6 * work.packed + 6 * work.packed_alone + 14.4 * work.lines + 10.4 * work.weights
    return 1730 + blocks + packing + 18 * work.roomed + 36 * work.runs


def channel_cycles(case: KernelCase) -> float:
    """Four channels of a pixel after another."""
    taps, (_, tall, wide, _) = math.prod(case.kernel), case.out_shape
    of, pixels = _CHANNELS[case.act, taps == NINE], tall * wide
    fours = -(-case.in_channels // FOUR)
    runs = fours * case.multiplier
    over = case.in_channels % FOUR > 0
    cut = over and not (case.act == "s16" and case.in_channels % 2 == 0)
    copied = cut and _copies(case)
    tap = of.tap + of.alone * (cut and not copied)
    pixel = runs * (of.four + tap * taps) + of.run * case.multiplier * (1 + over)
    read = max(pixels * math.prod(case.stride), math.prod(case.in_shapes[0][1:3]))
    return _beside(case, of) + pixels * pixel + of.copied * copied * fours * read


def several_cycles(case: KernelCase) -> float:
    """Four outputs of one or two channels of a pixel after another."""
    pixels, many = math.prod(case.out_shape[1:3]), case.multiplier != 2
    fours = case.in_channels * -(-case.multiplier // FOUR) if many else -(-case.in_channels // 2)
    each = fours * (_SEVERAL.four + _SEVERAL.tap * math.prod(case.kernel)) + _SEVERAL.run
    return _beside(case, _SEVERAL) + pixels * each


def _beside(case: KernelCase, of: _Pixels) -> float:
    """A call and its lists of taps."""
    (_, tall, wide, _), taps = case.out_shape, math.prod(case.kernel)
    inside = math.prod(end - begin for begin, end in pixel_plan(case).inside)
    return of.call + taps * (of.listed * (tall * wide - inside) + of.row_tap * tall)


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
