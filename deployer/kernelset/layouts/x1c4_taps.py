"""Grouped convolution, one output channel at a time: taps in the words of four input channels that
their group lies in."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.cortex_m import SINGLE_WORDS
from deployer.kernelset.layouts.parameters import Parameters

_FOUR = 4  # channels of a word


def words_of_bytes(depth: int) -> int:
    """Words that hold ``depth`` channels of any group, whose first lies anywhere in a word where
    ``depth`` is odd; what an entry of the list cannot take, in equal entries."""
    before = 0 if depth % 4 == 0 else 2 if depth % 2 == 0 else 3
    words = -(-(depth + before) // _FOUR)
    return words + words % 2 if words > SINGLE_WORDS else words


def entries_of_tap(depth: int) -> int:
    """Of the list."""
    words = words_of_bytes(depth)
    if words <= SINGLE_WORDS:
        return 1
    return words // next(each for each in (4, 3, 2) if words % each == 0)


def x1c4_taps(given: Parameters) -> np.ndarray:
    """OHWI of groups to bytes: of an output channel all taps, each ``words_of_bytes``. Its group's
    first channel lies in the first word, unless words behind the last channel would be reached:
    then the words end there. Zero are the weights of other groups' channels."""
    channels, _, _, depth = given.weights.shape
    words = words_of_bytes(depth)
    taps = given.weights.reshape(channels, -1, depth)
    full = np.zeros((channels, taps.shape[1], _FOUR * words), np.int8)
    last = given.groups * depth - _FOUR * words
    for channel, own in enumerate(taps):
        begin = channel // (channels // given.groups) * depth
        at = begin - min(begin // _FOUR * _FOUR, last)
        full[channel, :, at : at + depth] = own
    return full.reshape(-1)
