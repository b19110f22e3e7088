"""Depthwise convolutions: on ARMv7E-M taps in the pairs that products add, or a tap's four channels
as halfwords; on XpulpV2 a channel's
taps and tables in one run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import TABLE_BYTES
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.x4c4 import behind_pieces, tables

_FIVE = 5  # taps of rows that have a loop, which takes pairs


def channel_bytes(kernel: tuple[int, int]) -> int:
    """Of one channel: the taps in whole words, then the tables."""
    return -(-kernel[0] * kernel[1] // 4) * 4 + TABLE_BYTES


def group_bytes(kernel: tuple[int, int]) -> int:
    """Of four output channels: channels a to b, a and b multiples of four, are the bytes from
    ``a // 4 * group_bytes`` to ``b // 4 * group_bytes``."""
    return GROUP * channel_bytes(kernel)


def depthwise(given: Parameters) -> np.ndarray:
    """HWC to a run for each output channel: its taps row after row, zeros up to a whole word, then
    multiplier, addend and shift as int32, which "x4c4" explains. Channels of zeros fill up the
    last four."""
    *kernel, count = given.weights.shape
    taps = given.weights.reshape(-1, count).T
    full = np.zeros((-(-count // GROUP) * GROUP, channel_bytes((kernel[0], kernel[1]))), np.int8)
    full[:count, : taps.shape[1]] = taps
    full[:count, -TABLE_BYTES:] = tables(given, count).view(np.int8)
    return full.reshape(-1)


def depthwise_wide(given: Parameters) -> np.ndarray:
    """HWC for activations of int16, to a piece for each four output channels: of each tap a word
    for each, then the tables of "x4c4". Two words of the input have two channels each, from that of
    the first output and that of the third on; the weight is in its channel's half. Zeros fill up
    channels."""
    count = given.weights.shape[-1]
    taps = np.pad(given.weights.reshape(-1, count), ((0, 0), (0, -count % GROUP)))
    output = np.arange(taps.shape[1])
    multiplier = count // given.groups if given.groups > 1 else 1
    half = output // multiplier - output // 2 * 2 // multiplier
    words = np.zeros((*taps.shape, 2), "<i2")
    words[:, output, half] = taps
    pieces = words.reshape(len(taps), -1, GROUP, 2).transpose(1, 0, 2, 3)
    stream = pieces.reshape(len(pieces), -1).view(np.int8)
    return np.concatenate([stream, behind_pieces(replace(given, groups=1), count)], 1).reshape(-1)


def taps_3x3(given: Parameters) -> np.ndarray:
    """HWC, 3 by 3, to int16 per channel: for each column of taps w0 w1 w1 w2 from the top."""
    taps = given.weights.astype("<i2").transpose(2, 1, 0)  # [channel, column, row]
    return np.ascontiguousarray(taps[..., [0, 1, 1, 2]]).view(np.int8).reshape(-1)


def taps_c4(given: Parameters) -> np.ndarray:
    """HWC to a run for each four input channels: the biases of their outputs, for each tap int16 of
    outputs 0, 2, 1 and 3, their multipliers. Where channels are no multiple of four, at least four
    of them, the last run is that of the last four. Where an input channel has several outputs, such
    runs of its first one, then of its second one."""
    return _fours(given, [0, 2, 1, 3])


def taps_c4_ordered(given: Parameters) -> np.ndarray:
    """The same with int16 of outputs 0, 1, 2 and 3."""
    return _fours(given, [0, 1, 2, 3])


def _lanes(inputs: int, multiplier: int) -> np.ndarray:
    """Output channels of each run."""
    lanes = np.minimum(np.array(_firsts(inputs))[:, None] + np.arange(4), inputs - 1)
    return np.concatenate([lanes * multiplier + j for j in range(multiplier)])


def _fours(given: Parameters, order: list[int]) -> np.ndarray:
    channels = given.weights.shape[-1]
    inputs = given.groups if given.groups > 1 else channels
    lanes = _lanes(inputs, channels // inputs)
    taps = given.weights.reshape(-1, channels).T.astype("<i2")  # [channel, tap]
    runs = taps[lanes[:, order]].transpose(0, 2, 1).reshape(len(lanes), -1)
    whole = _with_tables(given, lanes, runs)
    return np.concatenate([whole.reshape(-1), np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def taps_x4(given: Parameters) -> np.ndarray:
    """HWC to a run for each four outputs of an input channel, or two of each of two: their biases,
    for each tap int16 of the four, their multipliers. First those of all channels' first four
    outputs, then of their next four; where four do not divide them the last four begin earlier. The
    last of an odd number of channels that have two comes with the one before."""
    channels = given.weights.shape[-1]
    each = channels // given.groups
    step = 2 if each == 2 else 1
    firsts = np.minimum(np.arange(0, given.groups, step), given.groups - step) * each
    begins = np.arange(0, each, 4) if each == 2 else np.array(_firsts(each))
    lanes = (begins[:, None] + firsts).reshape(-1, 1) + np.arange(4)
    taps = given.weights.reshape(-1, channels).T.astype("<i2")  # [channel, tap]
    runs = taps[lanes].transpose(0, 2, 1).reshape(len(lanes), -1)
    return _with_tables(given, lanes, runs).reshape(-1)


def pixel_taps(given: Parameters) -> np.ndarray:
    """HWC to a run for each output channel: its bias, int16 of its taps, zero after an odd number
    of them and after each row of five, its multiplier."""
    weights = given.weights
    if weights.shape[1] == _FIVE:
        weights = np.pad(weights, ((0, 0), (0, 1), (0, 0)))
    channels = weights.shape[-1]
    taps = weights.reshape(-1, channels).T.astype("<i2")
    pairs = np.pad(taps, ((0, 0), (0, taps.shape[1] % 2)))
    return _with_tables(given, np.arange(channels)[:, None], pairs).reshape(-1)


def _firsts(channels: int) -> list[int]:
    """The first channel of each run of four."""
    return [min(first, max(0, channels - 4)) for first in range(0, channels, 4)]


def _with_tables(given: Parameters, lanes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """The int16 of each run between its biases and its multipliers, as bytes."""
    multiplier = np.broadcast_to(given.multiplier, given.weights.shape[-1])
    tables = (np.ascontiguousarray(each.astype("<i4")[lanes]) for each in (given.bias, multiplier))
    bias, factors = (each.view(np.int8) for each in tables)
    return np.concatenate([bias, np.ascontiguousarray(runs).view(np.int8), factors], axis=1)
