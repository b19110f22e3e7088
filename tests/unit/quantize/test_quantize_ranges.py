"""Accumulator ranges: exact, and above every partial sum."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.quantize.ranges import accumulators, hull, magnitude, partial_magnitude

STEADY = settings(deadline=None, derandomize=True)
WEIGHTS = st.lists(st.integers(-127, 127), min_size=1, max_size=4)


@STEADY
@given(w=WEIGHTS, bias=st.integers(-(2**20), 2**20), ends=st.tuples(*[st.integers(-128, 127)] * 2))
def test_range_is_attained_at_both_ends(w: list[int], bias: int, ends: tuple[int, int]) -> None:
    low, high = sorted(ends)
    rows = np.array([w], dtype=np.int8)
    found = accumulators(rows, np.array([bias], dtype=np.int32), (low, high))
    corners = [bias + int(np.dot(w, x)) for x in product((low, high), repeat=len(w))]
    assert [int(edge[0]) for edge in found] == [min(corners), max(corners)]
    assert magnitude(*found)[0] == max(abs(corner) for corner in corners)


@STEADY
@given(data=st.data(), w=WEIGHTS, bias=st.integers(-(2**20), 2**20))
def test_no_partial_sum_in_any_order_passes_the_bound(
    data: st.DataObject, w: list[int], bias: int
) -> None:
    low, high = sorted(data.draw(st.tuples(*[st.integers(-128, 127)] * 2)))
    bound = partial_magnitude(np.array([w]), np.array([bias]), (low, high))[0]
    terms = [bias, *(v * data.draw(st.integers(low, high)) for v in w)]
    total = 0
    for term in data.draw(st.permutations(terms)):
        total += term
        assert abs(total) <= bound


def test_weights_at_the_limit_do_not_wrap_in_int8() -> None:
    rows = np.full((1, 100_000), -127, dtype=np.int8)
    low, high = accumulators(rows, np.zeros(1, dtype=np.int32), (-128, 127))
    assert (int(low[0]), int(high[0])) == (-127 * 127 * 100_000, 127 * 128 * 100_000)


def test_hull() -> None:
    assert hull((3, 9), 5) == (3, 9)
    assert hull((3, 9), 0, 12) == (0, 12)
