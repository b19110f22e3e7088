"""Transposed convolution: an ordinary one for each remainder of the strides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.kernelset.layouts.pairs import stream
from deployer.kernelset.layouts.parameters import BEYOND, Parameters


def remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``pairs``. The zero point is folded into each one's biases, since taps
    outside the input read it."""
    down, across = given.stride
    parts = [_remainder(given, y, x) for y in range(down) for x in range(across)]
    return np.concatenate([*parts, np.zeros(BEYOND, np.int8)])


def _remainder(given: Parameters, y: int, x: int) -> np.ndarray:
    down, across = given.stride
    weights = given.weights[:, y::down, x::across][:, ::-1, ::-1]
    sums = weights.astype(np.int32).sum(axis=(1, 2, 3))
    return stream(replace(given, weights=weights, bias=given.bias - given.zero * sums))
