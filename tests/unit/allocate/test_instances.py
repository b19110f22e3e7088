"""Tables as others write them: what is answered, and what is said of one that does not fit."""

from __future__ import annotations

import pytest

from deployer.allocate.instances import Answer, answer, offsets_csv, times_csv
from deployer.allocate.problem import problem_to_csv
from deployer.allocate.solvers import SOLVERS, solver_named
from deployer.errors import FitError, UsageError
from unit.allocate.test_allocate_solvers import rectangles

TABLE = "id,lower,upper,size\na,0,3,40\nb,1,4,24\nc,3,6,40\nd,4,7,33\ne,0,7,8\n"
LEAST = 81  # c, d and e are alive together


@pytest.mark.parametrize("solver", ["auto", "search", "cp-sat", "repair"])
def test_every_solver_that_proves_gives_the_least(solver: str) -> None:
    found = answer("t", TABLE, solver_named(solver))
    assert (found.plan.arena, found.gap, found.name) == (LEAST, 0, "t")
    assert found.seconds >= 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_offsets_are_in_the_order_of_the_table(solver: str) -> None:
    found = answer("t", TABLE, solver_named(solver), alignment=16)
    head, *rows = offsets_csv(found.plan).splitlines()
    assert head == "id,offset"
    assert [row.split(",")[0] for row in rows] == ["a", "b", "c", "d", "e"]
    assert all(int(row.split(",")[1]) % 16 == 0 for row in rows)


def test_times_are_in_seconds_with_six_digits() -> None:
    plan = answer("t", TABLE, solver_named("auto")).plan
    rows = times_csv([Answer("x", plan, 1.5), Answer("y", plan, 0.0000004)])
    assert rows == "name,seconds\nx,1.500000\ny,0.000000\n"


def test_a_gap_is_what_is_not_proven() -> None:
    rows = (f"b{i},{i},{i + 3},{17 + 13 * i % 29}" for i in range(12))
    table = "\n".join(["id,lower,upper,size", *rows])
    found = answer("t", table, solver_named("bag"))
    assert found.gap == found.plan.arena - found.plan.bound


def test_what_is_alive_together_is_named() -> None:
    with pytest.raises(FitError) as failed:
        answer("t", TABLE, solver_named("auto"), capacity=LEAST - 1)
    assert failed.value.what == "t does not fit 80 B"
    assert list(failed.value.why) == ["alive together, and already too many: c 40  d 33  e 8"]
    assert list(failed.value.hints) == [f"--capacity of at least {LEAST}"]
    assert answer("t", TABLE, solver_named("auto"), capacity=LEAST).plan.arena == LEAST


def test_a_broken_table_is_named() -> None:
    with pytest.raises(UsageError) as failed:
        answer("tables/x", "id,lower\n1,2\n", solver_named("auto"))
    assert failed.value.what.startswith("tables/x: ")


def test_the_first_plan_within_the_capacity_ends_the_work() -> None:
    """Of a rectangle of height 1000, cut up: repair ends above 1,040, the search as asked."""
    text = problem_to_csv(rectangles(42, 43))
    plans = [
        answer("r", text, solver_named("auto"), capacity=capacity).plan
        for capacity in (1_300, 1_040, 1_000)
    ]
    assert 1_040 < plans[0].arena <= 1_300
    assert plans[1].arena <= 1_040
    assert plans[2].arena == 1_000
    assert [plan.solver for plan in plans[1:]] == ["search", "search"]
    assert all(plan.bound == 1_000 for plan in plans)
