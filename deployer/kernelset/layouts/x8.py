"""Convolution of int16 on NEON: weights widened, eight output channels at a time."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import (
    NARROW_BLOCK_CHANNELS,
    WIDE_BLOCK_CHANNELS,
    WIDE_STEP_VALUES,
)
from deployer.kernelset.layouts.neon_tables import groups_of, tables_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions


def x8(given: Parameters) -> np.ndarray:
    """OHWI to, for each group, a piece for each eight output channels: of every value int16 of
    each channel, then for each four channels biases, multipliers, roundings and negative shifts as
    int32. Zeros fill up channels, and values to eights."""
    return np.concatenate([_group(part) for part in groups_of(given)])


def x8_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``x8``, the zero point folded into the biases."""
    return np.concatenate([x8(part) for part in convolutions(given)])


def _group(given: Parameters) -> np.ndarray:
    flat = given.weights.reshape(len(given.weights), -1)
    missing = -len(flat) % WIDE_BLOCK_CHANNELS, -flat.shape[1] % WIDE_STEP_VALUES
    full = np.pad(flat, ((0, missing[0]), (0, missing[1]))).astype("<i2")
    by_value = full.reshape(-1, WIDE_BLOCK_CHANNELS, full.shape[1]).transpose(0, 2, 1)
    values = np.ascontiguousarray(by_value).view(np.int8).reshape(len(by_value), -1)
    tables = tables_of(given, len(full) // NARROW_BLOCK_CHANNELS).view(np.int8)
    return np.concatenate([values, tables.reshape(len(values), -1)], axis=1).reshape(-1)
