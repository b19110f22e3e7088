"""Depthwise convolution on NEON: eight channels of a tap at a time."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import (
    BLOCK_CHANNELS,
    DEPTHWISE_CHANNELS,
    HEADER_BYTES,
    MAX_MAGNITUDES,
)
from deployer.kernelset.layouts.parameters import Parameters


def taps_c8(given: Parameters) -> np.ndarray:
    """HWC, at least eight channels, to a header and a piece for each eight channels: of each tap
    those, a tap of zeros behind an odd number, then for each four channels biases, multipliers,
    roundings and negative shifts as int32. The last piece is that of the last eight. The header's
    first word is 1 where the products of a tap and the next one always fit 16 bits in sum."""
    channels = given.weights.shape[-1]
    taps = given.weights.reshape(-1, channels)
    taps = np.pad(taps, ((0, len(taps) % 2), (0, 0)))
    firsts = [min(c, channels - DEPTHWISE_CHANNELS) for c in range(0, channels, DEPTHWISE_CHANNELS)]
    lanes = np.array(firsts)[:, None] + np.arange(DEPTHWISE_CHANNELS)  # [piece, lane]
    weights = taps[:, lanes].transpose(1, 0, 2).reshape(len(lanes), -1)
    header = np.zeros(HEADER_BYTES // 4, "<i4")
    header[0] = _pairs_fit(taps)
    tables = _tables(given, channels)[:, lanes].reshape(4, len(lanes), -1, BLOCK_CHANNELS)
    ordered = np.ascontiguousarray(tables.transpose(1, 2, 0, 3)).view(np.int8)
    pieces = np.concatenate([weights, ordered.reshape(len(lanes), -1)], axis=1)
    return np.concatenate([header.view(np.int8), pieces.reshape(-1)])


def _pairs_fit(taps: np.ndarray) -> bool:
    magnitudes = np.abs(taps.astype(np.int32)).reshape(-1, 2, taps.shape[-1]).sum(axis=1)
    return int(magnitudes.max()) <= MAX_MAGNITUDES


def _tables(given: Parameters, channels: int) -> np.ndarray:
    """[kind, channel]."""
    kinds = [given.bias, given.multiplier, given.rounding, -given.shift.astype(np.int32)]
    full = np.zeros((len(kinds), channels), "<i4")
    for i, kind in enumerate(kinds):
        full[i] = np.broadcast_to(kind, channels) if len(kind) else 0
    return full
