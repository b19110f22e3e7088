"""Convolution and fully connected layers on XpulpV2: four output channels at a time, packed as one
piece."""

from __future__ import annotations

import numpy as np

from deployer.ir import AFFINE, RequantRule
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.layouts.parameters import Parameters


def x4c4(given: Parameters) -> np.ndarray:
    """OHWI or OI to a piece for each four output channels: for every four values a word of each
    channel, then of each channel multiplier, addend and shift as int32. Zeros fill up.

    For the rules i32 and shift an output is (sum * multiplier + addend) >> shift of the sum of
    products alone: the bias is in the addend, which wraps where the result does not. For other
    rules the three are zero, and the kernel takes its tables.
    """
    channels = len(given.weights)
    flat = given.weights.reshape(channels, -1)
    rows, columns = -(-channels // GROUP) * GROUP, -(-flat.shape[1] // GROUP) * GROUP
    full = np.zeros((rows, columns), np.int8)
    full[:channels, : flat.shape[1]] = flat
    split = full.reshape(rows // GROUP, GROUP, columns // GROUP, GROUP)  # [group, channel, word, _]
    words = split.transpose(0, 2, 1, 3).reshape(rows // GROUP, -1)
    numbers = np.zeros((rows, 3), "<i4")
    numbers[:channels] = tables(given, channels)
    return np.concatenate(
        [words, numbers.reshape(rows // GROUP, -1).view(np.int8)], axis=1
    ).reshape(-1)


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
