"""Fully connected layers: two channels in a halfword."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.cortex_m import (
    GEMV_S16_CHANNELS,
    GEMV_VALUES,
    WEIGHT_OVERREAD_BYTES,
)
from deployer.kernelset.layouts.parameters import Parameters

_PAIR = 2


def x4c4_paired(given: Parameters) -> np.ndarray:
    """OI to fours of output channels (a to d), four values of each at a time: halfwords a + 256b of
    values 0 to 3, then c + 256d of the same. One or two channels behind them are a pair. Zeros fill
    up, the values to eights."""
    channels = len(given.weights)
    whole = (channels + 1) // GEMV_S16_CHANNELS * GEMV_S16_CHANNELS
    parts = [_blocks(given.weights[:whole], GEMV_S16_CHANNELS)] if whole else []
    parts += [_blocks(given.weights[whole:], _PAIR)] if whole < channels else []
    return np.concatenate([*parts, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def _blocks(weights: np.ndarray, size: int) -> np.ndarray:
    """Channels in blocks of ``size``, missing ones zero."""
    channels, depth = weights.shape
    rows, columns = -(-channels // size) * size, -(-depth // GEMV_VALUES) * GEMV_VALUES
    full = np.zeros((rows, columns), np.int16)
    full[:channels, :depth] = weights
    split = full.reshape(rows // size, size // 2, 2, columns // 4, 4)  # [block, pair, ab, four, _]
    shared = split[:, :, 0] + 256 * split[:, :, 1]  # [block, pair, four, value]
    order = shared.transpose(0, 2, 1, 3).astype("<i2")
    return np.ascontiguousarray(order).reshape(-1).view(np.int8)
