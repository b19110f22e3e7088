"""Grouped convolutions as dense parts: every part's rows give the sums of its groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.parts import Parts, dense_weights, parts_of

COUNTS = st.integers(1, 9)


def _column(x: np.ndarray, fours: int) -> np.ndarray:
    """What a part reads of (taps, channels): fours of channels, of each all taps; then two taps of
    two channels at a time, nothing being behind the last."""
    taps, channels = x.shape
    parts = [x[:, 4 * i : 4 * i + 4].reshape(-1) for i in range(fours)]
    if channels > 4 * fours:
        parts.append(np.pad(x[:, 4 * fours :], ((0, taps % 2), (0, 0))).reshape(-1))
    return np.concatenate(parts)


@given(st.integers(2, 9), COUNTS, COUNTS, COUNTS, st.integers(0, 99))
def test_rows_times_columns_are_the_sums_of_groups(
    groups: int, depth: int, channels: int, taps: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.integers(-127, 128, (groups * channels, taps, 1, depth)).astype(np.int8)
    x = rng.integers(-128, 128, (taps, groups * depth))
    parts = parts_of(groups, depth, channels, taps)
    found = np.full(groups * channels, np.iinfo(np.int64).min)
    for (source, _), (first, rows) in zip(
        parts.starts(), dense_weights(parts, weights), strict=True
    ):
        assert 0 <= source <= groups * depth - parts.inputs
        column = _column(x[:, source : source + parts.inputs], parts.fours)
        assert rows.shape == (parts.outputs, parts.values(taps))
        found[first : first + parts.outputs] = rows.astype(np.int64) @ column
    split = weights.reshape(groups, channels, taps, depth).astype(np.int64)
    expected = np.einsum("gotd,tgd->go", split, x.reshape(taps, groups, depth))
    assert np.array_equal(found, expected.reshape(-1))


@pytest.mark.parametrize(
    ("groups", "depth", "channels", "taps", "together", "inputs"),
    [
        (4, 8, 8, 9, 1, 8),  # whole fours need no neighbour
        (16, 2, 2, 9, 1, 2),  # two channels of two taps fill a word of bytes
        (16, 1, 1, 1, 4, 4),  # a channel alone would meet three zeros
        (2, 5, 3, 9, 1, 6),  # one four and two, of which one is zero
        (9, 7, 2, 4, 1, 8),
    ],
)
def test_parts_are_those_of_the_fewest_words(
    groups: int, depth: int, channels: int, taps: int, together: int, inputs: int
) -> None:
    parts = parts_of(groups, depth, channels, taps)
    assert (parts.together, parts.inputs) == (together, inputs)


def test_the_last_part_begins_early_enough_to_be_whole() -> None:
    parts = Parts(groups=5, depth=2, channels=3, together=2)
    assert [*parts.starts()] == [(0, 0), (4, 6), (6, 9)]


def test_two_groups_in_one_part_have_zeros_for_one_another() -> None:
    """A 1x1 with four inputs and two outputs a group, byte for byte."""
    weights = np.arange(1, 17, dtype=np.int8).reshape(4, 1, 1, 4)
    bias, multiplier = np.array([7, 8, 9, 10]), np.array([17, 18, 19, 20])
    found = packed(WeightLayout.X2C4_PARTS_ORDERED, Parameters(weights, bias, multiplier, groups=2))
    assert found[:4].view("<i4") == 2
    assert not found[-8:].any()
    first, second = found[4:-8].reshape(2, 32)
    assert np.array_equal(first[:8].view("<i4"), [7, 8])
    assert np.array_equal(first[8:24], [1, 5, 2, 6, 3, 7, 4, 8, *[0] * 8])
    assert np.array_equal(first[24:].view("<i4"), [17, 18])
    assert np.array_equal(second[8:24], [*[0] * 8, 9, 13, 10, 14, 11, 15, 12, 16])
