"""Memories that make the core wait: what is used most lies where it waits least."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.allocate.allocate import allocate, check, fits, solve
from deployer.allocate.problem import Problem, plan_to_csv, plan_with_csv, problem_of
from deployer.allocate.waits import wait_costs
from deployer.board.load import load_board
from deployer.board.model import Board, Wait
from deployer.ir.plan import Buffer, MemoryPlan
from deployer.ir.show import plan_text
from deployer.schedule.order import schedule
from unit.ir.boards import board
from unit.ir.nets import Net, resnet8
from unit.ir.strategies import STEADY, problems


def slow_sram(where: Board, cycles: float = 0.5) -> Board:
    wait = Wait(cycles, "estimated", "a guess of the tests")
    memories = (replace(m, wait=wait) if m.name == "sram" else m for m in where.memories)
    return replace(where, memories=tuple(memories))


def test_costs_are_traffic_times_cycles() -> None:
    buffers = (Buffer("a", 0, 1, 8), Buffer("b", 0, 1, 8))
    where, traffic = slow_sram(board()), {"a": 100, "b": 7}
    assert wait_costs(buffers, ("sram", "dtcm"), where, traffic) == ((50, 0), (4, 0))
    assert wait_costs(buffers, ("sram",), where, traffic) == ()
    assert wait_costs(buffers, ("sram", "dtcm"), board(), traffic) == ()


def test_a_network_that_fits_the_fast_memory_lies_there() -> None:
    steps = schedule(resnet8(), ["ref"])
    plan = allocate(steps, slow_sram(board(dtcm=49_152)))
    assert plan.heights == (("dtcm", 49_152),)
    assert (plan.waits and plan.waits.cycles, plan.status) == (0, "optimal")
    assert allocate(steps, board(dtcm=49_152)).heights == (("sram", 49_152),)


def test_the_tensor_used_most_lies_in_the_fast_memory() -> None:
    net = Net("two")
    x = net.input(1, 16, 16, 8, name="image")
    busy = net.conv(x, 8, 1, name="busy")
    for _ in range(3):
        last = net.depthwise(busy, 5)
        x = net.add(x, last)
    steps = schedule(net.graph(x), ["ref"])
    where = slow_sram(board(dtcm=2048))
    plan = allocate(steps, where)
    assert plan.at(busy).memory == "dtcm"
    assert plan.arena == allocate(steps, board(dtcm=2048)).arena
    assert plan.waits is not None
    assert plan.waits.cycles < plan.waits.lowest
    assert plan.waits.text in plan_text(plan)


def test_the_shipped_board_states_its_waits_and_one_memory_none() -> None:
    steps = schedule(resnet8(), ["ref"])
    assert problem_of(steps, load_board("nucleo-f767zi")).costs
    assert allocate(steps, load_board("gap8")).waits is None
    twin = {m.name: m.wait for m in load_board("qemu-mps2-an500").memories}
    assert twin == {m.name: m.wait for m in load_board("nucleo-f767zi").memories}


def test_a_plan_moved_by_hand_has_no_estimate() -> None:
    plan = allocate(schedule(resnet8(), ["ref"]), slow_sram(board(dtcm=49_152)))
    text = plan_to_csv(plan).replace(",offset", ",offset,memory").splitlines()
    moved = "\n".join([text[0], *(f"{line},sram" for line in text[1:])])
    assert plan_with_csv(plan, moved).waits is None


@st.composite
def costly(draw: st.DrawFn) -> Problem:
    some = draw(problems(max_buffers=7))
    whole = sum(some.sizes)
    rooms = (("slow", whole), ("fast", draw(st.integers(0, whole // 4 + 1)) * 4))
    costs = tuple((draw(st.integers(0, 99)), 0) for _ in some.buffers)
    return replace(some, capacities=rooms, costs=costs)


@settings(STEADY, max_examples=60)
@given(costly())
def test_no_byte_is_paid_for_less_waiting(some: Problem) -> None:
    plain = solve(replace(some, costs=()))
    plan = solve(some)
    assert fits(plan, some)
    assert check(plan, some) == ()
    assert plan.arena <= plain.arena
    assert plan == solve(some)
    if plan.waits is not None:
        assert plan.waits.cycles == some.cost(plan) <= plan.waits.lowest
        if plan.waits.proven:
            assert plan.waits.cycles <= least(some, plain)


def least(some: Problem, plain: MemoryPlan) -> int:
    """Of every choice of memories that has a plan of as few bytes, found one memory at a time."""
    best = some.cost(plain)
    for choice in itertools.product((0, 1), repeat=len(some.buffers)):
        cost = sum(row[k] for row, k in zip(some.costs, choice, strict=True))
        if cost < best and sum(_heights(some, choice)) <= plain.arena:
            best = cost
    return best


def _heights(some: Problem, choice: tuple[int, ...]) -> list[int]:
    heights = []
    for k, (name, room) in enumerate(some.capacities):
        own = tuple(b for b, chosen in zip(some.buffers, choice, strict=True) if chosen == k)
        part = Problem(own, ((name, max(room, 1 << 20)),), some.alignment)
        height = solve(part).arena if own else 0
        heights.append(height if height <= room else 1 << 30)
    return heights
