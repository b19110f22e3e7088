"""Convolution and fully connected layers on NEON: four output channels at a time, packed as one
piece."""

from __future__ import annotations

import numpy as np

from deployer.kernelset.blocking.neon import (
    HEADER_BYTES,
    NARROW_BLOCK_CHANNELS,
    STEP_VALUES,
)
from deployer.kernelset.layouts.neon_tables import groups_of, tables_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.quads import Steps, steps_of
from deployer.kernelset.layouts.remainders import convolutions

_VECTOR_WORDS, _READ_AHEAD = 4, 2  # words of a vector; places that are read behind the last


def x4c16(given: Parameters) -> np.ndarray:
    """OHWI or OI to, for each group, a header, a piece for each four output channels, and
    corrections.

    A piece: for every step of sixteen values those of each channel; then biases, multipliers,
    roundings and negative shifts as int32, the place of its first correction and their count, how
    many quads of two steps come first and how many steps behind them, and where in a window each
    step is. Zeros fill up. A correction: what the weights of a value have in excess in each channel
    of the piece as int16, and the value's place. The header: the bytes of all.
    """
    return np.concatenate([_group(part) for part in groups_of(given)])


def x4c16_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``x4c16``, the zero point folded into the biases."""
    return np.concatenate([x4c16(part) for part in convolutions(given)])


def _group(given: Parameters) -> np.ndarray:
    full = _filled(given.weights)
    blocks = len(full) // NARROW_BLOCK_CHANNELS
    steps = steps_of(full.reshape(blocks, NARROW_BLOCK_CHANNELS, -1, STEP_VALUES))
    corrected = np.argwhere(steps.excess.any(axis=2))  # piece, step, value
    tables = [tables_of(given, blocks), _counts(steps, corrected[:, 0]), _places(steps)]
    words = np.concatenate(tables, axis=1)
    pieces = np.concatenate([steps.weights.reshape(blocks, -1), _rows(words)], axis=1).reshape(-1)
    listed = _corrections(steps, corrected).reshape(-1)
    header = np.zeros(HEADER_BYTES // 4, "<i4")
    header[0] = HEADER_BYTES + len(pieces) + len(listed)
    return np.concatenate([header.view(np.int8), pieces, listed])


def _filled(weights: np.ndarray) -> np.ndarray:
    """[channel, value], in whole blocks and steps."""
    flat = weights.reshape(len(weights), -1)
    missing = -len(flat) % NARROW_BLOCK_CHANNELS, -flat.shape[1] % STEP_VALUES
    return np.pad(flat, ((0, missing[0]), (0, missing[1])))


def _counts(steps: Steps, owners: np.ndarray) -> np.ndarray:
    """[piece, (first correction, corrections, quads, pairs)]; ``owners``: the pieces of all."""
    blocks, count = steps.at.shape
    own = np.bincount(owners, minlength=blocks)
    columns = [np.cumsum(own) - own, own, steps.quads, count - 2 * steps.quads]
    return np.stack(columns, axis=1).astype("<i4")


def _places(steps: Steps) -> np.ndarray:
    """[piece, place of each step], whole vectors."""
    count = steps.at.shape[1]
    zeros = _READ_AHEAD + -(count + _READ_AHEAD) % _VECTOR_WORDS
    return np.pad(steps.at * STEP_VALUES, ((0, 0), (0, zeros))).astype("<i4")


def _corrections(steps: Steps, corrected: np.ndarray) -> np.ndarray:
    """[correction, byte]."""
    blocks, order, values = corrected.T
    words = np.zeros((len(corrected), _VECTOR_WORDS), "<i4")
    words[:, :2] = np.ascontiguousarray(steps.excess[blocks, order, :, values], "<i2").view("<i4")
    words[:, 2] = steps.at[blocks, order] * STEP_VALUES + values
    return _rows(words)


def _rows(words: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(words, "<i4").view(np.int8)
