"""Transposed convolution: outputs of a row next to each other are channels of one pixel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import folded
from deployer.kernelset.layouts.x2c4 import in_rows, packed_channels


def x2c4_joined(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each remainder of its vertical stride the taps that
    meet it, reversed, as ``x2c4_rows``; its channels are those of the first remainder of the
    horizontal stride, then those of the next. All have as many taps as the first, others weights of
    zero. The zero point is folded into the biases as in ``x2c4_remainders``."""
    return _packed(given)


def x2c4_joined_ordered(given: Parameters) -> np.ndarray:
    """The same, each as ``x2c4_rows_ordered``."""
    return _packed(given, ordered=True)


def _packed(given: Parameters, *, ordered: bool = False) -> np.ndarray:
    pieces = (packed_channels(in_rows(part), ordered=ordered) for part in _rows(given))
    return np.concatenate([*pieces, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def _rows(given: Parameters) -> Iterator[Parameters]:
    down, across = given.stride
    count = len(given.weights)
    whole = replace(
        given,
        bias=np.tile(given.bias, across),
        multiplier=np.tile(np.broadcast_to(given.multiplier, count), across),
    )
    for y in range(down):
        weights = _joined(given.weights[:, y::down][:, ::-1], across)
        yield replace(whole, weights=weights, bias=folded(whole, weights))


def _joined(weights: np.ndarray, across: int) -> np.ndarray:
    """Columns of OHWI by their remainders."""
    channels, height, width, depth = weights.shape
    taps = -(-width // across)
    full = np.zeros((across, channels, height, taps, depth), np.int8)
    for x in range(across):
        own = weights[:, :, x::across]
        full[x, :, :, taps - own.shape[2] :] = own[:, :, ::-1]
    return full.reshape(across * channels, height, taps, depth)
