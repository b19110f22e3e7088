"""Depthwise convolution on NEON: eight channels of a tap at a time."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import (
    DEPTHWISE_CHANNELS,
    HEADER_BYTES,
    MAX_MAGNITUDES,
    NARROW_BLOCK_CHANNELS,
)
from deployer.kernelset.layouts.parameters import Parameters


def taps_c8(given: Parameters) -> np.ndarray:
    """HWC to a header and a piece for each eight channels: of each tap those, a tap of zeros behind
    an odd number, then for each four channels biases, multipliers, roundings and negative shifts
    as int32. The last piece is that of the last eight; zeros fill up fewer. The header's first word
    is 1 where the products of a tap and the next one always fit 16 bits in sum."""
    taps = _in_pairs(given.weights)
    header = np.zeros(HEADER_BYTES // 4, "<i4")
    header[0] = _pairs_fit(taps)
    return np.concatenate([header.view(np.int8), _pieces(given, taps)])


def taps_c8_wide(given: Parameters) -> np.ndarray:
    """The same without a header, taps as int16."""
    return _pieces(given, _in_pairs(given.weights).astype("<i2"))


def taps_c8_floats(given: Parameters) -> np.ndarray:
    """HWC to the same pieces of floats, of which the last eight of each are biases."""
    taps = _in_pairs(given.weights)
    rows = np.concatenate([taps, given.bias.reshape(1, -1)])
    filled = max(rows.shape[1], DEPTHWISE_CHANNELS)
    full = np.pad(rows, ((0, 0), (0, filled - rows.shape[1])))
    by_piece = full[:, _lanes(filled)].transpose(1, 0, 2)
    return np.ascontiguousarray(by_piece).astype("<f4").reshape(-1)


def _lanes(channels: int) -> np.ndarray:
    """[piece, lane]: the channels of each; the last piece is that of the last eight."""
    last = channels - DEPTHWISE_CHANNELS
    firsts = [min(c, last) for c in range(0, channels, DEPTHWISE_CHANNELS)]
    return np.array(firsts)[:, None] + np.arange(DEPTHWISE_CHANNELS)


def _in_pairs(weights: np.ndarray) -> np.ndarray:
    """[tap, channel], an even number of taps."""
    taps = weights.reshape(-1, weights.shape[-1])
    return np.pad(taps, ((0, len(taps) % 2), (0, 0)))


def _pieces(given: Parameters, taps: np.ndarray) -> np.ndarray:
    channels = taps.shape[1]
    filled = max(channels, DEPTHWISE_CHANNELS)
    taps = np.pad(taps, ((0, 0), (0, filled - channels)))
    lanes = _lanes(filled)
    by_piece = np.ascontiguousarray(taps[:, lanes].transpose(1, 0, 2)).view(np.int8)
    tables = _tables(given, channels, filled)[:, lanes]
    by_fours = tables.reshape(4, len(lanes), -1, NARROW_BLOCK_CHANNELS).transpose(1, 2, 0, 3)
    ordered = np.ascontiguousarray(by_fours).view(np.int8)
    parts = [each.reshape(len(lanes), -1) for each in (by_piece, ordered)]
    return np.concatenate(parts, axis=1).reshape(-1)


def _pairs_fit(taps: np.ndarray) -> bool:
    magnitudes = np.abs(taps.astype(np.int32)).reshape(-1, 2, taps.shape[-1]).sum(axis=1)
    return int(magnitudes.max()) <= MAX_MAGNITUDES


def _tables(given: Parameters, channels: int, filled: int) -> np.ndarray:
    """[kind, channel]."""
    kinds = [given.bias, given.multiplier, given.rounding, -given.shift.astype(np.int32)]
    full = np.zeros((len(kinds), filled), "<i4")
    for i, kind in enumerate(kinds):
        full[i, :channels] = np.broadcast_to(kind, channels) if len(kind) else 0
    return full
