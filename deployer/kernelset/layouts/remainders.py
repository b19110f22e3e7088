"""Transposed convolution: an ordinary one for each remainder of the strides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from deployer.ir import AFFINE
from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import TABLE_BYTES
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.x2c4 import in_rows, packed_channels
from deployer.kernelset.layouts.x4c4 import PAIR, window_runs, x4c2_runs, x4c4_runs

Sides = tuple[int, int]


def x2c4_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``x2c4_rows``. The zero point is folded into each one's biases, since
    taps outside the input read it."""
    return _packed_remainders(given)


def x2c4_remainders_ordered(given: Parameters) -> np.ndarray:
    """The same, each as ``x2c4_rows_ordered``."""
    return _packed_remainders(given, ordered=True)


def _packed_remainders(given: Parameters, *, ordered: bool = False) -> np.ndarray:
    pieces = (packed_channels(in_rows(part), ordered=ordered) for part in convolutions(given))
    return np.concatenate([*pieces, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def x4c4_remainders(given: Parameters) -> np.ndarray:
    """The same, each as ``x4c4_runs``; but for the rules i32 and shift its biases follow, as
    int32."""
    return np.concatenate([piece for part in convolutions(given) for piece in _with_biases(part)])


def x4c2_remainders(given: Parameters) -> np.ndarray:
    """The same, each as ``x4c2_runs``, whose zero point is none."""
    return np.concatenate([x4c2_runs(part) for part in convolutions(given)])


def piece_sections(
    weights: np.ndarray, stride: Sides, groups: int, element: int = 1
) -> tuple[int, ...]:
    """Bytes of four channels in each remainder's part of ``x4c4_remainders``, without biases, or of
    ``x4c2_remainders`` where a value of the input has two bytes."""
    found = []
    for y, x in product(*map(range, stride)):
        height, width, inputs = weights[:, y :: stride[0], x :: stride[1]].shape[1:]
        words = window_runs(height, width, inputs, along=groups == 1).words
        if element > 1:
            words = height * width * -(-inputs // PAIR)
        found.append(GROUP * (4 * words + TABLE_BYTES))
    return tuple(found)


def _with_biases(part: Parameters) -> tuple[np.ndarray, ...]:
    weights = x4c4_runs(part)
    if part.rule in AFFINE:
        return (weights,)
    return weights, part.bias.astype("<i4").view(np.int8)


def convolutions(given: Parameters) -> Iterator[Parameters]:
    """The ordinary convolutions of a transposed one, remainder after remainder of its strides,
    those of the rows first."""
    down, across = given.stride
    for y in range(down):
        for x in range(across):
            weights = given.weights[:, y::down, x::across][:, ::-1, ::-1]
            yield replace(given, weights=weights, bias=folded(given, weights))


def folded(given: Parameters, weights: np.ndarray) -> np.ndarray:
    """Biases that take the zero point along; floats have none."""
    if not given.zero:
        return given.bias
    sums = weights.astype(np.int32).sum(axis=(1, 2, 3))
    return np.asarray(given.bias - given.zero * sums)
