"""The validator finds every kind of wrong plan."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.allocate.allocate import solve
from deployer.allocate.problem import Problem
from deployer.allocate.validate import validate, violations
from deployer.errors import UsageError
from deployer.ir.plan import Buffer, MemoryPlan, Placement
from unit.ir.strategies import STEADY, problems

A, B, C = Buffer("a", 0, 2, 8), Buffer("b", 1, 3, 8), Buffer("c", 2, 4, 8)


def plan(*places: Placement, height: int = 16, bound: int = 16, **fields: str) -> MemoryPlan:
    named = {"status": "optimal", "solver": "hand"} | fields
    return MemoryPlan(places, (("sram", height),), bound, **named)


GOOD = plan(Placement(A, "sram", 0), Placement(B, "sram", 8), Placement(C, "sram", 0))


def test_a_sound_plan_passes() -> None:
    validate(GOOD, buffers=(A, B, C), capacities={"sram": 16})


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (plan(Placement(A, "sram", 0), Placement(B, "sram", 4)), "a and b share bytes at step 1"),
        (plan(Placement(A, "sram", 6), Placement(B, "sram", 0)), "offset 6 is not a multiple of 4"),
        (plan(Placement(A, "sram", -4)), "offset -4"),
        (plan(Placement(A, "sram", 12)), "ends at 20, above the height 16"),
        (plan(Placement(A, "dtcm", 0)), "memory dtcm has no height"),
        (plan(Placement(A, "sram", 0), height=24), "called optimal at 24 bytes"),
        (plan(Placement(A, "sram", 0), height=8, status="feasible"), "bound 16 is above"),
        (plan(Placement(A, "sram", 0), status="perfect"), "unknown status 'perfect'"),
    ],
    ids=["overlap", "unaligned", "negative", "above", "memory", "optimal", "bound", "status"],
)
def test_each_violation_is_named(broken: MemoryPlan, message: str) -> None:
    assert any(message in line for line in violations(broken))
    with pytest.raises(UsageError) as error:
        validate(broken)
    assert message in str(error.value)


def test_a_long_buffer_that_meets_another_far_away_is_found() -> None:
    long = Buffer("long", 0, 9, 12)
    found = violations(plan(Placement(long, "sram", 0), Placement(Buffer("x", 7, 8, 4), "sram", 8)))
    assert found == ("long and x share bytes at step 7",)


def test_the_same_offset_in_two_memories_is_no_overlap() -> None:
    places = (Placement(A, "sram", 0), Placement(B, "dtcm", 0))
    both = MemoryPlan(places, (("sram", 8), ("dtcm", 8)), 16, "optimal", "hand")
    assert violations(both) == ()


def test_missing_twice_placed_and_foreign_buffers_are_found() -> None:
    assert violations(GOOD, buffers=(A, B)) == ("c: not one of the problem's buffers",)
    assert violations(GOOD, buffers=(A, B, C, Buffer("d", 0, 1, 1))) == ("d: placed 0 times",)
    twice = dataclasses.replace(GOOD, placements=(*GOOD.placements, Placement(C, "sram", 0)))
    assert "c: placed 2 times" in violations(twice, buffers=(A, B, C))


def test_a_height_above_the_capacity_is_found() -> None:
    assert violations(GOOD, capacities={"sram": 15}) == ("sram: height 16 exceeds its 15 bytes",)
    assert violations(GOOD, capacities={}) == ("sram: height 16 exceeds its 0 bytes",)


@STEADY
@given(problems(), st.data())
def test_a_sound_plan_broken_in_one_place_is_caught(problem: Problem, data: st.DataObject) -> None:
    good = solve(problem)
    pairs = [
        (p, q)
        for p in good.placements
        for q in good.placements
        if p is not q and p.buffer.overlaps(q.buffer) and p.buffer.size and q.buffer.size
    ]
    if not pairs:
        return
    victim, other = data.draw(st.sampled_from(pairs))
    moved = dataclasses.replace(victim, offset=other.offset)
    places = tuple(moved if p is victim else p for p in good.placements)
    broken = dataclasses.replace(good, placements=places)
    assert any("share bytes" in line for line in violations(broken, alignment=problem.alignment))
