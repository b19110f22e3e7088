"""Estimated cycles of convolutions on columns: of windows, of copied rows, of parts of groups.

Each term is work that the loops of kernels/include/dpl/cortex_m/ do for three pixels at a time. The
figures are fitted to some 150 layers of every kind, on each kernel that takes them, as `deployer
bench sweep` prices them; they hold to 5 to 8 %, rms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import COLUMNS
from deployer.kernelset.cortex_m.planes import Planes, planes_of
from deployer.kernelset.cortex_m.row_strips import RowWindow
from deployer.kernelset.cortex_m.strips import ALIGNED
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.parts import Parts, parts_of


@dataclass(frozen=True)
class _Costs:
    """Of three pixels: a value, one of a channel that fills no words with others, a stretch of the
    input that is read in one go; a value's products with a pair of channels and with one, what
    follows their sums; what is left. Of a row of outputs, a value and a row that are copied, a
    weight that is fetched."""

    value: float
    gathered: float
    stretch: float
    pair: float
    single: float
    pair_end: float
    single_end: float
    triple: float
    row: float
    copied: float
    copied_row: float
    weight: float


_WINDOWS = {
    "s8": _Costs(3.15, 3.5, 44.0, 3.1, 2.5, 24.0, 3.0, 97.0, 530.0, 0.0, 0.0, 0.37),
    "s16": _Costs(3.0, 8.0, 67.0, 3.2, 2.4, 17.0, 20.0, 30.0, 380.0, 0.0, 0.0, 0.4),
}
_ROWS = {
    "s8": _Costs(5.1, 0.0, 20.0, 3.15, 2.1, 18.0, 48.0, 90.0, 0.0, 0.5, 300.0, 0.34),
    "s16": _Costs(5.1, 0.0, 20.0, 3.15, 2.1, 18.0, 48.0, 90.0, 0.0, 0.5, 300.0, 0.34),
}
# Of parts of groups, of three pixels: four values and the same where the part begins within a word,
# within a halfword, a tap of two channels more; four values' products with a pair and with one
# channel, what follows their sums; a part, what is left, a tap. A weight that is fetched,
# a part that is begun.
_FOUR, _FOUR_ASTRIDE, _FOUR_ODD, _HALF_TAP = 13.1, 5.0, 20.0, 31.0
_FOUR_PAIR, _FOUR_SINGLE, _PART_PAIR_END, _PART_SINGLE_END = 12.8, 13.7, 23.0, 25.0
_PART, _PART_TRIPLE, _PART_TAP, _PART_WEIGHT = 5.3, 215.0, 66.0, 0.46
_PART_BEGUN = 400.0
_WORD_S8, _WORD_S16 = 4, 2  # elements
# Of copied rows of remainders, of three pixels: a value of their columns, its products with a pair
# of channels and with one, what follows those of a pair and of one, what is left; a row of pixels.
_VALUE, _PAIR, _SINGLE, _PAIR_END, _SINGLE_END, _TRIPLE = 2.9, 3.0, 2.25, 20.0, 55.0, 110.0
_ROW = 350.0
# So much of it do remainders by parts of groups take, and those of one group of int16.
_SMALL_PARTS, _HALVES = 0.944, 1.1
# Of int8, a value of long runs at halves of words, every second of which lies at a word.
_HALFWAY, _LONG_RUN = 1.2, 64
_MARGIN = 1.06  # by which rows must be dearer, since both are estimates


def in_rows(case: KernelCase) -> bool:
    """Windows of channels that fill no words, without gaps, in several rows."""
    gaps = case.dilation != (1, 1) or case.groups > 1
    return not gaps and case.in_channels % ALIGNED[case.act] != 0 and not is_one_row(case)


def rows_are_dearer(case: KernelCase) -> bool:
    """Whether copied rows take more cycles than windows, where both do: a row has the zeros that
    fill it up, a window is gathered value after value."""
    return row_cycles(case) > _MARGIN * gathered_cycles(case)


def is_one_row(case: KernelCase) -> bool:
    """Whether columns of one group take all pixels as a row: of a 1x1, or of one column."""
    point = case.kernel == case.stride == (1, 1) and not case.pads.any
    return point or (case.out_shape[2] == 1 and case.kernel[1] == 1)


def column_cycles(case: KernelCase, every: Sequence[Planes]) -> float:
    """Of a convolution, or of all that a transposed one consists of."""
    transposed = case.op == "ConvTranspose2d"
    if case.groups > 1:
        parts = sum(_part_cycles(case, planes) for planes in every)
        return parts * _SMALL_PARTS if transposed else parts
    if transposed:
        return remainder_cycles(case, every) * (_HALVES if case.act == "s16" else 1.0)
    windows = gathered_cycles(case)
    return min(windows, row_cycles(case)) if in_rows(case) else windows


def part_cycles(case: KernelCase) -> float:
    """Of a convolution of several groups, on columns of their parts."""
    return _part_cycles(case, planes_of(case))


def remainder_cycles(case: KernelCase, every: Sequence[Planes]) -> float:
    """Of one group's transposed convolution, remainder after remainder on copied rows."""
    apart = [RowWindow(p.kernel, 1, p.outputs, p.depth, p.channels) for p in every]
    return window_cycles(apart, shared=case.kernel == case.stride)


