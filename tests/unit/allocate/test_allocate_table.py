"""Problems and plans as CSV, and plans changed by hand."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.allocate.allocate import solve
from deployer.allocate.problem import (
    Problem,
    plan_to_csv,
    plan_with_csv,
    problem_from_csv,
    problem_of,
    problem_to_csv,
)
from deployer.allocate.table import Row, read_rows
from deployer.allocate.validate import violations
from deployer.errors import UsageError
from deployer.ir.plan import Buffer, MemoryPlan, Placement
from deployer.ir.verify import InvariantError
from deployer.schedule.order import schedule
from unit.ir.boards import board
from unit.ir.nets import Net
from unit.ir.strategies import STEADY, problems

A, B = Buffer("a", 0, 2, 8), Buffer('odd, "name"', 1, 3, 8)
PLAN = MemoryPlan(
    (Placement(A, "sram", 0), Placement(B, "sram", 8)), (("sram", 16),), 16, "optimal", "greedy"
)


def test_a_plan_is_a_table_with_offsets() -> None:
    text = plan_to_csv(PLAN)
    assert text == 'id,lower,upper,size,offset\na,0,2,8,0\n"odd, ""name""",1,3,8,8\n'


def test_a_plan_over_two_memories_names_them() -> None:
    places = (Placement(A, "sram", 0), Placement(B, "dtcm", 0))
    plan = MemoryPlan(places, (("sram", 8), ("dtcm", 8)), 16, "optimal", "greedy")
    header, first, _ = plan_to_csv(plan).splitlines()
    assert (header, first) == ("id,lower,upper,size,offset,memory", "a,0,2,8,0,sram")
    assert plan_with_csv(plan, plan_to_csv(plan)) is plan


@STEADY
@given(problems())
def test_a_problem_comes_back_from_its_table(problem: Problem) -> None:
    text = problem_to_csv(problem)
    again = problem_from_csv(text, capacities=problem.capacities, alignment=problem.alignment)
    assert again == problem


@STEADY
@given(problems())
def test_a_plan_comes_back_unchanged_from_its_table(problem: Problem) -> None:
    plan = solve(problem)
    assert plan_with_csv(plan, plan_to_csv(plan), alignment=problem.alignment) is plan
    assert problem_from_csv(plan_to_csv(plan)).buffers == problem.buffers


def test_a_table_without_offsets_is_a_problem_with_one_arena() -> None:
    problem = problem_from_csv("id,lower,upper,size\nt1,1,3,10\nt2,2,6,7\n")
    assert problem.buffers == (Buffer("t1", 1, 3, 10), Buffer("t2", 2, 6, 7))
    assert problem.capacities == (("arena", 20),)
    assert problem.bound == 20


def test_offsets_changed_by_hand_replace_the_plan() -> None:
    found = plan_with_csv(PLAN, plan_to_csv(PLAN).replace("a,0,2,8,0", "a,0,2,8,16"))
    assert found.at("a").offset == 16
    assert (found.heights, found.status, found.solver) == ((("sram", 24),), "feasible", "table")
    assert violations(found) == ()


def test_offsets_swapped_by_hand_stay_optimal() -> None:
    swapped = plan_to_csv(PLAN).replace("8,8", "8,x").replace("8,0", "8,8").replace("8,x", "8,0")
    found = plan_with_csv(PLAN, swapped)
    assert (found.at("a").offset, found.status) == (8, "optimal")
    assert violations(found) == ()


def test_an_overlap_made_by_hand_is_for_the_validator() -> None:
    found = plan_with_csv(PLAN, plan_to_csv(PLAN).replace("a,0,2,8,0", "a,0,2,8,4"))
    assert violations(found) == ('a and odd, "name" share bytes at step 1',)


def test_a_buffer_can_be_moved_to_another_memory_by_hand() -> None:
    text = 'id,lower,upper,size,offset,memory\na,0,2,8,0,dtcm\n"odd, ""name""",1,3,8,0,sram\n'
    found = plan_with_csv(PLAN, text)
    assert found.heights == (("sram", 8), ("dtcm", 8))
    assert found.status == "optimal"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,0,2,8,0\n", "missing"),
        ('a,0,2,8,0\n"odd, ""name""",1,3,8,8\nc,0,1,4,0\n', "c: not in the plan"),
        ('a,0,2,8,0\n"odd, ""name""",1,3,9,8\n', "lifetime or size differ"),
        ('a,0,2,8,\n"odd, ""name""",1,3,8,8\n', "a: no offset"),
    ],
    ids=["missing", "foreign", "size", "offset"],
)
def test_a_table_of_other_buffers_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        plan_with_csv(PLAN, f"id,lower,upper,size,offset\n{text}")
    assert message in str(error.value)
    assert error.value.exit_status == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"columns \(none\)"),
        ("id,lower,upper\na,0,1\n", "columns id,lower,upper"),
        ("id,lower,upper,size,colour\na,0,1,4,red\n", "colour"),
        ("id,lower,upper,size\na,0,1,4\na,1,2,4\n", "id twice: a"),
        ("id,lower,upper,size\na,0,1,four\n", "line 2: size is 'four'"),
        ("id,lower,upper,size\na,0,1,-4\n", "line 2: size is '-4'"),
        (f"id,lower,upper,size\na,0,1,{'9' * 99}\n", f"line 2: size is '{'9' * 36}'"),
        ("id,lower,upper,size\na,3,3,4\n", "line 2: lower 3 is not below upper 3"),
        ("id,lower,upper,size\na,0,1\n", "line 2: not as many fields"),
        ("id,lower,upper,size\na,0,1,4,0\n", "line 2: not as many fields"),
    ],
)
def test_a_malformed_table_is_refused_by_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        problem_from_csv(text)


def test_two_buffers_of_one_id_are_our_bug() -> None:
    net = Net("clash")
    x = net.conv(net.input(1, 1, 1, 4, name="c.scratch"), 4, name="c")
    steps = schedule(net.graph(x), [], choose=lambda *_: ("kernel", 8))
    with pytest.raises(InvariantError, match="two buffers"):
        problem_of(steps, board())


@STEADY
@given(st.lists(st.text(st.characters(exclude_categories=()), min_size=1), max_size=6, unique=True))
def test_any_names_come_back_from_a_table(names: list[str]) -> None:
    buffers = [Buffer(name, i, i + 1, 8) for i, name in enumerate(names)]
    places = tuple(Placement(buffer, "sram", 0) for buffer in buffers)
    plan = MemoryPlan(places, (("sram", 8),), 8, "optimal", "greedy")
    text = plan_to_csv(plan)
    assert len(text.encode().splitlines()) == 1 + len(names)
    assert plan_with_csv(plan, text) is plan


@pytest.mark.parametrize("cell", ["\0", '"open', "9" * 5000, "x" * 200_000])
def test_a_cell_that_is_none_is_refused_with_its_line(cell: str) -> None:
    with pytest.raises(UsageError, match="allocation table"):
        plan_with_csv(PLAN, f"id,lower,upper,size,offset\na,0,2,8,{cell}\n")


@pytest.mark.parametrize("memory", [False, True])
def test_columns_may_stand_in_any_order(memory: bool) -> None:
    fields = {"id": "a", "lower": "0", "upper": "2", "size": "8", "offset": "16"}
    if memory:
        fields["memory"] = "dtcm"
    for order in permutations(fields):
        text = "\n".join([",".join(order), ",".join(fields[name] for name in order)])
        assert read_rows(text) == (Row(A, 16, fields.get("memory", "")),)
