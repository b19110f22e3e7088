"""CMSIS-NN's requantization in numpy, against exact fractions and the definition in integers."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.numerics.requant import mean
from deployer.tools.bench.cmsis_nn_arithmetic import requantize, requantize_reduced, split

ACC, MULTIPLIER, SHIFT = (
    st.integers(-(2**30), 2**30),
    st.integers(2**30, 2**31 - 1),
    st.integers(-20, 0),
)


def one(acc: int, multiplier: int, shift: int, rounding: str) -> int:
    arrays = (np.array([value], dtype=np.int64) for value in (acc, multiplier, shift))
    return int(requantize(*arrays, rounding)[0])


@settings(deadline=None)
@given(ACC, MULTIPLIER, SHIFT)
def test_single_rounding_takes_halves_up(acc: int, multiplier: int, shift: int) -> None:
    exact = Fraction(acc * multiplier, 2 ** (31 - shift))
    assert one(acc, multiplier, shift, "single") == floor(exact + Fraction(1, 2))


@settings(deadline=None)
@given(ACC, MULTIPLIER, SHIFT)
def test_double_rounding_rounds_twice(acc: int, multiplier: int, shift: int) -> None:
    high = floor(Fraction(acc * multiplier, 2**31) + Fraction(1, 2))
    exact = Fraction(high, 2**-shift)
    nearest = floor(abs(exact) + Fraction(1, 2))  # halves away from zero
    assert one(acc, multiplier, shift, "double") == (nearest if exact >= 0 else -nearest)


@given(st.lists(st.floats(2**-20, 0.999), min_size=1, max_size=5))
def test_factors_are_split_to_31_bits(reals: list[float]) -> None:
    multipliers, shifts = split(np.array(reals))
    assert (shifts <= 0).all()
    back = multipliers.astype(float) / 2**31 * 2.0**shifts
    np.testing.assert_allclose(back, reals, rtol=1e-9)


def test_averages_round_halves_away_from_zero() -> None:
    total, count = np.array([5, -5, 6, -6, 7, 0]), np.array([2, 2, 4, 4, 4, 4])
    assert mean(total, count).tolist() == [3, -3, 2, -2, 2, 0]


@settings(deadline=None)
@given(ACC, MULTIPLIER, SHIFT)
def test_with_wide_biases_the_multiplier_has_16_bits(acc: int, multiplier: int, shift: int) -> None:
    upper = min(floor(Fraction(multiplier, 2**16) + Fraction(1, 2)), 0x7FFF)
    exact = Fraction(acc * upper, 2 ** (15 - shift))
    arrays = (np.array([value], dtype=np.int64) for value in (acc, multiplier, shift))
    assert int(requantize_reduced(*arrays)[0]) == floor(exact + Fraction(1, 2))
