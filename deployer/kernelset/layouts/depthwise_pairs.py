"""Depthwise convolutions on XpulpV2: weights of two taps at a time, as words of two channels meet
them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.x4c4 import tables

FEWEST_PAIRS = 2  # the first one begins the sums
_REPEATED = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 2), 4: (0, 1, 2, 3)}


def pairs_of(kernel: tuple[int, int]) -> int:
    """With a first tap that is one by itself."""
    return max(-(-kernel[0] * kernel[1] // 2), FEWEST_PAIRS)


def begins_alone(taps: int) -> bool:
    return taps % 2 == 1 and taps > 1


def depthwise_pairs(given: Parameters) -> np.ndarray:
    """HWC to a run for each four outputs: for each two taps a word of each output, then of each
    multiplier, addend and shift as int32, which "x4c4" explains. A word has the first tap in byte 0
    and the second in byte 2, of every other output in bytes 1 and 3, zeros elsewhere and for taps
    that fill up the twos. The first of an odd number of taps, three or more, has words before them:
    the tap is in the byte of the output's number. Runs are those of four input channels' first
    outputs, then of their second ones; at last, where less than four input channels are left, of
    their outputs one after the other, the last run's repeated to four."""
    channels = given.weights.shape[2]
    taps = given.weights.reshape(-1, channels).T
    lanes = _lanes(channels, given.groups if given.groups > 1 else channels)
    words = np.concatenate(list(_words(taps, lanes)), axis=1)
    behind = tables(given, channels)[lanes].reshape(len(lanes), -1).view(np.int8)
    return np.concatenate([words.reshape(len(lanes), -1), behind], axis=1).reshape(-1)


def _words(taps: np.ndarray, lanes: np.ndarray) -> Iterator[np.ndarray]:
    """[run, pair, output, byte]. ``taps``: [channel, tap]."""
    count = taps.shape[1]
    if begins_alone(count):
        single = np.zeros((len(lanes), 1, GROUP, GROUP), np.int8)
        for i in range(GROUP):
            single[:, 0, i, i] = taps[lanes[:, i], 0]
        yield single
        taps = taps[:, 1:]
    pairs = max(-(-taps.shape[1] // 2), 1 if begins_alone(count) else FEWEST_PAIRS)
    full = np.zeros((len(taps), 2 * pairs), np.int8)
    full[:, : taps.shape[1]] = taps
    words = np.zeros((len(lanes), pairs, GROUP, 2, 2), np.int8)  # [run, pair, output, tap, byte]
    for i in range(GROUP):
        words[:, :, i, :, i % 2] = full[lanes[:, i]].reshape(len(lanes), pairs, 2)
    yield words.reshape(len(lanes), pairs, GROUP, GROUP)


def _lanes(channels: int, inputs: int) -> np.ndarray:
    """Outputs of each run."""
    each = channels // inputs
    whole = inputs // GROUP * GROUP
    fours = np.arange(whole).reshape(-1, 1, GROUP) * each + np.arange(each).reshape(1, -1, 1)
    left = range(whole * each, channels, GROUP)
    rest = [[first + i for i in _REPEATED[min(channels - first, GROUP)]] for first in left]
    return np.concatenate([fours.reshape(-1, GROUP), np.array(rest, int).reshape(-1, GROUP)])
