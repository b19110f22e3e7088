"""The smallest memory that is told is one in which the network is planned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.board.load import load_board
from deployer.errors import UsageError
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.plan.prefetch import scheduled
from deployer.plan.regions import restructured
from deployer.plan.request import PlanRequest
from deployer.plan.smallest import STEP_BYTES, smallest_arena
from deployer.plan.verdict import judge
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Some 25 KB alive in one dense step, 48 KB of weights."""
    draft = Draft(1, 1, 1, 12_000, seed=3)
    found = draft.graph(draft.dense(draft.reshape(draft.table("x", "sigmoid"), 1, 12_000), 4))
    options = QuantOptions(equalize="off", bias_correction="off")
    return quantize(found, synthetic_samples(found, seed=0), options).graph


def request(board: str, size: int | None = None) -> PlanRequest:
    found = load_board(board)
    if size is not None:
        l2, *others = found.memories
        found = replace(found, memories=(replace(l2, size=size), *others))
    return PlanRequest(found, found)


def fits(request: PlanRequest, graph: Graph) -> bool:
    found = scheduled(restructured(graph, request), request)
    return judge(found, request.board).refusal is None


def test_it_is_planned_with_that_size_and_not_with_a_step_less(graph: Graph) -> None:
    size = smallest_arena(graph, request("gap8"))
    assert size is not None
    assert size % STEP_BYTES == 0
    assert size < 512 << 10
    assert fits(request("gap8", size), graph)
    assert not fits(request("gap8", size - STEP_BYTES), graph)


def test_larger_ones_than_the_board_has_are_tried(graph: Graph) -> None:
    size = smallest_arena(graph, request("gap8"))
    assert size is not None
    low = size // 2 // STEP_BYTES * STEP_BYTES
    assert not fits(request("gap8", low), graph)
    assert smallest_arena(graph, request("gap8", low)) == size
    assert smallest_arena(graph, request("gap8", STEP_BYTES)) is None


def test_an_arena_in_several_memories_has_no_smallest_one(graph: Graph) -> None:
    with pytest.raises(UsageError, match="may lie in"):
        smallest_arena(graph, request("nucleo-f767zi"))
