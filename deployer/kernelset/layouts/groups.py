"""Convolution on NEON, eight groups or more: an output of eight groups at a time, widened."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deployer.kernelset.blocking.neon import GROUP_LANES
from deployer.kernelset.layouts.neon_tables import channel_tables
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions


def lanes_of_groups(given: Parameters) -> np.ndarray:
    """OHWI to, for each eight groups, the last ones overlapping those before, and each output of a
    group: of every value int16 of each group, then of each group biases, multipliers, roundings and
    negative shifts as int32."""
    return np.concatenate(list(_pieces(given)))


def lanes_of_groups_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``lanes_of_groups``, the zero point folded into the biases."""
    return np.concatenate([lanes_of_groups(part) for part in convolutions(given)])


def _pieces(given: Parameters) -> Iterator[np.ndarray]:
    outputs = len(given.weights) // given.groups
    weights = given.weights.reshape(given.groups, outputs, -1).astype("<i2")
    tables = channel_tables(given).reshape(given.groups, outputs, -1)
    last = given.groups - GROUP_LANES
    for first in range(0, given.groups, GROUP_LANES):
        own = slice(min(first, last), min(first, last) + GROUP_LANES)
        for n in range(outputs):
            for part in (weights[own, n], tables[own, n]):
                yield np.ascontiguousarray(part.T).reshape(-1).view(np.int8)
