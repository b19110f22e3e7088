"""Convolution and fully connected layers on NEON: four output channels at a time, packed as one
piece."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.kernelset.blocking.neon import (
    MAX_MAGNITUDES,
    NARROW_BLOCK_CHANNELS,
    STEP_VALUES,
)
from deployer.kernelset.layouts.neon_tables import groups_of, tables_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions

_HEADER_BYTES = 16
_LANES = 8  # of 16 bits in a vector
_PAIR, _QUAD = 2, 4  # products that a lane adds up
# Cycles of a block of four pixels: 16 values by pairs, 32 by quads, a correction (block_s8_a64.h).
_PAIR_CYCLES, _QUAD_CYCLES, _CORRECTION_CYCLES = 73, 113, 14


@dataclass(frozen=True, eq=False)
class _Limited:
    """Weights [channel, value] whose products add up in lanes of 16 bits, and what that took from
    them, [block, channel, value]."""

    weights: np.ndarray
    excess: np.ndarray

    def cycles(self, steps: float) -> float:
        """Of a block of pixels by all channels; ``steps``: what the products take a channel."""
        return len(self.excess) * steps + _CORRECTION_CYCLES * len(self.corrected())

    def corrected(self) -> np.ndarray:
        """Blocks and values with an excess, in their order."""
        return np.argwhere(self.excess.any(axis=1))


def x4c16(given: Parameters) -> np.ndarray:
    """OHWI or OI to, for each group, a header, a piece for each four output channels, and
    corrections.

    A piece: for every sixteen values those of each channel; then biases, multipliers, roundings
    and negative shifts as int32, the place of its first correction and their count. Zeros fill up.
    A correction is a value's place and what its weights have in excess in each channel of the
    piece. The header: whether lanes add up four products (else two), and the bytes of all.
    """
    return np.concatenate([_group(part) for part in groups_of(given)])


def x4c16_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``x4c16``, the zero point folded into the biases."""
    return np.concatenate([x4c16(part) for part in convolutions(given)])


def _group(given: Parameters) -> np.ndarray:
    full = _filled(given.weights)
    blocks, steps = len(full) // NARROW_BLOCK_CHANNELS, full.shape[1] // STEP_VALUES
    quads, pairs = _limited(full, _QUAD), _limited(full, _PAIR)
    by_quads = quads.cycles(steps // 2 * _QUAD_CYCLES + steps % 2 * _PAIR_CYCLES)
    chosen = quads if by_quads <= pairs.cycles(steps * _PAIR_CYCLES) else pairs
    split = chosen.weights.reshape(blocks, NARROW_BLOCK_CHANNELS, steps, STEP_VALUES)
    products = split.transpose(0, 2, 1, 3).reshape(blocks, -1)
    corrected = chosen.corrected()
    tables = np.concatenate([tables_of(given, blocks), _places(corrected[:, 0], blocks)], axis=1)
    pieces = np.concatenate([products, _bytes(tables).reshape(blocks, -1)], axis=1).reshape(-1)
    listed = _bytes(_corrections(chosen.excess, corrected))
    total = _HEADER_BYTES + len(pieces) + len(listed)
    header = np.array([chosen is quads, total, 0, 0], "<i4")
    return np.concatenate([_bytes(header), pieces, listed])


def _filled(weights: np.ndarray) -> np.ndarray:
    """[channel, value], in whole blocks and steps."""
    flat = weights.reshape(len(weights), -1)
    missing = -len(flat) % NARROW_BLOCK_CHANNELS, -flat.shape[1] % STEP_VALUES
    return np.pad(flat, ((0, missing[0]), (0, missing[1])))


def _limited(weights: np.ndarray, products: int) -> _Limited:
    """``weights`` whose magnitudes in a lane of so many products are at most 255 in sum. What is
    left of an odd number of steps are pairs."""
    channels, values = weights.shape
    whole = values // (products * _LANES) * products * _LANES
    limited = weights.astype(np.int32)
    for begin, end, count in ((0, whole, products), (whole, values, _PAIR)):
        lanes = limited[:, begin:end].reshape(channels, -1, count, _LANES)
        limited[:, begin:end] = _cut(lanes).reshape(channels, -1)
    excess = (weights - limited).reshape(-1, NARROW_BLOCK_CHANNELS, values)
    return _Limited(limited.astype(np.int8), excess)


def _cut(lanes: np.ndarray) -> np.ndarray:
    """[channel, group, product, lane], the largest cut first."""
    cut = lanes.copy()
    for _ in range(lanes.shape[2]):
        over = np.maximum(np.abs(cut).sum(axis=2) - MAX_MAGNITUDES, 0)
        if not over.any():
            break
        largest = np.abs(cut).argmax(axis=2)[:, :, None]
        value = np.take_along_axis(cut, largest, axis=2)
        less = np.sign(value) * np.minimum(np.abs(value), over[:, :, None])
        np.put_along_axis(cut, largest, value - less, axis=2)
    return cut


def _places(owners: np.ndarray, blocks: int) -> np.ndarray:
    """[block, (first, count, 0, 0)] of corrections, whose blocks are ``owners`` in order."""
    counts = np.bincount(owners, minlength=blocks)
    places = np.zeros((blocks, 4), "<i4")
    places[:, 0], places[:, 1] = np.cumsum(counts) - counts, counts
    return places


def _corrections(excess: np.ndarray, corrected: np.ndarray) -> np.ndarray:
    """[correction, (value, excess of each channel)]."""
    blocks, values = corrected.T
    return np.concatenate([values[:, None], excess[blocks, :, values]], axis=1).astype("<i4")


def _bytes(words: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(words, "<i4").view(np.int8).reshape(-1)
