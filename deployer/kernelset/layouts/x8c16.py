"""Fully connected layers of int8 on NEON: eight output channels at a time, in the order in which a
kernel reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.neon import (
    NARROW_BLOCK_CHANNELS,
    ROW_BLOCK_CHANNELS,
    STEP_VALUES,
)
from deployer.kernelset.layouts.neon_tables import tables_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.quads import ROW_COSTS, Steps, steps_of

_PLACE_VALUES = 8  # places are counted in these
_VECTOR_PLACES, _READ_AHEAD = 8, 1  # places in a vector; those that are read behind the last
_CORRECTION_WORDS = 6


def x8c16(given: Parameters) -> np.ndarray:
    """OI to a piece for each eight output channels, then corrections. A last piece of four channels
    or fewer has four.

    A piece: the number of its first correction and their count, of quads of two steps and of steps
    behind them; where in the row each step is, in eights, as uint16; for every step of sixteen
    values those of each channel; then for each four channels biases, multipliers, roundings and
    negative shifts as int32. Zeros fill up. A correction: what the weights of a value have in
    excess in each channel of the piece as int16, and the value's place.
    """
    pieces: list[np.ndarray] = []
    corrections: list[np.ndarray] = []
    for part, channels in _parts(given):
        blocks = -(-len(part.weights) // channels)
        steps = steps_of(_filled(part.weights, blocks, channels), ROW_COSTS)
        listed = _corrections(steps)
        pieces.append(_pieces(part, steps, sum(map(len, corrections))))
        corrections.append(listed)
    return np.concatenate([_bytes(each).reshape(-1) for each in (*pieces, *corrections)])


def _parts(given: Parameters) -> Iterator[tuple[Parameters, int]]:
    """The channels of whole pieces and of the last one, with how many a piece has."""
    count = len(given.weights)
    left = count % ROW_BLOCK_CHANNELS
    whole = count - left if 0 < left <= NARROW_BLOCK_CHANNELS else count
    if whole:
        yield _cut(given, slice(0, whole)), ROW_BLOCK_CHANNELS
    if whole < count:
        yield _cut(given, slice(whole, count)), NARROW_BLOCK_CHANNELS


def _cut(given: Parameters, channels: slice) -> Parameters:
    tables = {
        name: table[channels] if len(table) > 1 else table
        for name in ("bias", "multiplier", "rounding", "shift")
        for table in (getattr(given, name),)
    }
    return replace(given, weights=given.weights[channels], **tables)


def _filled(weights: np.ndarray, blocks: int, channels: int) -> np.ndarray:
    """[piece, channel, step, value], in whole pieces and steps."""
    missing = blocks * channels - len(weights), -weights.shape[1] % STEP_VALUES
    full = np.pad(weights, ((0, missing[0]), (0, missing[1])))
    return full.reshape(blocks, channels, -1, STEP_VALUES)


def _pieces(given: Parameters, steps: Steps, first: int) -> np.ndarray:
    """[piece, byte]; ``first``: corrections of the pieces before."""
    blocks, _, channels, _ = steps.weights.shape
    fours = channels // NARROW_BLOCK_CHANNELS
    tables = _bytes(tables_of(given, blocks * fours)).reshape(blocks, -1)
    parts = [_bytes(_counts(steps, first)), _bytes(_places(steps))]
    return np.concatenate([*parts, steps.weights.reshape(blocks, -1), tables], axis=1)


def _counts(steps: Steps, first: int) -> np.ndarray:
    """[piece, (first correction, corrections, quads, pairs)]"""
    own = steps.excess.any(axis=2).sum(axis=(1, 2))
    pairs = steps.at.shape[1] - 2 * steps.quads
    return np.stack([first + np.cumsum(own) - own, own, steps.quads, pairs], axis=1).astype("<i4")


def _places(steps: Steps) -> np.ndarray:
    """[piece, place of each step], whole vectors."""
    count = steps.at.shape[1]
    zeros = _READ_AHEAD + -(count + _READ_AHEAD) % _VECTOR_PLACES
    eights = steps.at * (STEP_VALUES // _PLACE_VALUES)
    return np.pad(eights, ((0, 0), (0, zeros))).astype("<u2")


def _corrections(steps: Steps) -> np.ndarray:
    """[correction, word]"""
    blocks, order, values = np.argwhere(steps.excess.any(axis=2)).T
    found = np.zeros((len(blocks), 2 * _CORRECTION_WORDS), "<i2")
    excess = steps.excess[blocks, order, :, values]
    found[:, : excess.shape[1]] = excess
    words = found.view("<i4")
    words[:, ROW_BLOCK_CHANNELS // 2] = steps.at[blocks, order] * STEP_VALUES + values
    return words


def _bytes(words: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(words).view(np.int8)
