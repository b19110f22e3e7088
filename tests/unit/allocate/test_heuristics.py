"""The heuristics of paper 001, table 2.2."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given

from deployer.allocate.heuristics import orders
from deployer.allocate.heuristics.bag import BAG, HEURISTICS, bag
from deployer.allocate.heuristics.coloring import colors, sink, stack
from deployer.allocate.heuristics.placing import best_fit, first_fit
from deployer.allocate.instance import Instance, instance_of
from deployer.allocate.problem import Problem
from deployer.ir.plan import Buffer
from unit.ir.strategies import STEADY, problems

ORDERS = (
    orders.by_size,
    orders.by_start,
    orders.by_start_down,
    orders.by_breadth,
    orders.by_area,
    orders.by_span,
)


def instance(*rows: tuple[int, int, int]) -> Instance:
    buffers = tuple(Buffer(f"b{i}", *row) for i, row in enumerate(rows))
    return instance_of(Problem(buffers, (("sram", 10_000),), 1))


def test_first_fit_takes_the_lowest_gap_and_best_fit_the_tightest() -> None:
    taken = [(4, 6), (8, 9), (8, 10)]
    assert (first_fit(taken, 2), best_fit(taken, 2)) == (0, 6)
    assert (first_fit(taken, 5), best_fit(taken, 5)) == (10, 10)
    assert (first_fit([], 3), best_fit([], 3)) == (0, 0)


def test_the_orders_are_those_of_the_table() -> None:
    some = instance((0, 2, 5), (1, 4, 8), (2, 3, 6), (0, 1, 4))
    assert orders.by_size(some) == [1, 2, 0, 3]
    assert orders.by_start(some) == [0, 3, 1, 2]
    assert orders.by_start_down(some) == [2, 1, 0, 3]
    assert orders.by_breadth(some) == [2, 1, 0, 3]  # 14, 13, 9 and 9 bytes at the start


@pytest.mark.parametrize("order", ORDERS)
@STEADY
@given(problems())
def test_every_order_places_every_buffer_once(
    order: Callable[[Instance], list[int]], problem: Problem
) -> None:
    some = instance_of(problem)
    assert sorted(order(some)) == list(range(some.count))


@pytest.mark.parametrize("name", HEURISTICS)
@STEADY
@given(problems())
def test_no_two_buffers_share_a_byte(name: str, problem: Problem) -> None:
    some = instance_of(problem)
    offsets = HEURISTICS[name](some)
    assert HEURISTICS[name](some) == offsets
    assert len(offsets) == some.count
    assert all(offset >= 0 and offset % problem.alignment == 0 for offset in offsets)
    for i, j in some.conflicts():
        low, high = sorted((i, j), key=lambda k: (offsets[k], some.sizes[k]))
        assert offsets[low] + some.sizes[low] <= offsets[high]


def test_offset_first_gives_up_bytes_only_where_nothing_fits() -> None:
    """The long one lies lowest; beside the second the last one does not fit, so bytes are lost."""
    some = instance((0, 4, 2), (0, 2, 3), (1, 3, 2))
    assert HEURISTICS["b2sp"](some) == (0, 2, 5)


@STEADY
@given(problems())
def test_no_more_colours_than_buffers_alive_together(problem: Problem) -> None:
    some = instance_of(problem)
    color = colors(some)
    assert all(color[i] != color[j] for i, j in some.conflicts())
    steps = {b.lower for b in problem.buffers}
    alive = [sum(b.lower <= step < b.upper for b in problem.buffers) for step in steps]
    assert len(set(color)) == max(alive, default=0)


@STEADY
@given(problems())
def test_after_the_post_pass_nothing_can_sink(problem: Problem) -> None:
    some = instance_of(problem)
    before = stack(some, colors(some))
    after = sink(some, before)
    assert sink(some, after) == after
    assert all(low <= high for low, high in zip(after, before, strict=True))


def test_colours_waste_what_the_post_pass_wins_back() -> None:
    some = instance((0, 1, 9), (1, 3, 2), (1, 3, 4))
    assert some.height(stack(some, colors(some))) == 11
    assert some.height(HEURISTICS["coloring"](some)) == 9


@STEADY
@given(problems())
def test_the_bag_is_the_best_of_what_is_in_it(problem: Problem) -> None:
    some = instance_of(problem)
    heights = {name: some.height(HEURISTICS[name](some)) for name in HEURISTICS}
    assert bag(some).height == min(heights[name] for name in BAG)
    for few in itertools.combinations(HEURISTICS, 2):
        assert bag(some, few).height == min(heights[name] for name in few)