def window_cycles(windows: Sequence[RowWindow], *, shared: bool) -> float:
    """``shared``: columns are made once for all."""
    columns = sum(_columns(window) for window in windows)
    return columns / (len(windows) if shared else 1) + sum(_products(each) for each in windows)


def gathered_cycles(case: KernelCase) -> float:
    """Of columns of windows."""
    tall, wide = case.kernel
    values, merged = tall * wide * case.in_channels, wide == 1 or case.dilation[1] == 1
    costs, rows = _WINDOWS[case.act], 1 if is_one_row(case) else case.out_shape[1]
    stretches = tall if merged else tall * wide
    reading = values * _gathered(case, values // stretches) + stretches * costs.stretch
    return _cycles(case, costs, _fours(values), reading) + rows * costs.row


def _gathered(case: KernelCase, run: int) -> float:
    """Cycles of a value, in runs of so many, beside those of one that fills words with others."""
    over = case.in_channels % ALIGNED[case.act]
    if case.act == "s8" and over == ALIGNED["s8"] // 2 and run >= _LONG_RUN:
        return _HALFWAY
    return _WINDOWS[case.act].gathered if over else 0.0


def row_cycles(case: KernelCase) -> float:
    """Of columns of copied rows."""
    tall, wide = case.kernel
    costs, (_, rows, columns, _) = _ROWS[case.act], case.out_shape
    reached = ((columns - 1) * case.stride[1] + wide) * case.in_channels
    copies = rows * min(tall, case.stride[0]) * (reached * costs.copied + costs.copied_row)
    values = tall * _fours(wide * case.in_channels)
    return copies + _cycles(case, costs, values, tall * costs.stretch)


def _cycles(case: KernelCase, costs: _Costs, values: int, reading: float) -> float:
    """With ``reading`` beside the values of a column."""
    _, rows, columns, channels = case.out_shape
    pairs, single = divmod(channels, 2)
    products = pairs * (values * costs.pair + costs.pair_end)
    products += single * (values * costs.single + costs.single_end)
    triples = -(-rows * columns // COLUMNS)
    weights = channels * values * costs.weight
    return triples * (values * costs.value + reading + products + costs.triple) + weights


def _part_cycles(case: KernelCase, planes: Planes) -> float:
    taps, pixels = planes.kernel[0] * planes.kernel[1], planes.outputs[0] * planes.outputs[1]
    parts = parts_of(case.groups, planes.depth, planes.channels, taps)
    fours, (pairs, single) = parts.values(taps) // 4, divmod(parts.outputs, 2)
    products = pairs * (fours * _FOUR_PAIR + _PART_PAIR_END)
    products += single * (fours * _FOUR_SINGLE + _PART_SINGLE_END)
    made = fours * _FOUR + parts.half * taps * _HALF_TAP
    triple = parts.count * (made + products + _PART) + fours * _astride(case, parts)
    own = 4 * fours * parts.outputs * _PART_WEIGHT + _PART_BEGUN
    triples = -(-pixels // COLUMNS)
    return triples * (triple + taps * _PART_TAP + _PART_TRIPLE) + parts.count * own


def _astride(case: KernelCase, parts: Parts) -> float:
    """More of four values of all parts, since some begin within a word or a halfword."""
    word = _WORD_S8 if case.act == "s8" else _WORD_S16
    starts = [first for first, _ in parts.starts()]
    within = sum(first % word > 0 for first in starts)
    return within * _FOUR_ASTRIDE + sum(first % 2 for first in starts) * _FOUR_ODD


def _fours(values: int) -> int:
    return -(-values // 4) * 4


def _triples(window: RowWindow) -> int:
    return -(-window.outputs[0] * window.outputs[1] // COLUMNS)


def _columns(window: RowWindow) -> float:
    return _triples(window) * window.values * _VALUE + window.outputs[0] * _ROW


def _products(window: RowWindow) -> float:
    pairs, single = divmod(window.channels, 2)
    each = pairs * (window.values * _PAIR + _PAIR_END)
    each += single * (window.values * _SINGLE + _SINGLE_END)
    return _triples(window) * (each + _TRIPLE)
