"""Several memories: capacities, and costs per buffer and memory."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.allocate.allocate import check, fits, solve
from deployer.allocate.instance import Instance, instance_of
from deployer.allocate.problem import Problem
from deployer.allocate.split import greedy_split
from deployer.allocate.split_exact import exact_split
from deployer.ir.plan import Buffer
from deployer.ir.verify import InvariantError
from unit.ir.strategies import STEADY, problems


def problem(*sizes: int, rooms: tuple[int, ...]) -> Problem:
    """Buffers all alive at once."""
    buffers = tuple(Buffer(f"b{i}", 0, 1, size) for i, size in enumerate(sizes))
    return Problem(buffers, tuple((f"m{k}", room) for k, room in enumerate(rooms)), 1)


def instance(*sizes: int) -> Instance:
    return instance_of(problem(*sizes, rooms=(1,)))


def test_a_split_keeps_every_buffer_whole_and_every_memory_within_its_room() -> None:
    some = instance(60, 50, 40, 30)
    for split in (greedy_split(some, [100, 80]), exact_split(some, [100, 80], 1.0)):
        assert split is not None
        assert split.total == 180
        rooms = [
            sum(size for size, k in zip(some.sizes, split.memories, strict=True) if k == memory)
            for memory in (0, 1)
        ]
        assert rooms == [100, 80]


def test_the_exact_split_succeeds_where_the_greedy_one_fails() -> None:
    some = instance(6, 5, 4, 4, 5)
    assert greedy_split(some, [13, 11]) is None
    found = exact_split(some, [13, 11], 1.0)
    assert found is not None
    assert (found.total, found.proven) == (24, True)


def test_what_cannot_be_split_is_not() -> None:
    some = instance(9, 9)
    assert greedy_split(some, [10, 8]) is None
    assert exact_split(some, [10, 8], 1.0) is None


def test_the_buffer_that_gains_most_gets_the_fast_memory() -> None:
    """All fit the second memory; the first is fast and holds one of them."""
    some = replace(problem(8, 8, rooms=(8, 99)), costs=((10, 20), (10, 90)))
    plan = solve(some)
    assert [plan.at(name).memory for name in ("b0", "b1")] == ["m1", "m0"]
    assert some.cost(plan) == 30
    assert check(plan, some) == ()


def test_a_cheaper_second_memory_is_used_though_the_first_has_room() -> None:
    some = replace(problem(8, 4, rooms=(99, 8)), costs=((5, 1), (5, 3)))
    plan = solve(some)
    assert [plan.at(name).memory for name in ("b0", "b1")] == ["m1", "m0"]
    assert some.cost(plan) == 6


@settings(STEADY, max_examples=40)
@given(st.data())
def test_no_choice_of_memories_costs_less(data: st.DataObject) -> None:
    """Against every choice, for buffers all alive at once, where a sum decides what fits."""
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    rooms = data.draw(st.tuples(st.integers(1, 30), st.integers(1, 30)))
    row = st.tuples(st.integers(0, 9), st.integers(0, 9))
    costs = tuple(data.draw(row) for _ in sizes)
    some = replace(problem(*sizes, rooms=rooms), costs=costs)
    options = []
    for choice in itertools.product((0, 1), repeat=len(sizes)):
        used = [sum(s for s, k in zip(sizes, choice, strict=True) if k == m) for m in (0, 1)]
        if used[0] <= rooms[0] and used[1] <= rooms[1]:
            options.append(sum(c[k] for c, k in zip(costs, choice, strict=True)))
    plan = solve(some)
    assert fits(plan, some) == bool(options)
    if options:
        assert some.cost(plan) == min(options)
        assert check(plan, some) == ()
        assert solve(some) == plan


@settings(STEADY, max_examples=40)
@given(problems(max_buffers=8))
def test_one_cost_for_all_changes_nothing_but_the_sum(some: Problem) -> None:
    rooms = (("sram", 100_000), ("dtcm", 100_000))
    dear = replace(some, capacities=rooms, costs=((3, 3),) * len(some.buffers))
    assert solve(dear) == solve(replace(some, capacities=rooms))
    assert dear.cost(solve(dear)) == 3 * len(some.buffers)


def test_costs_of_another_shape_are_our_bug() -> None:
    with pytest.raises(InvariantError, match="costs"):
        replace(problem(8, rooms=(8, 8)), costs=((1,),))
