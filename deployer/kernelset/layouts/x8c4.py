"""Fully connected layers: two channels in a halfword, eight channels a block, all they need in one
piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.cortex_m import (
    GEMV_CHANNELS,
    GEMV_VALUES,
    MIN_GEMV_CHANNELS,
    WEIGHT_OVERREAD_BYTES,
)
from deployer.kernelset.blocking.cortex_m import (
    GEMV_CHUNK_VALUES as CHUNK,
)
from deployer.kernelset.layouts.parameters import Parameters


def x8c4(given: Parameters) -> np.ndarray:
    """OI to blocks of eight output channels, the last of 5 to 7 filled up; up to four in pairs, the
    last of an odd number by itself.

    A block is, for its pairs (a, b): the sums to begin with, the bias of a and that of a + 256b;
    for every four values the halfwords a + 256b of values 0 and 2 of all pairs, then of 1 and 3;
    the multipliers of all channels. A channel by itself is its bias, its bytes and its multiplier.
    Depth is filled up to eights with zeros.
    """
    channels = len(given.weights)
    parts = [
        _blocks(given, first, min(first + size, channels), size)
        for first, size in _firsts(channels)
    ]
    return np.concatenate([*parts, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def x8c4_chunks(given: Parameters) -> np.ndarray:
    """The same blocks for chunks of inputs, each chunk of a block a piece that begins with zeros,
    its multipliers zero: the kernel takes the arrays of biases and multipliers."""
    channels, depth = given.weights.shape
    nothing = np.zeros(channels, np.int32)
    chunks = [
        replace(given, weights=given.weights[:, k : k + CHUNK], bias=nothing, multiplier=nothing)
        for k in range(0, depth, CHUNK)
    ]
    parts = [
        _blocks(chunk, first, min(first + size, channels), size)
        for first, size in _firsts(channels)
        for chunk in chunks
    ]
    return np.concatenate([*parts, np.zeros(WEIGHT_OVERREAD_BYTES, np.int8)])


def _firsts(channels: int) -> Iterator[tuple[int, int]]:
    """The first channel of each block and its channels; so of pairs behind them, and the last."""
    whole = blocks_of(channels)[0] * GEMV_CHANNELS
    yield from ((first, GEMV_CHANNELS) for first in range(0, whole, GEMV_CHANNELS))
    yield from ((first, min(2, channels - first)) for first in range(whole, channels, 2))


def blocks_of(channels: int) -> tuple[int, int]:
    """Blocks of eight, the last maybe filled up, and channels left for pairs and one."""
    blocks = (channels + GEMV_CHANNELS - MIN_GEMV_CHANNELS) // GEMV_CHANNELS
    return blocks, max(0, channels - blocks * GEMV_CHANNELS)


def _blocks(given: Parameters, first: int, end: int, size: int) -> np.ndarray:
    """Channels ``first`` up to ``end`` in a block of ``size``, missing ones zero."""
    rows, depth = slice(first, end), given.weights.shape[1]
    full = np.zeros((size, -(-depth // GEMV_VALUES) * GEMV_VALUES), np.int8)
    full[: end - first, :depth] = given.weights[rows]
    multipliers = np.broadcast_to(given.multiplier, len(given.weights))
    bias = _column(given.bias[rows], size)
    parts = (
        bias if size == 1 else _begins(bias),
        full[0] if size == 1 else _shared(full),
        _column(multipliers[rows], size),
    )
    return np.concatenate([part.view(np.int8) for part in parts])


def _shared(full: np.ndarray) -> np.ndarray:
    """Halfwords a + 256b, in the order in which the kernel reads them."""
    pairs = full.astype(np.int32).reshape(len(full) // 2, 2, -1)
    shared = (pairs[:, 0] + 256 * pairs[:, 1]).astype("<i2")
    fours = shared.reshape(len(pairs), -1, 2, 2)  # [pair, four, which, half]
    return np.ascontiguousarray(fours.transpose(1, 3, 0, 2)).reshape(-1)


def _begins(bias: np.ndarray) -> np.ndarray:
    """(a, b) to a and a + 256b, which may wrap."""
    shared = bias[::2].astype(np.int64) + 256 * bias[1::2].astype(np.int64)
    return np.stack(
        [bias[::2], shared.astype(np.uint64).astype("<u4").view("<i4")], axis=1
    ).reshape(-1)


def _column(entries: np.ndarray, size: int) -> np.ndarray:
    full = np.zeros(size, "<i4")
    full[: len(entries)] = entries
    return full
