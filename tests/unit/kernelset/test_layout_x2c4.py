"""Streams of pairs of output channels, read back one byte at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.blocking.cortex_m import WEIGHT_OVERREAD_BYTES as BEYOND
from deployer.kernelset.layouts import Parameters, WeightLayout, packed

# within four values: where value k of the first channel lies; that of the second is one behind
PLACES = {WeightLayout.X2C4: (0, 4, 2, 6), WeightLayout.X2C4_ORDERED: (0, 2, 4, 6)}


def parameters(channels: int, taps: int, depth: int) -> Parameters:
    rng = np.random.default_rng(channels * 97 + taps * 13 + depth)
    weights = rng.integers(-128, 128, (channels, 1, taps, depth)).astype(np.int8)
    bias, multiplier = rng.integers(-(2**31), 2**31, (2, channels)).astype(np.int32)
    return Parameters(weights, bias, multiplier)


def pieces(layout: WeightLayout, of: Parameters) -> np.ndarray:
    """A row a pair."""
    stream = packed(layout, of)
    return stream[: len(stream) - BEYOND].reshape(-(-len(of.weights) // 2), -1)


@pytest.mark.parametrize("layout", PLACES)
@given(st.integers(1, 7), st.integers(1, 5), st.integers(1, 9))
def test_every_weight_has_its_place(
    layout: WeightLayout, channels: int, taps: int, depth: int
) -> None:
    of = parameters(channels, taps, depth)
    flat = of.weights.reshape(channels, -1)
    body = pieces(layout, of)[:, 8:-8]
    assert body.shape[1] == 2 * -(-taps * depth // 4) * 4
    for channel, row in enumerate(flat):
        at = [k // 4 * 8 + PLACES[layout][k % 4] + channel % 2 for k in range(len(row))]
        assert np.array_equal(body[channel // 2][at], row)
    assert np.count_nonzero(body) == np.count_nonzero(flat)  # the rest is zero


@pytest.mark.parametrize("layout", PLACES)
def test_biases_before_and_multipliers_behind(layout: WeightLayout) -> None:
    of = parameters(5, 3, 2)
    found = pieces(layout, of)
    for column, at in ((of.bias, slice(0, 8)), (of.multiplier, slice(-8, None))):
        entries = np.ascontiguousarray(found[:, at]).view("<i4").reshape(-1)
        assert np.array_equal(entries[:5], column)
        assert entries[5] == 0


@pytest.mark.parametrize("layout", PLACES)
def test_one_multiplier_is_repeated(layout: WeightLayout) -> None:
    of = parameters(4, 1, 4)
    one = Parameters(of.weights, of.bias, of.multiplier[:1])
    found = np.ascontiguousarray(pieces(layout, one)[:, -8:]).view("<i4")
    assert np.array_equal(found, np.full((2, 2), of.multiplier[0]))
