"""What a board gives to tiles, and which of its steps take it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.ir.plan import Schedule
from deployer.schedule.order import schedule
from deployer.tile.room import outer_of, room_of, tile_needs, tiled_layer
from unit.ir.nets import ad

KIB = 1024


@pytest.fixture(scope="module")
def gap8() -> Board:
    return load_board("gap8")


@pytest.fixture(scope="module")
def planned(gap8: Board) -> Schedule:
    return schedule(ad(), list(gap8.kernels))


def test_tiles_take_the_innermost_memory_but_for_the_stacks_there(gap8: Board) -> None:
    room = room_of(gap8)
    assert room is not None
    l1 = gap8.memory("l1")
    assert (room.memory, room.cores) == ("l1", 8)
    assert room.size == l1.size - gap8.stack_bytes == 56 * KIB


def test_stacks_elsewhere_leave_all_of_it(gap8: Board) -> None:
    moved = replace(gap8, place=replace(gap8.place, stack=gap8.place.arena[0]))
    room = room_of(moved)
    assert room is not None
    assert room.size == gap8.memory("l1").size


@pytest.mark.parametrize("way", [("l2", "l1"), ("l1", "l2")], ids="-".join)
def test_a_memory_that_is_not_filled_and_emptied_by_an_engine_gives_none(
    gap8: Board, way: tuple[str, str]
) -> None:
    left = tuple(dma for dma in gap8.dmas if (dma.source, dma.target) != way)
    assert len(left) == len(gap8.dmas) - 1
    assert room_of(replace(gap8, dmas=left)) is None


@pytest.mark.parametrize("name", ["nucleo-f767zi", "rpi3", "host"])
def test_boards_of_one_level_have_no_room_and_nothing_behind(name: str) -> None:
    board = load_board(name)
    assert (room_of(board), outer_of(board)) == (None, None)
    assert tile_needs(schedule(ad(), list(board.kernels)), board) is None


def test_weights_come_from_the_memory_behind_the_arenas(gap8: Board) -> None:
    found = outer_of(gap8)
    assert found is not None
    memory, dma = found
    assert (dma.source, dma.target) == (memory.name, gap8.place.arena[0])


def test_a_step_has_tiles_where_the_smallest_fits(planned: Schedule, gap8: Board) -> None:
    room, step = room_of(gap8), planned.steps[0]
    assert room is not None
    node = next(node for node in planned.graph.nodes if node.name == step.node)
    least = (tile_needs(planned, gap8) or {})[step.node] - gap8.stack_bytes
    for size, fits in ((least, True), (least - 1, False)):
        small = replace(room, size=size)
        assert (tiled_layer(planned.graph, node, step.kernel, small) is not None) == fits
    assert tiled_layer(planned.graph, node, step.kernel, None) is None
    assert tiled_layer(planned.graph, node, "", room) is None


def test_every_layer_of_a_network_says_what_its_smallest_tile_needs(
    planned: Schedule, gap8: Board
) -> None:
    needs = tile_needs(planned, gap8)
    assert needs is not None
    assert list(needs) == [step.node for step in planned.steps if step.kernel]
    assert all(gap8.stack_bytes < size < gap8.memory("l1").size for size in needs.values())
