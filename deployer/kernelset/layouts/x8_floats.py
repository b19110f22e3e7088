"""Products of floats on NEON: eight or sixteen output channels at a time, behind their biases."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import DENSE_FLOATS, WIDE_BLOCK_CHANNELS
from deployer.kernelset.layouts.neon_tables import groups_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions


def x8_floats(given: Parameters) -> np.ndarray:
    """OHWI to, for each group, a piece for each eight output channels: their biases, then of every
    value the weight of each. Zeros fill up channels."""
    return np.concatenate([_pieces(part, WIDE_BLOCK_CHANNELS) for part in groups_of(given)])


def x8_floats_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``x8_floats``."""
    return np.concatenate([x8_floats(part) for part in convolutions(given)])


def x16_floats(given: Parameters) -> np.ndarray:
    """OI to the same pieces, of sixteen output channels."""
    return _pieces(given, DENSE_FLOATS)


def _pieces(given: Parameters, block: int) -> np.ndarray:
    channels = len(given.weights)
    rows = np.concatenate([given.bias.reshape(channels, 1), given.weights.reshape(channels, -1)], 1)
    full = np.pad(rows, ((0, -channels % block), (0, 0))).astype("<f4")
    by_piece = full.reshape(-1, block, full.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(by_piece).reshape(-1)
