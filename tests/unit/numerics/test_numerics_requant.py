"""Requantization against plain integers and exact rationals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import exact
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from integer_nodes import STEADY

from deployer.numerics.requant import (
    INT32_MAX,
    MAX_SHIFT,
    choose,
    mean_of,
    requantize,
    rounding_constant,
)

ZEROS = st.integers(-128, 127)
REALS = st.floats(2.0**-31, 8.0, allow_subnormal=False)
BOUNDS = st.integers(1, 2**24)


def one(real: float) -> np.ndarray:
    return np.array([real])


def bound_of(limit: int) -> np.ndarray:
    return np.array([limit], dtype=np.int64)


@st.composite
def chosen(draw: Any, rule: str) -> tuple[Any, float, int, int]:
    """Integers some layer would get, with what they were chosen for."""
    limit, zero = draw(BOUNDS), draw(ZEROS)
    real = 2.0 ** -draw(st.integers(0, 22)) if rule == "shift" else draw(REALS)
    try:
        return choose(rule, one(real), bound_of(limit), zero), real, limit, zero
    except ValueError:
        assume(False)
        raise


@pytest.mark.parametrize("rule", ["shift", "i32", "q16", "q32", "q31", "auto"])
@STEADY
@given(data=st.data())
def test_rules_equal_plain_integers(rule: str, data: st.DataObject) -> None:
    found, _, limit, _ = data.draw(chosen(rule))
    middle = data.draw(st.lists(st.integers(-limit, limit), max_size=20))
    accs = [-limit, limit, 0, -1, 1, *middle]
    m, r, s = (int(t[0]) for t in (found.multiplier, found.rounding, found.shift))
    expected = [exact.requantize(a, found.rule, m, r, s, low=-128, high=127) for a in accs]
    result = requantize(
        np.array(accs, dtype=np.int32)[:, None],
        found.rule,
        found.multiplier,
        found.rounding,
        found.shift,
        low=-128,
        high=127,
    )
    assert result[:, 0].tolist() == expected


@pytest.mark.parametrize("rule", ["shift", "i32", "q16", "q32", "q31", "auto"])
@STEADY
@given(data=st.data())
def test_stated_error_bounds_the_distance_from_exact_arithmetic(
    rule: str, data: st.DataObject
) -> None:
    found, real, limit, zero = data.draw(chosen(rule))
    acc = data.draw(st.integers(-limit, limit))
    m, r, s = (int(t[0]) for t in (found.multiplier, found.rounding, found.shift))
    result = exact.requantize(acc, found.rule, m, r, s, low=-128, high=127)
    ideal = min(max(Fraction(real) * acc + zero, Fraction(-128)), Fraction(127))
    assert abs(result - ideal) <= Fraction(1, 2) + Fraction(found.error) + Fraction(1, 10**9)


@STEADY
@given(data=st.data())
def test_folded_input_zero_is_exact(data: st.DataObject) -> None:
    """With extra = zx the rule computes the real multiple of (x - zx), over all of int8."""
    zero_in, zero_out = data.draw(ZEROS), data.draw(ZEROS)
    real = data.draw(st.floats(2.0**-12, 8.0))
    found = choose("i32", one(real), bound_of(128), zero_out, np.array([zero_in]))
    m, r, s = (int(t[0]) for t in (found.multiplier, found.rounding, found.shift))
    for x in (-128, zero_in, 127):
        result = exact.requantize(x, "i32", m, r, s, low=-128, high=127)
        ideal = Fraction(real) * (x - zero_in) + zero_out
        clamped = min(max(ideal, Fraction(-128)), Fraction(127))
        assert abs(result - clamped) <= Fraction(1, 2) + Fraction(found.error) + Fraction(1, 10**9)


@STEADY
@given(real=REALS, limit=BOUNDS, zero=ZEROS)
def test_auto_takes_the_smaller_error(real: float, limit: int, zero: int) -> None:
    found = {}
    for rule in ("i32", "q16", "q32", "auto"):
        try:
            found[rule] = choose(rule, one(real), bound_of(limit), zero)
        except ValueError:
            continue
    single = [found[rule].error for rule in ("i32", "q16", "q32") if rule in found]
    assert ("auto" in found) == bool(single)
    if single:
        assert found["auto"].error == min(single)


@STEADY
@given(real=REALS, limit=BOUNDS, zero=ZEROS)
def test_i32_takes_the_largest_multiplier_that_fits(real: float, limit: int, zero: int) -> None:
    try:
        found = choose("i32", one(real), bound_of(limit), zero)
    except ValueError:
        assume(False)
    shift = int(found.shift[0])
    if shift < MAX_SHIFT:
        larger = int(real * 2 ** (shift + 1) + 0.5)
        rounding = rounding_constant(shift + 1, zero)
        assert limit * larger + abs(rounding) > INT32_MAX


@STEADY
@given(real=st.floats(2.0**-24, 0.49), limit=st.integers(1, 2**30), zero=ZEROS)
def test_q16_keeps_fifteen_bits(real: float, limit: int, zero: int) -> None:
    found = choose("q16", one(real), bound_of(limit), zero)
    multiplier, shift = int(found.multiplier[0]), int(found.shift[0])
    assert multiplier < 1 << 15
    assert multiplier >= 1 << 14 or shift == 22
    assert abs(multiplier / 2 ** (16 + shift) - real) <= 2.0 ** -(17 + shift)


@pytest.mark.parametrize(
    ("rule", "real", "limit", "said"),
    [
        ("shift", 0.3, 100, "power of two"),
        ("shift", 2.0, 100, "power of two"),
        ("shift", 0.0, 100, "power of two"),
        ("shift", 2.0**-31, 2**29, "power of two"),
        ("shift", 1.0, 2**31 - 1, "leaves int32"),
        ("i32", 1000.0, 2**24, "leaves int32"),
        ("q16", 0.5, 100, "too large for q16"),
        ("q16", 0.49, 2**40, "leaves int32"),
        ("auto", 1000.0, 2**24, "leaves int32"),
        ("i32", float("nan"), 10, "not finite"),
        ("i32", float("inf"), 10, "not finite"),
        ("q16", -0.25, 10, "negative"),
        ("q32", 0.5, 100, "too large for q32"),
        ("q32", 0.4, 2**31, "leaves int32"),
        ("q31", 0.4, 2**31, "leaves int32"),
        ("q31", 200.0, 2**24, "leaves int32"),
    ],
)
def test_multipliers_without_integers_are_refused(
    rule: str, real: float, limit: int, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        choose(rule, one(real), bound_of(limit), 5)


@STEADY
@given(real=st.floats(2.0**-20, 0.49), limit=st.integers(1, 2**31 - 1), zero=ZEROS)
def test_q32_is_as_good_as_exact(real: float, limit: int, zero: int) -> None:
    found = choose("q32", one(real), bound_of(limit), zero)
    assert found.error <= 255 * 2.0**-33 / real


@pytest.mark.parametrize("rule", ["q16", "q32"])
def test_high_words_cannot_fold_an_input_zero(rule: str) -> None:
    with pytest.raises(ValueError, match="input zero point"):
        choose(rule, one(0.1), bound_of(100), 0, np.array([3]))


def test_multipliers_below_every_shift_give_the_zero_point() -> None:
    found = choose("shift", one(2.0**-70), bound_of(2**20 - 1), 5)
    acc = np.array([[1 - 2**20], [0], [2**20 - 1]], dtype=np.int32)
    tables = (found.multiplier, found.rounding, found.shift)
    assert (requantize(acc, "shift", *tables, low=-128, high=127) == 5).all()


def test_auto_falls_back_to_the_rule_that_exists() -> None:
    assert choose("auto", one(0.75), bound_of(1000), 0).rule == "i32"
    assert choose("auto", one(0.1), bound_of(100), 0, np.array([3])).rule == "i32"
    assert choose("auto", one(0.3), bound_of(2**30), 0).rule == "q32"


def test_a_zero_multiplier_gives_the_zero_point() -> None:
    for rule in ("i32", "q16", "q32"):
        found = choose(rule, one(0.0), bound_of(500), -77)
        acc = np.array([[-500], [0], [500]], dtype=np.int32)
        tables = (found.multiplier, found.rounding, found.shift)
        assert (requantize(acc, rule, *tables, low=-128, high=127) == -77).all()


@pytest.mark.parametrize(
    ("rule", "acc", "m", "r"),
    [
        ("shift", 2**31 - 1, 1, 1),
        ("shift", -(2**31), 1, -1),
        ("i32", 2**20, 2**11, 0),
        ("i32", 2**20, 2**11, -(2**30)),
        ("q16", 2**31 - 1, 2**15 - 1, 2**30 + 2**16),
        ("shift", 2**31, 1, 0),
        ("q32", 2**31, 1, 1),
    ],
)
@pytest.mark.parametrize("pixels", [1, 7])
def test_leaving_int32_is_an_error_never_a_wrap(
    rule: str, acc: int, m: int, r: int, pixels: int
) -> None:
    accs = np.zeros((1, pixels, 2), dtype=np.int64)
    accs[0, -1, 1] = acc
    tables = (np.array([1, m]), np.array([0, r]), np.array([0, 4]))
    with pytest.raises(OverflowError, match="range analysis"):
        requantize(accs, rule, *tables, low=-128, high=127)


@STEADY
@given(seed=st.integers(0, 2**32 - 1), rule=st.sampled_from(["shift", "i32", "q16", "q32"]))
def test_every_channel_uses_its_own_tables(seed: int, rule: str) -> None:
    rng = np.random.default_rng(seed)
    acc = rng.integers(-(2**16), 2**16, (2, 3, 2, 5)).astype(np.int32)
    tables = (rng.integers(0, 2**14, 5), rng.integers(-(2**20), 2**20, 5), rng.integers(0, 12, 5))
    result = requantize(acc, rule, *tables, low=-100, high=90)
    for place in np.ndindex(acc.shape):
        m, r, s = (int(table[place[-1]]) for table in tables)
        expected = exact.requantize(int(acc[place]), rule, m, r, s, low=-100, high=90)
        assert result[place] == expected


def test_single_entries_serve_all_channels_and_shapes_survive() -> None:
    one_entry = (np.array([3]), np.array([1]), np.array([1]))
    for shape in ((4,), (2, 4), (2, 0, 4), (0, 4), (2, 3, 3, 4)):
        acc = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        result = requantize(acc, "i32", *one_entry, low=-128, high=127)
        assert result.dtype == np.int8
        assert np.array_equal(result, np.minimum((acc * 3 + 1) >> 1, 127))


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(ValueError, match="'q33'"):
        requantize(np.zeros((1, 1), dtype=np.int32), "q33", *[np.ones(1)] * 3, low=0, high=1)


def test_an_output_has_255_steps_unless_another_number_is_given() -> None:
    real, bound = np.array([0.3]), np.array([10_000])  # far beyond the ends of int8
    deviation = choose("i32", real, bound, 0, steps=1).error
    assert deviation > 0
    assert choose("i32", real, bound, 0).error == pytest.approx(255 * deviation, rel=1e-12)


@pytest.mark.parametrize("zero", [None, 0, -3, 6])
def test_means_divide_by_their_counts_and_may_round_from_a_zero_point(zero: int | None) -> None:
    found = mean_of(np.array([1, 2, 4]), zero)
    acc = np.arange(-40, 41)[:, None] * np.ones(3, dtype=np.int64)
    given = requantize(
        acc, found.rule, found.multiplier, found.rounding, found.shift, low=-128, high=127
    )
    for column, count in zip(given.T.tolist(), (1, 2, 4), strict=True):
        for total, result in zip(range(-40, 41), column, strict=True):
            mean = Fraction(total, count)
            away = int(abs(mean) + Fraction(1, 2)) * (1 if total > 0 else -1)
            assert result == (away if zero is None else zero + round(mean - zero))
