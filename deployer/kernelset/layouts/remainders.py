"""Transposed convolution: an ordinary one for each remainder of the strides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.ir import AFFINE
from deployer.kernelset.blocking.cortex_m import STREAM_OVERREAD_BYTES
from deployer.kernelset.layouts.fours import fours
from deployer.kernelset.layouts.pairs import stream
from deployer.kernelset.layouts.parameters import Parameters


def remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``pairs``. The zero point is folded into each one's biases, since taps
    outside the input read it."""
    behind = np.zeros(STREAM_OVERREAD_BYTES, np.int8)
    return np.concatenate([*map(stream, _convolutions(given)), behind])


def fours_remainders(given: Parameters) -> np.ndarray:
    """The same, each as ``fours``; for rules whose tables that does not hold its biases follow, as
    int32."""
    return np.concatenate([piece for part in _convolutions(given) for piece in _with_biases(part)])


def _with_biases(part: Parameters) -> tuple[np.ndarray, ...]:
    weights = fours(part)
    if part.rule in AFFINE:
        return (weights,)
    return weights, part.bias.astype("<i4").view(np.int8)


def _convolutions(given: Parameters) -> Iterator[Parameters]:
    """Remainder after remainder, those of the rows first."""
    down, across = given.stride
    for y in range(down):
        for x in range(across):
            weights = given.weights[:, y::down, x::across][:, ::-1, ::-1]
            sums = weights.astype(np.int32).sum(axis=(1, 2, 3))
            yield replace(given, weights=weights, bias=given.bias - given.zero * sums)
