"""Pieces of depthwise windows that are columns: a row of pixels is one with the channels of all."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed

_TABLES = 4 * 4  # int32 of a lane


def _parameters(taps: int, width: int, channels: int) -> Parameters:
    rng = np.random.default_rng(channels * 31 + taps)
    weights = rng.integers(-127, 128, (taps, width, channels)).astype(np.int8)
    bias = np.arange(channels, dtype=np.int32)
    shift = np.zeros(channels, np.uint8)
    tables = {"multiplier": bias + 100, "rounding": bias, "shift": shift}
    return Parameters(weights, bias, groups=channels, rule="q32", **tables)


def _lanes(of: Parameters) -> np.ndarray:
    """[tap, lane] of all pieces, one behind the other."""
    taps = int(np.prod(of.weights.shape[:-1]))
    pieces = packed(WeightLayout.TAPS_C8_WIDE, of).reshape(-1, 8 * (2 * taps + _TABLES))
    values = np.ascontiguousarray(pieces[:, : 16 * taps]).view("<i2")
    return values.reshape(len(pieces), taps, 8).transpose(1, 0, 2).reshape(taps, -1)


@given(st.integers(1, 9), st.integers(1, 32))
def test_lanes_of_columns_are_the_channels_again_and_again(taps: int, channels: int) -> None:
    of = _parameters(taps, 1, channels)
    lanes = _lanes(of)
    assert lanes.shape[1] == np.lcm(8, channels)
    repeated = np.tile(of.weights[:, 0], lanes.shape[1] // channels)
    assert np.array_equal(lanes, repeated)


@given(st.integers(33, 70))
def test_the_last_eight_of_many_channels_overlap_those_before(channels: int) -> None:
    lanes = _lanes(_parameters(3, 1, channels))
    assert lanes.shape[1] == -(-channels // 8) * 8


def test_rows_of_taps_have_no_such_lanes() -> None:
    assert _lanes(_parameters(1, 3, 17)).shape[1] == 24
