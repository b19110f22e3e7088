"""Chunks of inputs of a dense layer: the halfwords of all give the sums of products."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.blocking.cortex_m import GEMV_CHUNK_VALUES, WEIGHT_OVERREAD_BYTES
from deployer.kernelset.layouts import Parameters, WeightLayout, packed, packed_bytes

BLOCK = 8


def _sums(words: np.ndarray, x: np.ndarray, channels: int) -> tuple[np.ndarray, int]:
    """Those of a chunk of a block of ``channels`` at the front, and the words it takes: zeros to
    begin with, for every four values 0 2 of all pairs and 1 3 of all, room for multipliers. One
    channel has bytes."""
    if channels == 1:
        return _sum_of_one(words, x)
    pairs, fours = channels // 2, -(-len(x) // 8) * 2
    size = channels + fours * 2 * pairs + channels
    assert not words[:channels].any()
    body = words[channels : size - channels].view("<i2").astype(np.int64)
    filled = np.zeros(fours * 4, np.int64)
    filled[: len(x)] = x
    column = filled.reshape(fours, 2, 2).transpose(0, 2, 1)  # [four, which, half]
    both = np.einsum("fwph,fwh->p", body.reshape(fours, 2, pairs, 2), column)
    lower = np.einsum(
        "fwph,fwh->p", body.reshape(fours, 2, pairs, 2).astype(np.int8).astype(np.int64), column
    )
    assert np.abs((both - lower) >> 8).max() < 1 << 23
    return np.stack([lower, (both - lower) >> 8], axis=1).reshape(-1), size


def _sum_of_one(words: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, int]:
    size = -(-len(x) // 8) * 2
    body = words[1 : 1 + size].view("<i1").astype(np.int64)
    assert not words[0]
    assert not words[1 + size]
    assert not body[len(x) :].any()
    return np.array([body[: len(x)] @ x]), size + 2


@given(st.integers(1, 18), st.sampled_from([1, 500, 504, 505, 1011, 2100]), st.integers(0, 9))
def test_sums_of_chunks_add_up(channels: int, depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.choice(np.array([-127, 127, 3], np.int8), (channels, depth))
    x = rng.choice(np.array([-128, 127]), depth)
    numbers = np.arange(channels, dtype=np.int32)
    flat = packed(WeightLayout.X8C4_CHUNKS, Parameters(weights, numbers, numbers))
    assert packed_bytes(WeightLayout.X8C4_CHUNKS, weights, (1, 1)) == flat.nbytes
    words, found = flat[:-WEIGHT_OVERREAD_BYTES].view("<i4"), []
    while words.size:
        left = channels - len(found)
        size = BLOCK if left > 4 else min(2, left)
        total = np.zeros(size, np.int64)
        for k in range(0, depth, GEMV_CHUNK_VALUES):
            part, taken = _sums(words, x[k : k + GEMV_CHUNK_VALUES], size)
            total, words = total + part, words[taken:]
        found += [*total]
    assert np.array_equal(found[:channels], weights.astype(np.int64) @ x)
    assert not any(found[channels:])
