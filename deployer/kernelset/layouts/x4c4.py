"""Convolution and fully connected layers on XpulpV2: four output channels at a time, packed as one
piece, for windows that are read in runs of bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import MAX_COPIED_CHANNELS, MAX_RUN_TWENTIETHS
from deployer.kernelset.layouts.parameters import Parameters

WORD, PAIR = 4, 2  # bytes, values of int16


@dataclass(frozen=True)
class Runs:
    """``count`` of them, of ``bytes`` each: kernel rows, taps, or a copy of the window."""

    count: int
    bytes: int

    @property
    def words(self) -> int:
        """Of all of them; each begins a word."""
        return self.count * -(-self.bytes // WORD)


def window_runs(height: int, width: int, channels: int, *, along: bool) -> Runs:
    """Of a window of so many taps of ``channels`` bytes. ``along``: the taps of a kernel row follow
    one another."""
    if not along:
        return Runs(height * width, channels)
    rows, copy = Runs(height, width * channels), Runs(1, height * width * channels)
    few = channels <= MAX_COPIED_CHANNELS and width > 1
    return copy if few and 20 * rows.words > MAX_RUN_TWENTIETHS * copy.words else rows


def x4c4(given: Parameters) -> np.ndarray:
    """OHWI or OI to a piece for each four output channels: for every four values a word of each
    channel, then of each channel multiplier, addend and shift as int32. Zeros fill up.

    For the rules i32 and shift an output is (sum * multiplier + addend) >> shift of the sum of
    products alone: the bias is in the addend, which wraps where the result does not. For q32 and
    q31 the addend is the bias, the multiplier is without sign, and the shift is that behind the
    high word of the product, with the zero point above its lowest byte. Where that is none, and
    for other rules, the three are zero, and the kernel takes its tables.
    """
    return _pieces(given, given.weights.reshape(len(given.weights), 1, -1))


def x4c4_halves(given: Parameters) -> np.ndarray:
    """The same for activations of int16 that are read as bytes, high ones and low ones less 128,
    which the biases make up for."""
    sums = given.weights.astype(np.int32).sum(axis=tuple(range(1, given.weights.ndim)))
    return x4c4(replace(given, bias=given.bias + 128 * sums))


def x4c4_runs(given: Parameters) -> np.ndarray:
    """The same of the channels of each of the groups in turn, whose windows are read in runs: zeros
    fill up each run, too."""
    height, width, inputs = given.weights.shape[1:]
    runs = window_runs(height, width, inputs, along=given.groups == 1 and given.dilation[1] == 1)
    return _pieces(given, given.weights.reshape(len(given.weights), runs.count, -1))


def x4c4_column(given: Parameters) -> np.ndarray:
    """The same for images of one column, which are read as images of one row."""
    weights = given.weights.transpose(0, 2, 1, 3)
    return x4c4_runs(replace(given, weights=weights, dilation=given.dilation[::-1]))


def x4c2_runs(given: Parameters) -> np.ndarray:
    """OHWI or OI for activations of int16, weights as wide: for every two values of a tap a word of
    each of four channels. An odd tap is filled up, so that taps of even ones are read in a row."""
    taps = given.weights.reshape(len(given.weights), -1, given.weights.shape[-1])
    return _pieces(given, taps.astype("<i2"), values=PAIR)


def _pieces(given: Parameters, runs: np.ndarray, values: int = GROUP) -> np.ndarray:
    """``runs``: [channel, run, value], of which a word has ``values``."""
    channels = len(runs)
    filled = _filled(runs, axis=2, unit=values).reshape(given.groups, channels // given.groups, -1)
    split = _filled(filled, axis=1)
    groups, rows, columns = split.shape
    split = split.reshape(groups * rows // GROUP, GROUP, columns // values, values)
    words = split.transpose(0, 2, 1, 3).reshape(len(split), -1)  # [piece, word, channel, value]
    return np.concatenate([words.view(np.int8), behind_pieces(given, channels)], 1).reshape(-1)


def behind_pieces(given: Parameters, channels: int) -> np.ndarray:
    """[piece, byte]: the tables of the four channels of each."""
    by_high_word = given.rule in (RequantRule.Q32, RequantRule.Q31)
    numbers = (high_word_tables if by_high_word else tables)(given, channels)
    filled = _filled(numbers.reshape(given.groups, channels // given.groups, 3), axis=1)
    return filled.reshape(-1, 3 * GROUP).view(np.int8)


def _filled(array: np.ndarray, *, axis: int, unit: int = GROUP) -> np.ndarray:
    """With zeros, so that ``axis`` has whole units."""
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, -array.shape[axis] % unit)
    return np.pad(array, widths)


def tables(given: Parameters, channels: int) -> np.ndarray:
    """Multiplier, addend and shift of each channel."""
    if given.rule not in AFFINE:
        return np.zeros((channels, 3), "<i4")
    ones = np.ones(1, np.int32)
    multiplier = (given.multiplier if given.rule == RequantRule.I32 else ones).astype(np.int64)
    addend = given.bias.astype(np.int64) * multiplier + given.rounding
    wrapped = (addend & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    columns = (np.broadcast_to(c, channels) for c in (multiplier, wrapped, given.shift))
    return np.stack(list(columns), axis=1).astype("<i4")


def high_word_tables(given: Parameters, channels: int) -> np.ndarray:
    """The same for q32 and q31: (product + 2^(s - 1)) >> s for s from 33 on is
    (high word + 2^(s - 33)) >> (s - 32); for 32 it is that of twice the multiplier and 33."""
    shift = np.full(1, 32) if given.rule == RequantRule.Q32 else given.shift.astype(np.int64)
    if (shift < 32).any():
        return np.zeros((channels, 3), "<i4")
    twice = shift == 32
    multiplier = np.where(twice, 2, 1) * given.multiplier.astype(np.int64)
    behind = (given.rounding.astype(np.int64) << 8) | np.where(twice, 1, shift - 32)
    columns = (multiplier.astype(np.uint32).view(np.int32), given.bias, behind)
    return np.stack([np.broadcast_to(c, channels) for c in columns], axis=1).astype("<i4")
