"""Convolution on NEON, many channels and few outputs a group: eight values of an output at a time,
widened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.neon import DEEP_OUTPUTS, WIDE_STEP_VALUES
from deployer.kernelset.layouts.neon_tables import channel_tables, groups_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions


def deep(given: Parameters) -> np.ndarray:
    """OHWI to, for each group, pieces of two output channels, and of one that is left: of every tap
    and eight input channels int16 of each output, then of each output bias, multiplier, rounding
    and negative shift as int32. The last eight channels begin earlier where they are not filled,
    with zeros for those that the eight before have. Biases have no share of the zero point, which
    is taken away from every value."""
    return np.concatenate([piece for part in groups_of(given) for piece in _pieces(part)])


def deep_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``deep``."""
    return np.concatenate([deep(part) for part in convolutions(given)])


def _pieces(given: Parameters) -> Iterator[np.ndarray]:
    depth = given.weights.shape[-1]
    tables = channel_tables(replace(given, bias=_unfolded(given)))
    whole = depth // WIDE_STEP_VALUES * WIDE_STEP_VALUES
    flat = given.weights.reshape(len(given.weights), -1, depth).astype("<i2")
    zeros = np.zeros((*flat.shape[:2], -depth % WIDE_STEP_VALUES), "<i2")
    full = np.concatenate([flat[..., :whole], zeros, flat[..., whole:]], axis=2)
    steps = full.reshape(len(flat), -1, WIDE_STEP_VALUES)  # [output, step of a tap, value]
    for first in range(0, len(flat), DEEP_OUTPUTS):
        own = slice(first, first + DEEP_OUTPUTS)
        yield np.ascontiguousarray(steps[own].transpose(1, 0, 2)).reshape(-1).view(np.int8)
        yield tables[own].reshape(-1).view(np.int8)


def _unfolded(given: Parameters) -> np.ndarray:
    others = tuple(range(1, given.weights.ndim))
    sums = given.weights.sum(axis=others, dtype=np.int64)
    return np.asarray(given.bias + given.zero * sums).astype(np.int32)
