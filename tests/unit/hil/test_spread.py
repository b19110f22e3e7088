"""Quantiles: they were seen, and so many values lie at or below them, whatever the values."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer_hil.spread import LEAST_P95, LEAST_P99, quantile, spread_of

VALUES = st.lists(st.integers(0, 1 << 40), min_size=1, max_size=300)
PER_CENT = st.integers(1, 100)


@given(VALUES, PER_CENT)
def test_a_quantile_was_seen_and_so_many_do_not_exceed_it(values: list[int], part: int) -> None:
    found = quantile(sorted(values), part)
    assert found in values
    assert sum(value <= found for value in values) * 100 >= part * len(values)
    assert sum(value < found for value in values) * 100 < part * len(values)


@given(VALUES)
def test_figures_are_in_order(values: list[int]) -> None:
    found = spread_of(values)
    shown = [found.minimum, found.median, found.p95, found.p99, found.maximum]
    told = [value for value in shown if value is not None]
    assert told == sorted(told)
    assert (found.minimum, found.maximum) == (min(values), max(values))
    assert found.jitter == max(values) - min(values)
    assert (found.p95 is None) == (len(values) < LEAST_P95)
    assert (found.p99 is None) == (len(values) < LEAST_P99)


@given(VALUES, st.integers(0, 1 << 32), st.integers(1, 7), st.integers(0, 99))
def test_the_order_says_nothing_and_units_carry_over(
    values: list[int], seed: int, unit: int, more: int
) -> None:
    mixed = [unit * value + more for value in values]
    random.Random(seed).shuffle(mixed)
    plain, found = spread_of(values), spread_of(mixed)
    for name in ("minimum", "median", "maximum"):
        assert getattr(found, name) == unit * getattr(plain, name) + more
    assert found.jitter == unit * plain.jitter


def test_a_tail_is_told_from_the_largest_where_enough_were_seen() -> None:
    few, many = spread_of(range(1, 100)), spread_of(range(1, 201))
    assert (few.median, few.p95, few.p99) == (50, 95, None)
    assert (many.median, many.p95, many.p99, many.maximum) == (100, 190, 198, 200)


def test_of_no_values_there_is_no_spread() -> None:
    with pytest.raises(ValueError, match="no values"):
        spread_of([])
    assert not math.isnan(spread_of([1.5]).median)
