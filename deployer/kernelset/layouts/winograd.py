"""3x3 convolution as Winograd's F(2x2, 3x3): weights transformed off line."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts.parameters import Parameters

# G of the algorithm twice, so that all is integer: the kernel divides its sums by four
_TWICE_G = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], np.int16)


def winograd(given: Parameters) -> np.ndarray:
    """OHWI (3x3, four input channels or more) to a piece for each pair of output channels (a, b):
    both biases, both multipliers; then, for each of 16 positions, int16 a0 a2 b0 b2 a1 a3 b1 b3 of
    every four input channels. An odd channel's partner is zero. Where input channels are not in
    fours the last four begin earlier, with zeros for those that are there already."""
    filled = _in_fours(given.weights)
    channels, depth = len(filled), filled.shape[3]
    rows = channels + channels % 2
    full = np.zeros((rows, 16, depth), "<i2")
    full[:channels] = transformed(filled).reshape(channels, 16, depth)
    split = full.reshape(rows // 2, 2, 16, depth // 4, 2, 2)  # [pair, ab, position, four, half, eo]
    order = np.ascontiguousarray(split.transpose(0, 2, 3, 5, 1, 4))
    products = order.reshape(rows // 2, -1).view(np.int8)
    multiplier = np.broadcast_to(given.multiplier, channels)
    heads = (_by_pairs(given.bias, rows), _by_pairs(multiplier, rows))
    pieces = np.concatenate([*heads, products], axis=1)
    return np.concatenate([pieces.reshape(-1), np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def _in_fours(weights: np.ndarray) -> np.ndarray:
    rest = weights.shape[3] % 4
    if rest == 0:
        return weights
    again = np.zeros((*weights.shape[:3], 4 - rest), weights.dtype)
    return np.concatenate([weights[..., :-rest], again, weights[..., -rest:]], axis=3)


def transformed(weights: np.ndarray) -> np.ndarray:
    """Four times the weights at each of a tile's 4x4 positions, OHWI; within 12 bits."""
    wide = weights.astype(np.int16)
    spread: np.ndarray = np.einsum("iy,jx,oyxc->oijc", _TWICE_G, _TWICE_G, wide)
    return spread


def _by_pairs(column: np.ndarray, rows: int) -> np.ndarray:
    """int32 entries as bytes, two entries a row."""
    full = np.zeros(rows, "<i4")
    full[: len(column)] = column
    return full.view(np.int8).reshape(rows // 2, 8)
