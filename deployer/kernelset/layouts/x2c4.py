"""Convolution: pairs of output channels, biases and multipliers packed with the weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts.parameters import Parameters


def x2c4(given: Parameters) -> np.ndarray:
    """OHWI to a piece for each pair of output channels (a, b): both biases, then four values of
    each at a time as the bytes a0 b0 a2 b2 a1 b1 a3 b3, then both multipliers. Missing values and
    an odd channel's partner are zero."""
    return np.concatenate([packed_channels(given), np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def x2c4_ordered(given: Parameters) -> np.ndarray:
    """The same with four values as a0 b0 a1 b1 a2 b2 a3 b3: neighbours share a word."""
    return np.concatenate(
        [packed_channels(given, ordered=True), np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)]
    )


def x2c4_rows(given: Parameters) -> np.ndarray:
    """As ``x2c4``, each kernel row's values filled up to fours with zeros."""
    return x2c4(in_rows(given))


def x2c4_rows_ordered(given: Parameters) -> np.ndarray:
    """As ``x2c4_ordered``, each kernel row's values filled up to fours with zeros."""
    return x2c4_ordered(in_rows(given))


def in_rows(given: Parameters) -> Parameters:
    """OHWI to output channels by kernel rows by their values, filled up to fours with zeros."""
    channels, height, width, depth = given.weights.shape
    rows = given.weights.reshape(channels, height, width * depth)
    filled = np.pad(rows, ((0, 0), (0, 0), (0, -width * depth % 4)))
    return replace(given, weights=filled)


def packed_channels(given: Parameters, *, ordered: bool = False) -> np.ndarray:
    """The pieces of all pairs, and nothing behind them."""
    channels = len(given.weights)
    flat = given.weights.reshape(channels, -1)
    rows, columns = channels + channels % 2, -(-flat.shape[1] // 4) * 4
    full = np.zeros((rows, columns), np.int8)
    full[:channels, : flat.shape[1]] = flat
    split = full.reshape(rows // 2, 2, columns // 4, 2, 2)  # [pair, ab, four, half, quarter]
    order = split.transpose(0, 2, *((3, 4) if ordered else (4, 3)), 1)
    parts = [_by_pairs(given.bias, rows), order.reshape(rows // 2, -1)]
    multiplier = np.broadcast_to(given.multiplier, channels)
    whole = np.concatenate([*parts, _by_pairs(multiplier, rows)], axis=1)
    return whole.reshape(-1)


def _by_pairs(column: np.ndarray, rows: int) -> np.ndarray:
    """int32 entries as bytes, two entries a row."""
    full = np.zeros(rows, "<i4")
    full[: len(column)] = column
    return full.view(np.int8).reshape(rows // 2, 8)
