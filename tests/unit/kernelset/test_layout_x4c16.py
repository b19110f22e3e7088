"""What the vector kernels take their weights from: nothing is lost, and lanes hold their sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed

STEP, CHANNELS, LANES = 16, 4, 8


def parameters(weights: np.ndarray, groups: int = 1) -> Parameters:
    ids = np.arange(len(weights), dtype=np.int32)
    return Parameters(
        weights,
        ids,
        1000 + ids,
        rule="q31",
        rounding=-ids,
        shift=ids.astype(np.uint8),
        groups=groups,
    )


def bell(seed: int, shape: tuple[int, ...], spread: float) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(0.0, spread, shape)
    return np.clip(np.rint(drawn), -128, 127).astype(np.int8)


class Unpacked:
    """One group read as a kernel reads it: weights [channel, value] with corrections added, as
    ``limited`` without; and tables [kind, channel]."""

    def __init__(self, data: np.ndarray, channels: int, values: int) -> None:
        self.quads, self.bytes = (int(n) for n in data[:8].view("<i4"))
        steps, blocks = -(-values // STEP), -(-channels // CHANNELS)
        size = CHANNELS * steps * STEP + 80
        pieces = data[16 : 16 + blocks * size].reshape(blocks, size)
        products = pieces[:, :-80].reshape(blocks, steps, CHANNELS, STEP)
        self.limited = products.transpose(0, 2, 1, 3).reshape(blocks * CHANNELS, -1).astype(int)
        words = np.ascontiguousarray(pieces[:, -80:]).view("<i4")
        self.tables = words[:, :16].reshape(blocks, 4, CHANNELS).transpose(1, 0, 2).reshape(4, -1)
        entries = data[16 + blocks * size : self.bytes].view("<i4").reshape(-1, 5)
        self.weights = self.limited.copy()
        for block, (first, count) in enumerate(words[:, 16:18]):
            for at, *excess in entries[first : first + count]:
                self.weights[block * CHANNELS : (block + 1) * CHANNELS, at] += excess

    def lanes(self) -> np.ndarray:
        """What the magnitudes in each lane add up to."""
        whole = self.limited.shape[1] // 32 * 32 if self.quads else 0
        parts = ((self.limited[:, :whole], 4), (self.limited[:, whole:], 2))
        sums = [np.abs(p).reshape(len(p), -1, n, LANES).sum(axis=2).reshape(-1) for p, n in parts]
        return np.concatenate(sums)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 9), st.integers(1, 100), st.sampled_from([8, 40, 90]))
def test_weights_and_corrections_add_up(
    seed: int, channels: int, values: int, spread: float
) -> None:
    weights = bell(seed, (channels, 1, 1, values), spread)
    read = Unpacked(packed(WeightLayout.X4C16, parameters(weights)), channels, values)
    assert (read.weights[:channels, :values] == weights.reshape(channels, values)).all()
    assert not read.weights[channels:].any()
    assert not read.weights[:, values:].any()
    assert read.lanes().max(initial=0) <= 255


def test_lanes_of_the_largest_weights_hold_two_products() -> None:
    weights = np.full((4, 1, 1, 64), -128, np.int8)
    read = Unpacked(packed(WeightLayout.X4C16, parameters(weights)), 4, 64)
    assert not read.quads
    assert read.lanes().max() == 255
    assert (read.weights == -128).all()


def test_small_weights_go_four_to_a_lane() -> None:
    read = Unpacked(packed(WeightLayout.X4C16, parameters(bell(1, (8, 1, 1, 64), 20.0))), 8, 64)
    assert read.quads


def test_tables_are_those_of_the_channels() -> None:
    weights = bell(2, (6, 1, 1, 16), 20.0)
    read = Unpacked(packed(WeightLayout.X4C16, parameters(weights)), 6, 16)
    ids = np.arange(6)
    assert (read.tables[:, :6] == [ids, 1000 + ids, -ids, -ids]).all()
    assert not read.tables[:, 6:].any()


@pytest.mark.parametrize("groups", [2, 3])
def test_groups_follow_one_another(groups: int) -> None:
    weights = bell(3, (6, 1, 1, 20), 45.0)
    data, at, per_group = packed(WeightLayout.X4C16, parameters(weights, groups)), 0, 6 // groups
    for g in range(groups):
        read = Unpacked(data[at:], per_group, 20)
        own = slice(g * per_group, (g + 1) * per_group)
        assert (read.weights[:per_group, :20] == weights[own].reshape(per_group, 20)).all()
        assert (read.tables[0, :per_group] == np.arange(6)[own]).all()
        at += read.bytes
    assert at == len(data)
