"""Small problems whose answers are known: what solvers find, prove, and say where they cannot."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path

import pytest

from deployer.allocate import search, split_exact
from deployer.allocate.allocate import plan_of
from deployer.allocate.exact import Work, improve, new_solver, prove, solve_exact
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import Instance, Packing, Solution, instance_of, part_of
from deployer.allocate.instances import answer
from deployer.allocate.portfolio import NO_EFFORT, Effort
from deployer.allocate.solver_name import SolverName
from deployer.allocate.solvers import SOLVERS, solver_named
from deployer.allocate.split import split_of
from deployer.allocate.split_exact import exact_split
from deployer.allocate.sweep import can_pack, next_lower
from deployer.allocate.table import is_instance
from deployer.errors import FitError
from deployer.ir.verify import InvariantError
from deployer.schedule.order import schedule
from unit.allocate.test_allocate_solvers import GAP, MISSED, problem
from unit.ir.boards import board
from unit.ir.nets import Net

Rows = tuple[tuple[str, int, int, int], ...]
TABLE = "\n".join(["id,lower,upper,size", *(",".join(map(str, row)) for row in GAP)])


def stacked(rows: Rows) -> tuple[Instance, Solution]:
    instance = instance_of(problem(rows))
    offsets = tuple(accumulate(instance.sizes[:-1], initial=0))
    return instance, Solution(Packing(offsets, sum(instance.sizes), "stack"), instance.bound)


def lies_apart(instance: Instance, packing: Packing) -> bool:
    spans = [(o, o + s) for o, s in zip(packing.offsets, instance.sizes, strict=True)]
    ends = max(end for _, end in spans)
    return ends == packing.height and all(
        spans[i][1] <= spans[j][0] or spans[j][1] <= spans[i][0] for i, j in instance.conflicts()
    )


def test_search_finds_what_heuristics_miss() -> None:
    instance = instance_of(problem(MISSED))
    found = solver_named("search")(instance, Effort())
    assert bag(instance).height == 15
    assert (found.packing.height, found.bound, found.prover) == (14, 14, "")
    assert found.solver == SolverName.SEARCH
    assert lies_apart(instance, found.packing)


def test_search_proves_what_the_live_set_does_not() -> None:
    found = solver_named("search")(instance_of(problem(GAP)), Effort())
    assert (found.packing.height, found.bound, found.prover) == (7, 7, SolverName.SEARCH)


@pytest.mark.parametrize("nodes", [0, 1])
def test_search_without_nodes_proves_nothing(nodes: int) -> None:
    instance = instance_of(problem(GAP))
    found = solver_named("search")(instance, Effort(nodes=nodes))
    assert (found.packing, found.bound, found.prover) == (bag(instance), 6, "")


@pytest.mark.parametrize(
    ("work", "height", "solver"),
    [
        (Work(), 14, "cp-sat"),
        (Work(feasible=0), 14, "cp-sat"),
        (Work(minimise=0), 14, "cp-sat"),
        (Work(feasible=0, minimise=0), 26, "stack"),
    ],
    ids=["both", "pairs", "rectangles", "none"],
)
def test_rectangles_or_pairs_alone_find_the_least(work: Work, height: int, solver: str) -> None:
    instance, start = stacked(MISSED)
    found = improve(instance, start, work)
    assert (found.packing.height, found.bound, found.solver) == (height, 14, solver)
    assert lies_apart(instance, found.packing)


def test_rectangles_find_nothing_below_the_least() -> None:
    """At the bound of 6 there is none, so that pairs prove 7."""
    instance, start = stacked(GAP)
    assert improve(instance, start, Work(minimise=0)) == start
    found = improve(instance, start, Work())
    assert (found.packing.height, found.bound, found.prover) == (7, 7, "cp-sat")


def test_sizes_have_their_common_unit() -> None:
    rows = tuple((name, lower, upper, 48 * size) for name, lower, upper, size in MISSED)
    instance, start = stacked(rows)
    for work in (Work(feasible=0), Work(minimise=0)):
        found = improve(instance, start, work)
        assert found.packing.height == 48 * 14
        assert lies_apart(instance, found.packing)


def test_work_that_ends_at_once_leaves_what_is_known() -> None:
    instance, start = stacked(MISSED)
    work = Work(prove=1e-12, feasible=1e-12, minimise=1e-12)
    assert prove(instance, start, work) == improve(instance, start, work) == start


def test_what_is_optimal_stays() -> None:
    instance, _ = stacked(MISSED)
    best = solver_named("search")(instance, Effort())
    assert prove(instance, best, Work()) is best
    assert solve_exact(instance, best) is best


def test_a_solver_gives_the_same_answer_on_every_machine() -> None:
    chosen = new_solver(0.25).parameters
    assert (chosen.num_workers, chosen.random_seed, chosen.max_deterministic_time) == (1, 0, 0.25)


@pytest.mark.parametrize(
    ("pairs", "part"), [(0, 1.0), (3000, 1.0), (6000, 2.0**-1.5), (12_000, 0.125)]
)
def test_work_shrinks_where_a_unit_takes_longer(pairs: int, part: float) -> None:
    found = Work(1.0, 2.0, 8.0, 0.2).for_pairs(pairs)
    assert found.prove == pytest.approx(part)
    assert (found.feasible, found.minimise) == pytest.approx((2 * part, 8 * part))
    assert found.cheapen == (0.2 if pairs <= 3000 else 0.0)


def test_the_limits_are_those_that_the_page_about_memory_states() -> None:
    page = (Path(__file__).parents[3] / "docs" / "memory.md").read_text()
    stated = re.findall(r"^\| `(\w+)` \| ([0-9.,]+) \|", page, re.MULTILINE)
    effort = asdict(Effort())
    known = {**effort.pop("work"), **effort}
    assert known.pop("target") == 0
    assert {name: float(number.replace(",", "")) for name, number in stated} == known


def test_a_packing_says_how_far_the_search_came() -> None:
    instance = instance_of(problem(GAP))
    assert search.pack(instance, 5, 1000) == search.Found(None, 6, 0)
    assert search.pack(instance, 7, 1) == search.Found(None, 7, 1)
    found = search.pack(instance, 7, 1000)
    assert found.offsets is not None
    assert instance.height(found.offsets) == found.least == 7
    assert 0 < found.nodes <= 1000
    assert search.pack(instance, 6, 1000).least == 7


def test_a_search_goes_no_deeper_than_calls_can() -> None:
    deepest = search.MAX_BUFFERS
    for count in (deepest, deepest + 1):
        rows = tuple((f"b{i}", i, i + 1, 4) for i in range(count))
        found = search.pack(instance_of(problem(rows)), 4, 10**6)
        assert (found.offsets is not None) == (count == deepest)
        assert found.least == 4


def test_a_sweep_knows_which_heights_there_can_be() -> None:
    """Sums of 4, 6 and 10."""
    instance = instance_of(problem((("a", 0, 1, 4), ("b", 1, 2, 6), ("c", 0, 2, 10))))
    assert [next_lower(instance, height) for height in (21, 20, 15, 10, 5, 4)] == [
        20, 16, 14, 6, 4, 0,
    ]  # fmt: skip


def test_a_sweep_tells_whether_a_height_is_enough() -> None:
    instance = instance_of(problem(GAP))
    assert [can_pack(instance, height, 10_000) for height in (6, 7)] == [False, True]
    assert can_pack(instance, 7, 1) is None
    huge = instance_of(problem((("a", 0, 1, 10**6 + 1), ("b", 0, 1, 10**6))))
    assert can_pack(huge, 2 * 10**6 + 1, 10_000) is None


def test_a_part_of_an_instance_has_its_own_bound() -> None:
    part = part_of(instance_of(problem(MISSED)), [3, 0, 4])
    assert (part.sizes, part.lowers, part.uppers) == ((5, 4, 4), (1, 3, 2), (4, 7, 6))
    assert part.bound == 13
    assert set(part.conflicts()) == {(0, 1), (0, 2), (1, 2)}
    assert part.spans == (3, 4, 4)


def test_a_split_counts_what_each_memory_needs_and_costs() -> None:
    instance = instance_of(problem((("a", 0, 1, 4), ("b", 0, 1, 6), ("c", 0, 1, 0))))
    costs = ((1, 10), (2, 20), (3, 30))
    found = split_of(instance, (0, 2, 0), (1, 1, 0), costs=costs, solver="hand", proven=True)
    assert (found.total, found.cost, found.proven, found.solver) == (8, 10 + 20 + 3, True, "hand")
    found = split_of(instance, (0, 0, 0), (0, 1, 1), costs=(), solver="hand")
    assert (found.total, found.cost, found.proven) == (4 + 6, 0, False)
    empty = instance_of(problem((("a", 0, 1, 0),)))
    assert split_of(empty, (0,), (1,), costs=(), solver="hand").total == 0


def test_a_split_without_work_is_the_one_known() -> None:
    instance = instance_of(problem(MISSED))
    known = split_of(instance, [0] * 6, [0] * 6, costs=(), solver="hand")
    assert exact_split(instance, (20, 20), 0.0, start=known) is known
    assert exact_split(instance, (20, 20), 0.0) is None


@pytest.mark.parametrize("proven", [True, False])
def test_the_better_split_is_taken_proven_or_not(
    proven: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of costs 1 and 9 a byte's place; the one known puts all into the dear memory."""
    monkeypatch.setattr(split_exact, "is_optimal", lambda status: proven)
    instance = instance_of(problem(MISSED))
    costs = ((1, 9),) * instance.count
    offsets = tuple(accumulate(instance.sizes[:-1], initial=0))
    known = split_of(instance, offsets, (1,) * instance.count, costs=costs, solver="hand")
    found = exact_split(instance, (40, 40), 5.0, costs=costs, start=known)
    assert found is not None
    assert (found.cost, set(found.memories), found.proven) == (6, {0}, proven)
    if not proven:
        again = exact_split(instance, (40, 40), 5.0, costs=costs, start=found)
        assert again is found


