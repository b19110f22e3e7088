"""Weights for activations of int16 on XpulpV2, read back as its kernels read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed, piece_sections

TABLES = 48  # bytes of a piece


def parameters(shape: tuple[int, ...], channels: int, groups: int = 1) -> Parameters:
    rng = np.random.default_rng(sum(shape) * 31 + channels)
    weights = rng.integers(1, 128, shape).astype(np.int8)  # no zero, as what fills up is
    bias, multiplier = (rng.integers(1, 2**10, channels).astype(np.int32) for _ in range(2))
    rounding = rng.integers(1, 2**20, channels).astype(np.int32)
    shift = rng.integers(8, 24, channels).astype(np.uint8)
    return Parameters(
        weights, bias, multiplier, rule="i32", rounding=rounding, shift=shift, groups=groups
    )


def pieces(layout: WeightLayout, of: Parameters, count: int) -> tuple[np.ndarray, np.ndarray]:
    """[piece, word, channel, value] and the tables, [channel, entry]."""
    stream = packed(layout, of).reshape(count, -1)
    words = np.ascontiguousarray(stream[:, :-TABLES]).view("<i2").reshape(count, -1, 4, 2)
    return words, np.ascontiguousarray(stream[:, -TABLES:]).view("<i4").reshape(-1, 3)


@given(st.integers(1, 9), st.integers(1, 7), st.sampled_from([(1, 1), (3, 3), (1, 4)]))
def test_a_tap_of_a_convolution_is_whole_words(
    channels: int, depth: int, kernel: tuple[int, int]
) -> None:
    of = parameters((channels, *kernel, depth), channels)
    words, tables = pieces(WeightLayout.X4C2_RUNS, of, -(-channels // 4))
    taps = words.reshape(len(words), kernel[0] * kernel[1], -1, 4, 2)
    values = taps.transpose(0, 3, 1, 2, 4).reshape(4 * len(words), taps.shape[1], -1)
    assert np.array_equal(values[:channels, :, :depth], of.weights.reshape(channels, -1, depth))
    assert np.count_nonzero(words) == of.weights.size
    assert np.array_equal(tables[:channels, 0], of.multiplier)
    assert not tables[channels:].any()


@pytest.mark.parametrize("each", [1, 3, 4, 6])
def test_groups_begin_with_pieces_of_their_own(each: int) -> None:
    of = parameters((3 * each, 1, 2, 5), 3 * each, groups=3)
    per_group = -(-each // 4)
    words, tables = pieces(WeightLayout.X4C2_RUNS, of, 3 * per_group)
    first = np.arange(3) * per_group
    assert np.array_equal(words[first, 0, 0, 0], of.weights[::each, 0, 0, 0])
    assert np.array_equal(tables[4 * first, 0], of.multiplier[::each])


def test_remainders_follow_one_another() -> None:
    of = replace(parameters((5, 3, 2, 3), 5), stride=(2, 1))
    parts = [replace(of, weights=of.weights[:, y::2][:, ::-1, ::-1]) for y in range(2)]
    expected = [packed(WeightLayout.X4C2_RUNS, part) for part in parts]
    assert np.array_equal(packed(WeightLayout.X4C2_REMAINDERS, of), np.concatenate(expected))
    sections = piece_sections(of.weights, of.stride, 1, 2)
    assert [2 * size for size in sections] == [len(part) for part in expected]


def test_a_dense_layer_is_that_of_the_bytes_of_its_input() -> None:
    of = parameters((5, 6), 5)
    x = np.array([-32768, 32767, -1, 0, 255, -129], np.int32)
    stream = packed(WeightLayout.X4C4_HALVES, of).reshape(2, -1)
    words = stream[:, :-TABLES].reshape(2, -1, 4, 4).transpose(0, 2, 1, 3).reshape(8, -1)
    tables = np.ascontiguousarray(stream[:, -TABLES:]).view("<i4").reshape(-1, 3)
    high, low = (np.pad(half, (0, 2)) for half in (x >> 8, (x & 255) - 128))
    sums = (words.astype(np.int32) @ (256 * high + low))[:5].astype(np.uint32)
    made = sums * tables[:5, 0].astype(np.uint32) + tables[:5, 1].astype(np.uint32)
    whole = of.weights.astype(np.int64) @ x + of.bias
    expected = whole * of.multiplier + of.rounding
    assert np.array_equal(made, expected.astype(np.uint32))


@given(st.integers(2, 13), st.integers(1, 5), st.sampled_from([(3, 3), (1, 5), (2, 1)]))
def test_a_depthwise_weight_meets_its_channel_alone(
    inputs: int, multiplier: int, kernel: tuple[int, int]
) -> None:
    channels = inputs * multiplier
    of = parameters((*kernel, channels), channels, groups=inputs)
    words, tables = pieces(WeightLayout.DEPTHWISE_WIDE, of, -(-channels // 4))
    output = np.arange(4 * len(words))
    pixel = np.append(np.arange(1, inputs + 1), np.zeros(len(output)))  # nothing behind it
    first = output // 2 * 2 // multiplier  # channel of the word that an output is a half of
    read = np.stack([pixel[first], pixel[first + 1]], axis=1).reshape(-1, 1, 4, 2)
    sums = (words * read).sum(axis=3).transpose(0, 2, 1).reshape(len(output), -1)
    own = pixel[output // multiplier][:channels, None]
    assert np.array_equal(sums[:channels], of.weights.reshape(-1, channels).T * own)
    assert np.count_nonzero(words) == of.weights.size
    assert np.array_equal(tables[:channels, 0], of.multiplier)
