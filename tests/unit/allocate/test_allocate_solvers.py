"""Greedy, repair and CP-SAT: sound, ordered by quality, deterministic."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings

from deployer.allocate.allocate import check, solve
from deployer.allocate.exact import Work, solve_exact
from deployer.allocate.greedy import FITS, ORDERS, best_fit, first_fit, greedy, place
from deployer.allocate.instance import Instance, Packing, instance_of
from deployer.allocate.problem import Problem
from deployer.allocate.repair import repair
from deployer.allocate.split import exact_split, greedy_split
from deployer.allocate.validate import violations
from deployer.ir.plan import Buffer, MemoryPlan
from unit.ir.strategies import STEADY, problems

# At most 6 bytes alive together, yet no placement is lower than 7.
GAP = (
    ("a", 0, 3, 2),
    ("b", 1, 3, 2),
    ("c", 2, 7, 2),
    ("d", 4, 9, 2),
    ("e", 5, 11, 1),
    ("f", 6, 8, 1),
    ("g", 7, 10, 1),
    ("h", 8, 14, 2),
    ("i", 12, 14, 2),
    ("j", 13, 15, 2),
)
# Every greedy order needs 10 bytes, 9 are enough.
MISSED = (("a", 2, 4, 1), ("b", 1, 2, 4), ("c", 0, 3, 3), ("d", 0, 4, 2), ("e", 3, 4, 4))


def problem(rows: tuple[tuple[str, int, int, int], ...], room: int = 10_000) -> Problem:
    return Problem(tuple(Buffer(*row) for row in rows), (("sram", room),), 1)


def sound(problem: Problem, packing: Packing) -> bool:
    memories = ("sram",) * len(problem.buffers)
    height = max(packing.height, problem.bound)
    plan = MemoryPlan(
        problem.placements(packing.offsets, memories),
        (("sram", height),),
        problem.bound,
        "feasible" if height > problem.bound else "optimal",
        packing.solver,
    )
    return not violations(plan, buffers=problem.buffers, alignment=problem.alignment)


def lowest_height(instance: Instance) -> int:
    """By trying every order of placement: some order of first fits is optimal."""
    orders = itertools.permutations(range(instance.count))
    heights = (instance.height(place(instance, order) or ()) for order in orders)
    return min(heights, default=0)


def test_first_fit_takes_the_lowest_gap_and_best_fit_the_tightest() -> None:
    taken = [(4, 6), (8, 10), (8, 9)]
    assert (first_fit(taken, 2), best_fit(taken, 2)) == (0, 6)
    assert (first_fit(taken, 5), best_fit(taken, 5)) == (10, 10)
    assert (first_fit([], 3), best_fit([], 3)) == (0, 0)


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_places_every_buffer_once(order: str) -> None:
    instance = instance_of(problem(GAP))
    assert sorted(ORDERS[order](instance)) == list(range(instance.count))


@STEADY
@given(problems())
def test_greedy_is_sound_and_repair_is_no_worse(problem: Problem) -> None:
    instance = instance_of(problem)
    first = greedy(instance)
    second = repair(instance, first)
    assert sound(problem, first)
    assert sound(problem, second)
    assert problem.bound <= second.height <= first.height


@STEADY
@given(problems())
def test_greedy_is_the_best_of_its_orders_and_fits(problem: Problem) -> None:
    instance = instance_of(problem)
    heights = [
        instance.height(place(instance, order(instance), fit=fit) or ())
        for order in ORDERS.values()
        for fit in FITS.values()
    ]
    assert greedy(instance).height == min(heights)


@settings(STEADY, max_examples=25)
@given(problems(max_buffers=6, alignment=1))
def test_the_answer_is_optimal(problem: Problem) -> None:
    plan = solve(problem)
    assert plan.status == "optimal"
    assert plan.bound == plan.arena == lowest_height(instance_of(problem))


@settings(STEADY, max_examples=25)
@given(problems())
def test_the_answer_is_sound_proven_and_the_same_twice(problem: Problem) -> None:
    plan = solve(problem)
    assert check(plan, problem) == ()
    assert plan.arena >= plan.bound >= problem.bound
    assert plan == solve(problem)


@settings(STEADY, max_examples=20)
@given(problems())
def test_cp_sat_alone_reaches_what_the_pipeline_reaches(problem: Problem) -> None:
    instance = instance_of(problem)
    worst = Packing(stacked(instance), sum(instance.sizes), "stack")
    exact = solve_exact(instance, worst)
    assert exact.optimal
    assert sound(problem, exact.packing)
    assert exact.packing.height == solve(problem).arena


def stacked(instance: Instance) -> tuple[int, ...]:
    """No byte shared."""
    return tuple(itertools.accumulate(instance.sizes[:-1], initial=0)) if instance.count else ()


def packs(instance: Instance, height: int, offsets: tuple[int, ...] = ()) -> bool:
    """Whether any offsets at all stay below ``height``, by trying them."""
    i = len(offsets)
    if i == instance.count:
        return True
    near = [j for j in instance.neighbours[i] if j < i]
    return any(
        packs(instance, height, (*offsets, y))
        for y in range(height - instance.sizes[i] + 1)
        if all(
            y + instance.sizes[i] <= offsets[j] or offsets[j] + instance.sizes[j] <= y for j in near
        )
    )


def test_an_optimum_above_the_live_set_is_proven() -> None:
    instance = instance_of(problem(GAP))
    assert [packs(instance, height) for height in (6, 7)] == [False, True]
    found = solve(problem(GAP))
    assert problem(GAP).bound == 6
    assert (found.arena, found.bound, found.status) == (7, 7, "optimal")
    assert "cp-sat" in found.solver


def test_without_work_the_gap_is_stated() -> None:
    instance = instance_of(problem(GAP))
    start = greedy(instance)
    found = solve_exact(instance, start, Work(prove=0, feasible=0, minimise=0))
    assert found.packing == start
    assert found.bound == instance.bound
    assert not found.optimal


def test_repair_reaches_the_bound_where_every_greedy_order_misses() -> None:
    instance = instance_of(problem(MISSED))
    assert greedy(instance).height > instance.bound
    assert repair(instance, greedy(instance)).height == instance.bound


def test_a_split_keeps_every_buffer_whole_and_every_memory_within_its_room() -> None:
    rows = (("a", 0, 4, 60), ("b", 0, 4, 50), ("c", 0, 4, 40), ("d", 0, 4, 30))
    instance = instance_of(problem(rows))
    for split in (greedy_split(instance, [100, 80]), exact_split(instance, [100, 80], 1.0)):
        assert split is not None
        assert split.total == 180
        rooms = [
            sum(size for size, k in zip(instance.sizes, split.memories, strict=True) if k == memory)
            for memory in (0, 1)
        ]
        assert rooms == [100, 80]


def test_the_exact_split_succeeds_where_the_greedy_one_fails() -> None:
    rows = (("a", 0, 1, 6), ("b", 0, 1, 5), ("c", 0, 1, 4), ("d", 0, 1, 4), ("e", 0, 1, 5))
    instance = instance_of(problem(rows))
    assert greedy_split(instance, [13, 11]) is None
    found = exact_split(instance, [13, 11], 1.0)
    assert found is not None
    assert found.total == 24


def test_what_cannot_be_split_is_not() -> None:
    instance = instance_of(problem((("a", 0, 1, 9), ("b", 0, 1, 9))))
    assert greedy_split(instance, [10, 8]) is None
    assert exact_split(instance, [10, 8], 1.0) is None
