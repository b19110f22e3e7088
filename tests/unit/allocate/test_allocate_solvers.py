"""Every solver: sound, never below the bound, deterministic, and the exact ones agree."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings

from deployer.allocate.allocate import check, solve
from deployer.allocate.exact import Work, solve_exact
from deployer.allocate.heuristics.bag import BAG, HEURISTICS, bag
from deployer.allocate.heuristics.placing import place
from deployer.allocate.instance import Instance, Packing, Solution, instance_of
from deployer.allocate.portfolio import NO_EFFORT, Effort, solve_instance
from deployer.allocate.problem import Problem
from deployer.allocate.repair import repair
from deployer.allocate.solvers import SOLVERS, solver_named
from deployer.allocate.validate import violations
from deployer.errors import UsageError
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
# Every heuristic needs 15 bytes, 14 are enough.
MISSED = (
    ("a", 3, 7, 4),
    ("b", 6, 10, 6),
    ("c", 3, 6, 1),
    ("d", 1, 4, 5),
    ("e", 2, 6, 4),
    ("f", 1, 2, 6),
)


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


@STEADY
@given(problems())
def test_repair_is_sound_and_no_worse_than_its_start(problem: Problem) -> None:
    instance = instance_of(problem)
    first = bag(instance)
    second = repair(instance, first)
    assert sound(problem, second)
    assert problem.bound <= second.height <= first.height


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
    exact = solve_exact(instance, Solution(worst, instance.bound))
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
    assert found.solver.endswith((", then search", ", then sweep", ", then cp-sat"))


def test_without_work_the_gap_is_stated() -> None:
    instance = instance_of(problem(GAP))
    start = Solution(bag(instance), instance.bound)
    found = solve_exact(instance, start, Work(prove=0, feasible=0, minimise=0))
    assert found == start
    assert not found.optimal
    plan = solve(problem(GAP), NO_EFFORT)
    assert (plan.arena, plan.bound, plan.status) == (7, 6, "feasible")


def test_repair_reaches_the_bound_where_every_heuristic_misses() -> None:
    instance = instance_of(problem(MISSED))
    assert bag(instance, tuple(HEURISTICS)).height > instance.bound
    assert repair(instance, bag(instance)).height == instance.bound


@settings(STEADY, max_examples=40)
@given(problems())
def test_every_solver_is_sound_and_none_beats_a_proven_bound(problem: Problem) -> None:
    instance = instance_of(problem)
    answers = {name: solver(instance, Effort()) for name, solver in SOLVERS.items()}
    proven = max(answer.bound for answer in answers.values())
    for name, answer in answers.items():
        assert sound(problem, answer.packing), name
        assert answer.bound <= answer.packing.height, name
        assert answer.packing.height >= proven, name
    exact = [answers[name] for name in ("auto", "search", "cp-sat")]
    assert {answer.packing.height for answer in exact} == {proven}
    assert answers["bag"].packing.height == min(answers[name].packing.height for name in BAG)


SWITCHED_OFF = {
    "repair": {"first_rounds": 0, "rounds": 0},
    "proof by parts": {"proof_nodes": 0},
    "sweep": {"tries": 0},
    "search": {"nodes": 0},
    "proof by cp-sat": {"work": Work(prove=0)},
    "rectangles": {"work": Work(feasible=0)},
    "cp-sat": {"work": Work(0, 0, 0)},
    "all but cp-sat": {"first_rounds": 0, "rounds": 0, "proof_nodes": 0, "tries": 0, "nodes": 0},
}


@pytest.mark.parametrize("switch", SWITCHED_OFF)
@settings(STEADY, max_examples=25)
@given(problems())
def test_every_switch_leaves_the_optimum_unchanged(switch: str, problem: Problem) -> None:
    instance = instance_of(problem)
    whole = solve_instance(instance)
    less = solve_instance(instance, replace(Effort(), **SWITCHED_OFF[switch]))
    assert whole.optimal
    assert less.bound <= whole.bound <= less.packing.height
    if switch != "cp-sat":
        assert less.optimal


@pytest.mark.parametrize("switch", SWITCHED_OFF)
def test_every_switch_leaves_a_gap_proven(switch: str) -> None:
    instance = instance_of(problem(GAP))
    found = solve_instance(instance, replace(Effort(), **SWITCHED_OFF[switch]))
    assert (found.packing.height, found.bound) == (7, 7)


def test_an_unknown_solver_is_refused_with_the_names() -> None:
    with pytest.raises(UsageError, match="unknown solver 'best'") as error:
        solver_named("best")
    assert "gs-first" in error.value.hints[-1]


def test_nothing_to_place_is_placed_by_every_solver() -> None:
    nothing = instance_of(problem(()))
    for name, solver in SOLVERS.items():
        assert solver(nothing, Effort()).packing.offsets == (), name


def rectangles(count: int, seed: int, steps: int = 60, height: int = 1000) -> Problem:
    """A full rectangle cut up at random: ``height`` is enough, and not a byte is left over."""
    dice = random.Random(seed)
    pieces = [(0, steps, 0, height)]
    while len(pieces) < count:
        piece = max(pieces, key=lambda p: (p[1] - p[0]) * (p[3] - p[2]) * dice.random())
        begin, end, low, high = piece
        if end - begin < 2 or high - low < 2:
            continue
        pieces.remove(piece)
        if dice.random() < 0.5:
            cut = dice.randint(begin + 1, end - 1)
            pieces += [(begin, cut, low, high), (cut, end, low, high)]
        else:
            cut = dice.randint(low + 1, high - 1)
            pieces += [(begin, end, low, cut), (begin, end, cut, high)]
    dice.shuffle(pieces)
    return problem(tuple((f"b{i}", p[0], p[1], p[3] - p[2]) for i, p in enumerate(pieces)))


@pytest.mark.parametrize("seed", range(3))
def test_a_packing_without_waste_is_found(seed: int) -> None:
    some = rectangles(35, seed)
    plan = solve(some)
    assert check(plan, some) == ()
    assert (plan.arena, plan.status) == (1000, "optimal")


def test_a_gap_left_open_is_stated_not_hidden() -> None:
    some = rectangles(120, seed=1)
    plan = solve(some, Effort(nodes=300, work=Work(0, 0, 0)))
    assert check(plan, some) == ()
    assert (plan.bound, plan.status) == (1000, "feasible")
    assert plan.arena > 1000
