"""Fully connected layers: two channels in a halfword."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.cortex_m import (
    GEMV_S16_CHANNELS,
    GEMV_VALUES,
    WEIGHT_OVERREAD_BYTES,
)
from deployer.kernelset.layouts.parameters import Parameters


def x4c4_paired(given: Parameters) -> np.ndarray:
    """OI to fours of output channels (a to d), four values of each at a time: halfwords a + 256b of
    values 0 2 1 3, then c + 256d of the same. Zeros fill up."""
    channels, depth = given.weights.shape
    rows = -(-channels // GEMV_S16_CHANNELS) * GEMV_S16_CHANNELS
    columns = -(-depth // GEMV_VALUES) * GEMV_VALUES
    full = np.zeros((rows, columns), np.int16)
    full[:channels, :depth] = given.weights
    split = full.reshape(
        rows // 4, 2, 2, columns // 4, 2, 2
    )  # [block, pair, ab, four, which, half]
    shared = split[:, :, 0] + 256 * split[:, :, 1]  # [block, pair, four, which, half]
    order = shared.transpose(0, 2, 1, 4, 3).astype("<i2")  # [block, four, pair, half, which]
    flat = np.ascontiguousarray(order).reshape(-1).view(np.int8)
    return np.concatenate([flat, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])
