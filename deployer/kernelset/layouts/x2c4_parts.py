"""Grouped convolution: dense parts, each in pairs of output channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.parts import Parts, dense_weights, parts_of
from deployer.kernelset.layouts.remainders import convolutions
from deployer.kernelset.layouts.x2c4 import packed_channels


def x2c4_parts(given: Parameters) -> np.ndarray:
    """OHWI of groups to an int32, how many of them a part has, then each part as ``x2c4``; its
    values are fours of input channels, of each all taps (layouts/parts.py)."""
    return _ended(_packed_parts(given))


def x2c4_parts_ordered(given: Parameters) -> np.ndarray:
    """The same, each part as ``x2c4_ordered``."""
    return _ended(_packed_parts(given, ordered=True))


def x2c4_parts_remainders(given: Parameters) -> np.ndarray:
    """Of a transposed convolution: for each pair of remainders of its strides what ``x2c4_parts``
    has, the zero point folded into its biases as in ``x2c4_remainders``."""
    return _packed_remainders(given)


def x2c4_parts_remainders_ordered(given: Parameters) -> np.ndarray:
    """The same of ``x2c4_parts_ordered``."""
    return _packed_remainders(given, ordered=True)


def _packed_remainders(given: Parameters, *, ordered: bool = False) -> np.ndarray:
    pieces = (_packed_parts(part, ordered=ordered) for part in convolutions(given))
    return _ended(np.concatenate([*pieces]))


def _packed_parts(given: Parameters, *, ordered: bool = False) -> np.ndarray:
    channels, height, width, depth = given.weights.shape
    parts = parts_of(given.groups, depth, channels // given.groups, height * width)
    head = np.array([parts.together], "<i4").view(np.int8)
    pieces = (packed_channels(part, ordered=ordered) for part in _parts(given, parts))
    return np.concatenate([head, *pieces])


def _parts(given: Parameters, parts: Parts) -> Iterator[Parameters]:
    multiplier = np.broadcast_to(given.multiplier, len(given.weights))
    for first, weights in dense_weights(parts, given.weights):
        rows = slice(first, first + parts.outputs)
        yield replace(given, weights=weights, bias=given.bias[rows], multiplier=multiplier[rows])


def _ended(pieces: np.ndarray) -> np.ndarray:
    return np.concatenate([pieces, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])
