"""Constants that start-up copies: within what is left of a memory, and never at a loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.allocate.allocate import plan_of
from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.codegen.linker import linker_script
from deployer.codegen.network import generate
from deployer.ir.graph import Graph
from deployer.ir.plan import ConstantPlace, MemoryPlan, Schedule
from deployer.ir.show import plan_text
from deployer.plan.constants import room, with_copies_placed
from deployer.plan.fit import arena_problem, require_fit
from deployer.schedule.order import schedule
from unit.ir.nets import Net, resnet8
from unit.ir.strategies import STEADY

NUCLEO = load_board("nucleo-f767zi")


def dense_layers() -> Graph:
    net = Net("dense")
    x = net.input(1, 256)
    for outputs in (256, 128, 128, 64):
        x = net.dense(x, outputs)
    return net.graph(x)


STEPS = {name: schedule(graph, ["cortex_m"]) for name, graph in
         {"dense": dense_layers(), "resnet8": resnet8()}.items()}  # fmt: skip


def nucleo(dtcm: int) -> Board:
    memories = (replace(m, size=dtcm) if m.name == "dtcm" else m for m in NUCLEO.memories)
    return replace(NUCLEO, memories=tuple(memories))


def planned(steps: Schedule, board: Board) -> MemoryPlan:
    return with_copies_placed(steps, plan_of(arena_problem(steps, board), steps, board), board)


def copied(plan: MemoryPlan) -> Iterator[ConstantPlace]:
    return (place for place in plan.constants if place.copied)


@settings(STEADY, max_examples=25)
@given(st.sampled_from(sorted(STEPS)), st.integers(3_000, 40_000).map(lambda n: n * 4))
def test_copies_fit_and_never_lose(name: str, dtcm: int) -> None:
    steps, board = STEPS[name], nucleo(dtcm)
    plan = planned(steps, board)
    require_fit(steps, plan, board)
    assert plan.copies.get("dtcm", 0) <= room(steps, plan, board, "dtcm")
    assert all(place.saves > 0 for place in copied(plan))
    assert all(place.saves == 0 for place in plan.constants if not place.copied)
    assert plan == planned(steps, board)


def test_more_room_never_saves_less() -> None:
    saved = [
        sum(p.saves for p in planned(STEPS["dense"], nucleo(size << 10)).constants)
        for size in range(16, 144, 16)
    ]
    assert saved == sorted(saved)
    assert saved[0] < saved[-1]


def test_all_of_a_small_network_is_copied_when_there_is_room() -> None:
    plan = planned(STEPS["dense"], nucleo(1 << 18))
    left = [place for place in plan.constants if not place.copied]
    assert all(place.misses == 0 for place in left)


def test_a_network_that_stays_in_the_cache_is_left_alone() -> None:
    net = Net("tiny")
    steps = schedule(net.graph(net.dense(net.input(1, 64), 32)), ["cortex_m"])
    plan = planned(steps, NUCLEO)
    assert plan.constants
    assert not plan.copies


def test_boards_that_name_no_memory_for_copies_have_no_places() -> None:
    for name in ("gap8", "rpi3"):
        board = load_board(name)
        steps = schedule(dense_layers(), board.kernels)
        assert planned(steps, board).constants == ()
    assert planned(STEPS["dense"], replace(NUCLEO, timing=None)).constants == ()


def test_copies_get_their_section_in_c_and_linker_script() -> None:
    steps, board = STEPS["dense"], nucleo(48 << 10)
    plan = planned(steps, board)
    text = generate(steps, plan, version="1", options=())["weights.c"]
    assert text.count('DPL_SECTION(".dpl_copied.dtcm")') == len(list(copied(plan)))
    assert 'DPL_SECTION(".dpl_weights")' in text
    script = linker_script(board, dict(plan.heights), copied=plan.copies)
    assert "LONG(LOADADDR(.dpl_copied.dtcm))" in script
    assert "} > dtcm AT > flash" in script


def test_the_plan_says_what_is_copied_and_what_stays() -> None:
    plan = planned(STEPS["dense"], nucleo(48 << 10))
    text = plan_text(plan)
    assert "copied at start-up" in text
    assert "stay where the image is" in text
    rows = [line for line in text.splitlines() if line.endswith(" dtcm") and ".x8c4" in line]
    weights = [place for place in copied(plan) if place.name.endswith(".x8c4")]
    assert 0 < len(rows) == len(weights) < 4
