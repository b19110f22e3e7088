"""Whether a pool takes fewer cycles tap by tap, on a strip or pixel by pixel.

All are estimated from counts. What each takes was fitted to some 200 layers by both kernels, under
the model of the core, to 10 to 15 % rms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import (
    POOL_BAND_ROWS,
    POOL_CHANNELS,
    POOL_COLUMNS,
    POOL_GROUP_BYTES,
    POOL_NEAR_ROWS,
    POOL_NEAR_TAPS,
    POOL_OUTPUT_CHANNELS,
    POOL_OUTPUT_COLUMNS,
    POOL_STRIP,
)
from deployer.kernelset.cortex_m.pool_small import (
    LINE,
    THREE,
    WORD,
    between_words,
    sides,
    small_average_cycles,
    small_extreme_cycles,
)
from deployer.kernelset.kernel import KernelCase

_WORTH = 0.93  # of the strip's cycles, as much as the estimates are off by
_SHORT = 2000  # cycles of a strip whose plan is most of them, so that few taps need gain nothing
_NEAR = 8  # bytes; two words of a short run are made at once
_APART_BYTES = 32  # SEVERAL_BYTES of dpl/cortex_m/extreme_pool.h
_NEAR_CALL, _NEAR_STRETCH, _NEAR_LINES, _NEAR_LINE = 330, 170, 18, 22
_SLIDE = 3.75  # rows of sums that one made of the row above takes as long as
_BEGIN = 1.75  # and that beginning a row of sums does
# Of maxima made output by output a row, and a word or an element; which share of the strip's cycles
# they take whose other parts were fitted to those made otherwise.
_OUTPUT_ROW, _OUTPUT, _OF_OUTPUTS = 70, 6.4, 0.78
_THREE_ROWS = 1.2  # folds, of three rows at words at once
_LONE_ROW = 200  # of rows of one pixel, a row more
_ALONE_CHANNELS = 2  # up to which the strip's one pixel by itself takes least


@dataclass(frozen=True)
class TapCycles:
    """Of a call, a stretch of outputs, a run, a group, a tap of one at a word and between words; of
    a run of words and each of its taps; of an output by itself and its taps; of a listed tap."""

    call: float
    stretch: float
    run: float
    group: float
    tap: float
    odd_tap: float
    words: float
    word_tap: float
    single: float
    single_tap: float
    listed: float


@dataclass(frozen=True)
class StripCycles:
    """Of a call, a block, a row and one with pads at a side; of a folded byte of rows that begin at
    words and others, and of a copied one; of a byte of the strip folded with itself and, where
    columns begin between words; of a pixel folded by itself, and its bytes of both kinds; of a
    copied pixel."""

    call: float
    block: float
    row: float
    sided: float
    folded: float
    folded_odd: float
    copied: float
    crossed: float
    crossed_odd: float
    apart: float
    apart_byte: float
    apart_odd: float
    pixel: float


@dataclass(frozen=True)
class SumCycles:
    """Of a call, a block, a row, a pixel at a side of one; of a sum of rows that begin at words and
    others, times rows; of a column added to an output, and of an output; of a run of outputs; of
    an output by itself."""

    call: float
    block: float
    row: float
    sided: float
    summed: float
    summed_odd: float
    added: float
    mean: float
    run: float
    single: float


_TAPS = {
    ("extreme", "s8"): TapCycles(267, 124, 26, 0, 9.3, 18.8, 14, 11, 13, 7.5, 4.4),
    ("extreme", "s16"): TapCycles(412, 134, 31, 5, 9, 12.9, 8, 15, 10, 10, 9.8),
    ("average", "s8"): TapCycles(335, 160, 39, 50, 10, 22.9, 0, 0, 27, 5.4, 0),
    ("average", "s16"): TapCycles(434, 185, 43, 27, 8.2, 9.7, 0, 0, 22, 10, 7.3),
}
_STRIP = {
    "s8": StripCycles(216, 259, 140, 20, 1.13, 1.52, 0.57, 0.81, 1.33, 7, 1.39, 1.94, 2.6),
    "s16": StripCycles(143, 437, 128, 17, 0.99, 1.33, 0.54, 0.69, 1.17, 13, 0.87, 1.58, 5.3),
}
_SUMS = {
    "s8": SumCycles(437, 166, 197, 106, 0.67, 1.11, 1.33, 3.46, 28, 8.3),
    "s16": SumCycles(530, 40, 212, 126, 1.17, 1.38, 1.24, 3.27, 30, 8.2),
}


def extreme_by_taps(case: KernelCase) -> bool:
    """Of a maximum or minimum pool."""
    strip = fold_cycles(case)
    worth = 1 if is_near(case) and strip < _SHORT else _WORTH
    return extreme_tap_cycles(case) < worth * strip


def average_by_taps(case: KernelCase) -> bool:
    """Of an average pool. The strip makes one output pixel of few channels by itself."""
    return not _is_alone(case) and average_tap_cycles(case) < _WORTH * sum_cycles(case)


def fold_cycles(case: KernelCase) -> float:
    """Of a maximum or minimum pool on a strip."""
    return _strip_cycles(case, _STRIP[case.act])


def sum_cycles(case: KernelCase) -> float:
    """Of an average pool on a strip."""
    return _sum_cycles(case, _SUMS[case.act])


def extreme_tap_cycles(case: KernelCase) -> float:
    """Tap by tap."""
    if is_near(case):
        return _near_cycles(case, "extreme")
    return _tap_cycles(case, _TAPS["extreme", case.act], words=True)


def average_tap_cycles(case: KernelCase) -> float:
    """Tap by tap."""
    if is_near(case):
        return _near_cycles(case, "average")
    return _tap_cycles(case, _TAPS["average", case.act], words=False)


def extreme_is_small(case: KernelCase) -> bool:
    """Whether a maximum pool takes fewest cycles pixel by pixel."""
    return small_extreme_cycles(case) < min(fold_cycles(case), extreme_tap_cycles(case))


def average_is_small(case: KernelCase) -> bool:
    """The same of an average pool."""
    others = min(sum_cycles(case), average_tap_cycles(case))
    return not _is_alone(case) and small_average_cycles(case) < others


def _is_alone(case: KernelCase) -> bool:
    return math.prod(case.out_shape[1:3]) == 1 and case.out_channels <= _ALONE_CHANNELS


def is_near(case: KernelCase) -> bool:
    """Whether outputs are made one after the other, of so few taps (dpl/cortex_m/near_taps.h)."""
    return 1 < case.kernel[0] * case.kernel[1] <= POOL_NEAR_TAPS


def _near_cycles(case: KernelCase, kind: str) -> float:
    """Of a call, stretches of outputs of as many taps, calls for lines of outputs, lines and
    outputs."""
    taps = case.kernel[0] * case.kernel[1]
    _, tall, wide, channels = case.out_shape
    pads, (down, across) = case.pads, case.stride
    columns = sides(pads.left, pads.right, across, wide)
    rows, inner = sides(pads.top, pads.bottom, down, tall), wide - columns
    follow = across == 1
    full = -(-(tall - rows) // POOL_NEAR_ROWS) if columns else 1
    bands = rows + full
    length = inner * channels if follow else channels
    per, several = _near_output(case, kind, taps, length)
    words, sided = -(-length // several), -(-channels // several)
    own = 1 if follow else min(words, inner)
    band = min(tall - rows, POOL_NEAR_ROWS if columns else tall - rows)
    calls = columns * bands + rows + full * (min(own, band) if columns or own == 1 else band)
    lines = tall * own + columns * (rows + full * min(sided, band))
    stretches = bands * (1 + columns)
    outputs = (tall * words * (1 if follow else inner) + tall * columns * sided) * per
    begun = _NEAR_CALL + stretches * _NEAR_STRETCH + calls * _NEAR_LINES
    return begun + lines * _NEAR_LINE + outputs


def _near_output(case: KernelCase, kind: str, taps: int, length: int) -> tuple[float, int]:
    """Cycles of an output or a word of outputs, and elements of one."""
    size, channels = case.element_bytes, case.out_channels
    if kind == "average":
        return (4.2, 5.0, 6.1)[taps - 2], 1
    several, odd = WORD // size, between_words(channels * size, size)
    if (size > 1 and odd) or length < several:
        return (4.0, 5.0, 6.4)[taps - 2], 1
    return (3.8, 4.5, 6.1)[taps - 2] + odd * 3.8 * taps, several


def _tap_cycles(case: KernelCase, each: TapCycles, *, words: bool) -> float:
    size, taps = case.element_bytes, case.kernel[0] * case.kernel[1]
    _, tall, wide, channels = case.out_shape
    pads, (down, across) = case.pads, case.stride
    columns = sides(pads.left, pads.right, across, wide)
    rows = sides(pads.top, pads.bottom, down, tall)
    follow, inner = across == 1, wide - columns
    one = follow and columns == 0 and case.in_shapes[0][2] == wide and down == 1
    bands = rows + (1 if one else -(-(tall - rows) // POOL_BAND_ROWS))
    length, count = (inner * channels, tall) if follow else (channels, inner * tall)
    if one:
        length, count = length * tall, 1
    runs = [(length, count)] * (inner > 0) + [(channels, columns * tall)] * (columns > 0)
    odd = between_words(channels * size, size)
    kinds = (1 + (rows > 0)) * (1 + (columns > 0)) * (1 + (odd > 0 and size > 1))
    begun = each.call + bands * (1 + columns) * each.stretch + kinds * taps * each.listed
    a_tap = each.tap * (1 - odd) + each.odd_tap * odd
    return begun + sum(
        count * _run_cycles(length, taps, size, each, a_tap=a_tap, words=words)
        for length, count in runs
    )


def _run_cycles(
    length: int, taps: int, size: int, each: TapCycles, *, a_tap: float, words: bool
) -> float:
    group = POOL_GROUP_BYTES // size
    if length >= group:
        groups = -(-length // group) * (each.group + taps * a_tap)
        return groups + (1 + (length % group > 0)) * each.run
    if words and length * size >= WORD:
        return (1 + (length * size > _NEAR)) * (each.words + taps * each.word_tap)
    return length * (each.single + taps * each.single_tap)


@dataclass(frozen=True)
class _Plane:
    """As a strip sees it: pixels that lie one below the other are columns."""

    window: tuple[int, int]
    stride: tuple[int, int]
    tall: int
    wide: int
    under: int  # elements of the input below a row of outputs
    sided: int
    turned: bool


def _plane_of(case: KernelCase) -> _Plane:
    _, tall, wide, channels = case.out_shape
    (rows, columns), (down, across) = case.kernel, case.stride
    dilation, sides = case.dilation[1], case.pads.left + case.pads.right
    narrow = case.in_shapes[0][2] == wide == columns == 1 and tall > 1
    turned = narrow and (down == 1 or channels < POOL_CHANNELS // 2)
    if turned:
        rows, columns, tall, wide = 1, rows, 1, tall
        down, across, dilation = 1, down, case.dilation[0]
        sides = case.pads.top + case.pads.bottom
    under = ((wide - 1) * across + (columns - 1) * dilation + 1) * channels
    return _Plane((rows, columns), (down, across), tall, wide, under, max(sides, 0), turned)


def _blocks(plane: _Plane) -> int:
    several = POOL_STRIP // plane.under
    return -(-plane.tall // several) if several else plane.tall * -(-plane.under // POOL_STRIP)


def _strip_cycles(case: KernelCase, each: StripCycles) -> float:
    plane, size, channels = _plane_of(case), case.element_bytes, case.out_channels
    (rows, columns), (down, across) = plane.window, plane.stride
    under, pixel = plane.under * size * plane.tall, channels * size
    shared = rows >= down + 2 and plane.tall > 1 and 2 * plane.under <= POOL_STRIP
    folds = (rows - 1 + down) / 2 if shared else rows - 1
    aligned = case.in_shapes[0][2] * pixel % WORD == 0
    if rows == THREE and not shared and aligned and not plane.turned:
        folds = _THREE_ROWS
    fold = each.folded if aligned else each.folded_odd
    total = each.call + _blocks(plane) * each.block + plane.tall * each.row
    total += plane.tall * (plane.sided > 0) * each.sided
    total += folds * under * fold if rows > 1 else under * each.copied
    if _by_outputs(plane, case):
        words = pixel // WORD if pixel % WORD == 0 else channels
        lines = sorted((words, plane.wide)) if words < channels else (words, plane.wide)
        outputs = plane.tall * (_OUTPUT_ROW + lines[0] * (LINE + lines[1] * _OUTPUT))
        return _OF_OUTPUTS * (total + outputs)
    odd, pixels = pixel % WORD > 0, plane.tall * plane.wide
    hardly = across > 1 and columns <= across + 1 and pixel >= _APART_BYTES
    alone = plane.wide == 1 or (across > 1 and columns <= 2 * across)
    if columns > 1 and alone and (not odd or hardly):
        byte = each.apart_odd if odd else each.apart_byte
        return total + (columns - 1) * pixels * (each.apart + pixel * byte)
    crossed = each.crossed_odd if odd else each.crossed
    turns = math.ceil(math.log2(columns))
    return total + turns * under * crossed + pixels * (across > 1) * each.pixel


def _by_outputs(plane: _Plane, case: KernelCase) -> bool:
    """``by_outputs`` of dpl/cortex_m/extreme_pool.h."""
    size, channels = case.element_bytes, case.out_channels
    few = channels <= POOL_OUTPUT_CHANNELS * size or channels * size % WORD == 0
    strided = plane.window[1] == THREE and plane.stride[1] > 1
    return strided and few and plane.wide >= POOL_OUTPUT_COLUMNS


def _sum_cycles(case: KernelCase, each: SumCycles) -> float:
    plane, channels = _plane_of(case), case.out_channels
    (rows, columns), (down, across) = plane.window, plane.stride
    outputs, near = plane.tall * plane.wide * channels, case.dilation[0] == 1
    block = ((POOL_COLUMNS - 1) * across + columns) * channels  # sums slide in one with all
    along = plane.turned and near and 60 * across < _columns_cost(case, across, columns)
    along = along and (plane.under < POOL_STRIP or block < POOL_STRIP)
    slides = near and rows > down
    summed = _SLIDE if along else min(rows + _BEGIN, _SLIDE * down if slides else math.inf)
    odd = case.in_shapes[0][2] * channels * case.element_bytes % WORD
    a_sum = each.summed_odd if odd else each.summed
    total = each.call + _blocks(plane) * each.block + plane.tall * each.row
    total += plane.tall * plane.sided * each.sided
    total += summed * plane.under * plane.tall * a_sum
    if across > 1 and channels < WORD:
        return total + outputs * each.single + plane.tall * channels * each.run
    runs = plane.tall * plane.wide if across > 1 else plane.tall
    total += plane.tall * (plane.tall > 1 and plane.wide == 1) * _LONE_ROW
    added = 0 if along else each.added * (columns - 1)
    return total + outputs * (each.mean + added) + runs * each.run


def _columns_cost(case: KernelCase, across: int, columns: int) -> int:
    """As ``columns_cost`` of dpl/cortex_m/sum_rows_s8.h and of int16."""
    if case.element_bytes > 1:
        return 40 * across + 20 * (columns - 1)
    return 15 * across + (16 if case.out_channels % 2 else 10) * (columns - 1)