def test_a_bag_without_heuristics_is_a_bug() -> None:
    with pytest.raises(ValueError, match="no heuristic named"):
        bag(instance_of(problem(GAP)), ())


@pytest.mark.parametrize(
    ("effort", "solver", "what", "why", "hints"),
    [
        (
            Effort(),
            "auto",
            "gap does not fit 6 B",
            "proven: no placement needs less than 7 B",
            ["--capacity of at least 7"],
        ),
        (
            NO_EFFORT,
            "bag",
            "no placement of gap within 6 B was found",
            "the best placement known needs 7 B; from 6 B on, a lower one is not ruled out",
            ["--capacity of at least 7", "--effort best"],
        ),
    ],
)
def test_a_capacity_between_bound_and_least_is_refused(
    effort: Effort, solver: str, what: str, why: str, hints: list[str]
) -> None:
    with pytest.raises(FitError, match=what) as caught:
        answer("gap", TABLE, SOLVERS[solver], capacity=6, effort=effort)
    assert caught.value.why == (why,)
    assert list(caught.value.hints) == hints
    assert answer("gap", TABLE, SOLVERS[solver], capacity=7, effort=effort).plan.arena == 7


@pytest.mark.parametrize(("effort", "known"), [(Effort(), "proven"), (NO_EFFORT, "the best known")])
def test_a_network_that_fits_but_for_gaps_is_refused_with_what_is_known(
    effort: Effort, known: str
) -> None:
    net = Net("gaps")
    order = schedule(net.graph(net.conv(net.input(1, 1, 1, 4), 4, name="c")), ["ref"])
    with pytest.raises(FitError, match="gaps does not fit 'sram' on desk") as caught:
        plan_of(problem(GAP, 6), order, board(sram=8, arena=("sram",)), effort)
    why = caught.value.why
    assert why[0] == f"needs 7 B of 6 B (1 too many), {known}"
    assert why[1].startswith("most is alive at step ")
    assert "free for the arena: sram 6 of 8" in why


def overlapping(instance: Instance, effort: Effort) -> Solution:
    return Solution(Packing((0,) * instance.count, instance.bound, "none"), instance.bound)


def test_a_plan_that_loses_bytes_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvariantError, match="gap: a and b share bytes"):
        answer("gap", TABLE, overlapping)
    solvers: list[Callable[..., Solution]] = [overlapping]
    monkeypatch.setattr("deployer.allocate.allocate.solve_instance", solvers[0])
    net = Net("lost")
    order = schedule(net.graph(net.conv(net.input(1, 1, 1, 4), 4)), ["ref"])
    with pytest.raises(InvariantError, match="a and b share bytes"):
        plan_of(problem(GAP), order, board())


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("id,lower,upper,size\n", True),
        (" size , id,upper,lower ,more\na,b", True),
        ("id,lower,upper\n", False),
        ("", False),
        ("\n", False),
        ("x" * 200_000, False),
    ],
    ids=["table", "order", "column", "empty", "line", "long"],
)
def test_a_table_is_told_by_its_first_line(text: str, tells: bool) -> None:
    assert is_instance(text) == tells
