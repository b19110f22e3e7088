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
    """One group read as a kernel reads it: weights [channel, value] with corrections added, what
    magnitudes in lanes add up to, and tables [kind, channel]."""

    def __init__(self, data: np.ndarray, channels: int, values: int) -> None:
        self.bytes = int(data[:4].view("<i4")[0])
        steps, blocks = -(-values // STEP), -(-channels // CHANNELS)
        products = CHANNELS * steps * STEP
        size = products + 80 + -(-(steps + 2) // 4) * 16
        pieces = np.ascontiguousarray(data[16 : 16 + blocks * size].reshape(blocks, size))
        words = np.ascontiguousarray(pieces[:, products:]).view("<i4")
        self.tables = words[:, :16].reshape(blocks, 4, CHANNELS).transpose(1, 0, 2).reshape(4, -1)
        self.quads = words[:, 18]
        entries = data[16 + blocks * size : self.bytes].view("<i4").reshape(-1, 4)
        excess = np.ascontiguousarray(entries[:, :2]).view("<i2")
        limited = pieces[:, :products].reshape(blocks, steps, CHANNELS, STEP).astype(int)
        self.weights = np.zeros((blocks, CHANNELS, steps * STEP), int)
        self.lanes: list[int] = []
        for block, (first, count, quads, pairs) in enumerate(words[:, 16:20]):
            places = words[block, 20 : 20 + steps + 2]
            assert 2 * quads + pairs == steps
            assert not places[steps:].any()
            for place, one in zip(places, limited[block], strict=False):
                self.weights[block, :, place : place + STEP] += one
            self._add_lanes(limited[block, : 2 * quads].reshape(quads, 2, CHANNELS, STEP))
            self._add_lanes(limited[block, 2 * quads :].reshape(pairs, 1, CHANNELS, STEP))
            for more, (_, _, at, _) in zip(
                excess[first : first + count], entries[first : first + count], strict=True
            ):
                self.weights[block, :, at] += more
        self.weights = self.weights.reshape(blocks * CHANNELS, -1)

    def _add_lanes(self, together: np.ndarray) -> None:
        """[sum, step, channel, value]"""
        lanes = np.abs(together).reshape(*together.shape[:3], 2, LANES)
        self.lanes += lanes.sum(axis=(1, 3)).reshape(-1).tolist()


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
    assert max(read.lanes) <= 255


def test_lanes_of_the_largest_weights_hold_two_products() -> None:
    weights = np.full((4, 1, 1, 64), -128, np.int8)
    read = Unpacked(packed(WeightLayout.X4C16, parameters(weights)), 4, 64)
    assert not read.quads.any()
    assert max(read.lanes) == 255
    assert (read.weights == -128).all()


def test_small_weights_go_four_to_a_lane() -> None:
    read = Unpacked(packed(WeightLayout.X4C16, parameters(bell(1, (8, 1, 1, 64), 20.0))), 8, 64)
    assert (read.quads == 2).all()


def test_heavy_steps_go_with_light_ones() -> None:
    """Neighbours would exceed their lanes everywhere."""
    steps = [np.full((4, 1, 1, STEP), size, np.int8) for size in (100, 100, 20, 20)]
    weights = np.concatenate(steps, axis=3)
    read = Unpacked(packed(WeightLayout.X4C16, parameters(weights)), 4, 64)
    assert (read.quads == 2).all()
    assert max(read.lanes) == 240
    assert (read.weights == weights.reshape(4, 64)).all()


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
