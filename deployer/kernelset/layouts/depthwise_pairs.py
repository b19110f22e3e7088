"""Depthwise convolutions on XpulpV2: weights of two taps at a time, as words of two channels meet
them."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.x4c4 import tables

FEWEST_PAIRS = 2  # the first one begins the sums
_REPEATED = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 2), 4: (0, 1, 2, 3)}


def pairs_of(kernel: tuple[int, int]) -> int:
    return max(-(-kernel[0] * kernel[1] // 2), FEWEST_PAIRS)


def depthwise_pairs(given: Parameters) -> np.ndarray:
    """HWC to a run for each four outputs: for each two taps a word of each output, then of each
    multiplier, addend and shift as int32, which "x4c4" explains. A word has the first tap in byte 0
    and the second in byte 2, of every other output in bytes 1 and 3, zeros elsewhere and for taps
    that fill up the twos. Runs are those of four input channels' first outputs, then of their
    second ones; at last, where less than four input channels are left, of their outputs one after
    the other, the last run's repeated to four."""
    *kernel, channels = given.weights.shape
    taps = given.weights.reshape(-1, channels).T
    pairs = pairs_of((kernel[0], kernel[1]))
    full = np.zeros((channels, 2 * pairs), np.int8)
    full[:, : taps.shape[1]] = taps
    lanes = _lanes(channels, given.groups if given.groups > 1 else channels)
    words = np.zeros((len(lanes), pairs, GROUP, 2, 2), np.int8)  # [run, pair, output, tap, byte]
    for i in range(GROUP):
        words[:, :, i, :, i % 2] = full[lanes[:, i]].reshape(len(lanes), pairs, 2)
    behind = tables(given, channels)[lanes].reshape(len(lanes), -1).view(np.int8)
    return np.concatenate([words.reshape(len(lanes), -1), behind], axis=1).reshape(-1)


def _lanes(channels: int, inputs: int) -> np.ndarray:
    """Outputs of each run."""
    each = channels // inputs
    whole = inputs // GROUP * GROUP
    fours = np.arange(whole).reshape(-1, 1, GROUP) * each + np.arange(each).reshape(1, -1, 1)
    left = range(whole * each, channels, GROUP)
    rest = [[first + i for i in _REPEATED[min(channels - first, GROUP)]] for first in left]
    return np.concatenate([fours.reshape(-1, GROUP), np.array(rest, int).reshape(-1, GROUP)])
