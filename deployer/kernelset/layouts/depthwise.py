"""Depthwise convolutions: taps in the pairs that products of ARMv7E-M add; on XpulpV2 a channel's
taps and tables in one run."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import TABLE_BYTES
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.x4c4 import tables


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


def taps_3x3(given: Parameters) -> np.ndarray:
    """HWC, 3 by 3, to int16 per channel: for each column of taps w0 w1 w1 w2 from the top."""
    taps = given.weights.astype("<i2").transpose(2, 1, 0)  # [channel, column, row]
    return np.ascontiguousarray(taps[..., [0, 1, 1, 2]]).view(np.int8).reshape(-1)
