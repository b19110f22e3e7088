"""Weights of floats on NEON: pieces of channels, each behind its biases."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.kernelset.layouts import Parameters, WeightLayout, packed


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def assert_pieces(flat: np.ndarray, weights: np.ndarray, bias: np.ndarray, block: int) -> None:
    """``flat`` holds whole blocks of channels; those that fill up are zero."""
    rows = weights.reshape(len(weights), -1)
    assert flat.dtype == np.float32
    read = flat.reshape(-1, 1 + rows.shape[1], block).transpose(0, 2, 1)
    read = read.reshape(-1, 1 + rows.shape[1])
    assert len(read) == -(-len(rows) // block) * block
    assert np.array_equal(read[: len(rows), 0], bias)
    assert np.array_equal(read[: len(rows), 1:], rows)
    assert not read[len(rows) :].any()


@pytest.mark.parametrize("channels", [1, 8, 9, 16])
def test_a_value_lies_before_the_next_one_of_eight_channels(channels: int) -> None:
    weights, bias = drawn(channels, 3, 2, 5), drawn(channels)
    flat = packed(WeightLayout.X8_FLOATS, Parameters(weights, bias))
    assert_pieces(flat, weights, bias, 8)


@pytest.mark.parametrize("channels", [1, 16, 21])
def test_dense_layers_take_sixteen_channels(channels: int) -> None:
    weights, bias = drawn(channels, 7), drawn(channels)
    flat = packed(WeightLayout.X16_FLOATS, Parameters(weights, bias))
    assert_pieces(flat, weights, bias, 16)


def test_a_group_begins_a_piece() -> None:
    weights, bias = drawn(6, 1, 1, 4), drawn(6)
    flat = packed(WeightLayout.X8_FLOATS, Parameters(weights, bias, groups=2))
    halves = np.split(flat, 2)
    assert_pieces(halves[0], weights[:3], bias[:3], 8)
    assert_pieces(halves[1], weights[3:], bias[3:], 8)


def test_each_remainder_of_the_strides_has_the_biases() -> None:
    weights, bias = drawn(8, 3, 2, 4), drawn(8)
    given = Parameters(weights, bias, stride=(2, 1))
    flat = packed(WeightLayout.X8_FLOATS_REMAINDERS, given)
    even, odd = np.split(flat, [8 * (1 + 2 * 2 * 4)])
    assert_pieces(even, weights[:, ::2][:, ::-1, ::-1], bias, 8)
    assert_pieces(odd, weights[:, 1::2][:, ::-1, ::-1], bias, 8)


@pytest.mark.parametrize(
    ("channels", "pixels", "pieces"), [(3, 5, 2), (8, 1, 1), (13, 3, 5), (63, 1, 8)]
)
def test_depthwise_taps_lie_before_the_biases_of_eight_channels(
    channels: int, pixels: int, pieces: int
) -> None:
    """The channels of pixels side by side; the last eight may come twice."""
    weights, bias = drawn(3, 3, channels), drawn(channels)
    given = Parameters(weights, bias, groups=channels)
    flat = packed(WeightLayout.TAPS_C8_FLOATS, given).reshape(-1, 10, 8)
    full = np.tile(np.concatenate([weights.reshape(9, -1), bias[None]]), pixels)
    assert flat.dtype == np.float32
    assert len(flat) == pieces
    assert np.array_equal(flat[0], full[:, :8])
    assert np.array_equal(flat[-1], full[:, -8:])


def test_second_outputs_of_eight_channels_lie_behind_the_first() -> None:
    weights, bias = drawn(2, 1, 2 * 9), drawn(2 * 9)
    given = Parameters(weights, bias, groups=9)
    flat = packed(WeightLayout.TAPS_C8_FLOATS, given).reshape(-1, 3, 8)
    full = np.concatenate([weights.reshape(2, -1), bias[None]]).reshape(3, 9, 2)
    assert [len(flat), *(np.array_equal(flat[j], full[:, :8, j]) for j in (0, 1))] == [
        4,
        True,
        True,
    ]
    assert all(np.array_equal(flat[2 + j], full[:, 1:, j]) for j in (0, 1))


def test_only_layouts_of_floats_bring_biases_to_a_node_without_tables() -> None:
    stated = {layout for layout in WeightLayout if layout.has_floats}
    assert stated == {each for each in WeightLayout if "floats" in each}
    assert not any(layout.has_multipliers or layout.has_all("i32") for layout in stated)
