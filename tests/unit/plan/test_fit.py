"""Where the harness keeps its copy of the inputs, and what the arena is left."""

from __future__ import annotations

import dataclasses

import pytest

from deployer.board.model import Board
from deployer.ir.plan import MemoryPlan
from deployer.plan.fit import (
    STATIC_RESERVE_BYTES,
    arena_problem,
    arena_problems,
    copy_memories,
    copy_memory,
    require_fit,
)
from deployer.schedule.order import schedule
from unit.ir.boards import board
from unit.ir.nets import resnet8

GRAPH = resnet8()
COPY = 3 * 32 * 32
STACK = 2048


def test_the_copy_lies_beside_the_data_if_it_can() -> None:
    assert copy_memories(GRAPH, board()) == ("dtcm", "sram")
    assert copy_memories(GRAPH, board(dtcm=STACK + STATIC_RESERVE_BYTES + COPY))[0] == "dtcm"


def test_a_copy_too_large_for_the_data_memory_lies_in_another() -> None:
    narrow = board(dtcm=STACK + STATIC_RESERVE_BYTES + COPY - 1)
    assert copy_memories(GRAPH, narrow) == ("sram",)
    order = schedule(GRAPH, narrow.kernels)
    rooms = dict(arena_problem(order, narrow).capacities)
    assert rooms["sram"] == (1 << 16) - COPY
    assert rooms["dtcm"] == (COPY - 1) // 4 * 4


def test_an_inner_memory_is_left_to_tiles() -> None:
    wide = board()
    inner = dataclasses.replace(wide.memory("sram"), level=1)
    flash, _, dtcm = wide.memories
    assert copy_memories(GRAPH, dataclasses.replace(wide, memories=(flash, inner, dtcm))) == (
        "dtcm",
    )


def test_without_room_anywhere_the_data_memory_is_blamed() -> None:
    assert copy_memories(GRAPH, board(sram=1024, dtcm=1024)) == ("dtcm",)


@pytest.mark.parametrize(
    ("where", "memory"),
    [
        # the arena of 49,152 B fills sram: only the memory of the data is left
        (board(sram=49_152, dtcm=1 << 14), "dtcm"),
        # tensors need what the copy would take of dtcm, and sram has room for it
        (board(sram=35_000 + COPY, dtcm=STACK + STATIC_RESERVE_BYTES + 18_000), "sram"),
    ],
)
def test_the_copy_moves_where_the_arena_leaves_room(where: Board, memory: str) -> None:
    order = schedule(GRAPH, where.kernels)
    problem = arena_problem(order, where)
    assert len(arena_problems(order, where)) == 2
    rooms = dict(problem.capacities)
    assert rooms[memory] + COPY <= where.memory(memory).size
    heights = tuple(problem.capacities)
    assert copy_memory(GRAPH, heights, where) == memory


def test_the_copy_is_a_claim_of_its_own_and_counts() -> None:
    order = schedule(GRAPH, ["ref"])
    plan = MemoryPlan((), (("sram", 49_152),), 49_152, "optimal", "hand")
    rows = {row.memory: row for row in require_fit(order, plan, board()).rows}
    assert rows["dtcm"].used == STACK + STATIC_RESERVE_BYTES + COPY
    assert f"input copy {COPY:,}" in rows["dtcm"].holds
    narrow = board(dtcm=STACK + STATIC_RESERVE_BYTES)
    rows = {row.memory: row for row in require_fit(order, plan, narrow).rows}
    assert rows["sram"].used == 49_152 + COPY
