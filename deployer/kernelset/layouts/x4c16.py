"""Convolution and fully connected layers on NEON: four output channels at a time, packed as one
piece."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import (
    BLOCK_CHANNELS,
    STEP_VALUES,
    WEIGHT_HEADER_BYTES,
)
from deployer.kernelset.layouts.parameters import Parameters

_LANES = STEP_VALUES // 2  # two products of a lane add up in 16 bits


def x4c16(given: Parameters) -> np.ndarray:
    """OHWI or OI to a header and a piece for each four output channels: for every sixteen values
    those of each channel, then biases, multipliers, roundings and negative shifts as int32. Zeros
    fill up. The header's first word is 1 where two products always fit 16 bits: nowhere has
    -128 eight values behind -128."""
    channels = len(given.weights)
    flat = given.weights.reshape(channels, -1)
    rows = -(-channels // BLOCK_CHANNELS) * BLOCK_CHANNELS
    columns = -(-flat.shape[1] // STEP_VALUES) * STEP_VALUES
    full = np.zeros((rows, columns), np.int8)
    full[:channels, : flat.shape[1]] = flat
    split = full.reshape(-1, BLOCK_CHANNELS, columns // STEP_VALUES, STEP_VALUES)
    products = split.transpose(0, 2, 1, 3).reshape(len(split), -1)
    tables = _tables(given, channels, rows).view(np.int8).reshape(len(split), -1)
    header = np.zeros(WEIGHT_HEADER_BYTES // 4, "<i4")
    header[0] = products_fit(full)
    pieces = np.concatenate([products, tables], axis=1)
    return np.concatenate([header.view(np.int8), pieces.reshape(-1)])


def products_fit(weights: np.ndarray) -> bool:
    """Of weights in whole steps: whether two products of a lane fit 16 bits, whatever the input."""
    pairs = weights.reshape(-1, 2, _LANES) == -128
    return not bool(pairs.all(axis=1).any())


def _tables(given: Parameters, channels: int, rows: int) -> np.ndarray:
    """[block, kind, channel]."""
    shift = -given.shift.astype(np.int32)
    kinds = [given.bias, given.multiplier, given.rounding, shift]
    full = np.zeros((len(kinds), rows), "<i4")
    for i, kind in enumerate(kinds):
        full[i, :channels] = np.broadcast_to(kind, channels) if len(kind) else 0
    return np.ascontiguousarray(
        full.reshape(len(kinds), -1, BLOCK_CHANNELS).transpose(1, 0, 2)
    )
