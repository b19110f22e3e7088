"""Where an image has the harness's copy of the inputs."""

from __future__ import annotations

from dataclasses import replace

from deployer.board.load import load_board, load_twin
from deployer.ir.graph import Graph
from deployer.ir.plan import MemoryPlan
from deployer.plan.inputs import input_copy_address, input_copy_memory
from deployer.plan.request import PlanRequest
from unit.ir.nets import Net
from unit.plan.planner_requests import request_for

KIB = 1024


def network(size: int) -> Graph:
    net = Net("input")
    return net.graph(net.dense(net.input(1, size), 4))


def arena(**heights: int) -> MemoryPlan:
    return MemoryPlan((), tuple(heights.items()), sum(heights.values()), "optimal", "hand")


def test_it_takes_the_last_bytes_of_the_memory_behind_the_arenas() -> None:
    """GAP8's 8 MiB of L3; the engine that moves it moves words."""
    request, graph = request_for("gap8"), network(1001)
    assert input_copy_address(graph, arena(l2=4 * KIB), request) == (8 << 20) - 1004
    assert input_copy_memory(graph, arena(l2=4 * KIB), request) == "l2"


def test_cores_read_it_where_no_memory_lies_behind() -> None:
    request = request_for("nucleo-f767zi")
    assert input_copy_address(network(1001), arena(sram=4 * KIB), request) is None


def test_it_lies_beside_the_data_until_the_arena_needs_that_room() -> None:
    """On the nucleo it waits for what waits longest: sram is behind the cache."""
    request, graph = request_for("nucleo-f767zi"), network(64 * KIB)
    assert input_copy_memory(graph, arena(sram=KIB), request) == "sram"
    assert input_copy_memory(graph, arena(sram=384 * KIB), request) == "dtcm"


def test_a_twin_without_that_memory_has_it_beside_its_data() -> None:
    """GAP8's QEMU twin has no L3."""
    board = load_board("gap8")
    twin = load_twin(board, "qemu_system")
    flat = replace(twin, memories=tuple(m for m in twin.memories if m.name != "l3"))
    request, graph = PlanRequest(board, flat), network(1000)
    assert input_copy_address(graph, arena(l2=KIB), request) is None
    assert input_copy_memory(graph, arena(l2=KIB), request) == flat.place.data
