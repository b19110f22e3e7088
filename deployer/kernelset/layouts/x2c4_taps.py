"""Convolution of int16 read where it lies: pairs of output channels, taps in whole words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.cortex_m import LISTED_WORDS, WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions
from deployer.kernelset.layouts.x2c4 import packed_channels

_HALVES = 2  # values of a word


def words_of_tap(depth: int) -> int:
    """Words that hold ``depth`` values from an even or an odd one on; an even number of them where
    they are a run."""
    words = (depth + 1) // _HALVES
    return words + words % 2 if words > LISTED_WORDS else words


def x2c4_taps_ordered(given: Parameters) -> np.ndarray:
    """OHWI of groups to pieces as of ``x2c4_ordered``, none of two groups. A tap has whole words:
    zero is what lies before the first channel of a group that begins at an odd one, and behind the
    last."""
    return _ended(list(_groups(given)))


def x2c4_taps_remainders_ordered(given: Parameters) -> np.ndarray:
    """Of a transposed convolution: the same for each pair of remainders of its strides, the zero
    point folded into its biases as in ``x2c4_remainders``."""
    return _ended([piece for part in convolutions(given) for piece in _groups(part)])


def _groups(given: Parameters) -> Iterator[np.ndarray]:
    channels = len(given.weights) // given.groups
    multiplier = np.broadcast_to(given.multiplier, len(given.weights))
    for group in range(given.groups):
        rows = slice(group * channels, (group + 1) * channels)
        part = replace(
            given,
            weights=_in_words(given.weights[rows], group),
            bias=given.bias[rows],
            multiplier=multiplier[rows],
        )
        yield packed_channels(part, ordered=True)


def _in_words(weights: np.ndarray, group: int) -> np.ndarray:
    """[output, tap, value]"""
    depth = weights.shape[-1]
    before = group * depth % _HALVES
    behind = _HALVES * words_of_tap(depth) - depth - before
    flat = weights.reshape(len(weights), -1, depth)
    return np.pad(flat, ((0, 0), (0, 0), (before, behind)))


def _ended(pieces: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([*pieces, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])
