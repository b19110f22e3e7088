"""Weights that are fetched: which can be, in which parts, when they are asked for."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.board.model import CodeSize
from deployer.errors import FitError
from deployer.ir.graph import Graph
from deployer.ir.share import Share
from deployer.plan.aliases import whole_tensor_aliases
from deployer.plan.chunks import chunk_counts, code_bytes_of
from deployer.plan.effort import PlanEffort
from deployer.plan.fetchable import (
    PrefetchProblem,
    fetches_weights,
    prefetch_problem,
    weights_overflow,
)
from deployer.plan.prefetch import on_demand, prefetched, scheduled
from deployer.plan.release import released, required_bytes, without_costly_aliases
from deployer.plan.room import fits_with_prefetch, resident_fits
from unit.ir.nets import Net
from unit.ir.strategies import STEADY
from unit.plan.planner_requests import request_for

KIB = 1024
CODE = CodeSize(harness=0, step=700, again=150, alias=70, kind="counted", source="")


def dense(layers: int = 4, width: int = 256) -> Graph:
    """Weights of ``width`` squared bytes a layer, activations of ``width``."""
    net = Net("dense")
    x = net.input(1, width)
    for _ in range(layers):
        x = net.dense(x, width)
    return net.graph(x)


def problem(graph: Graph, l2: int = 512) -> PrefetchProblem:
    request = request_for("gap8", {"l2": l2 * KIB})
    found = prefetch_problem(whole_tensor_aliases(graph, request), request.target)
    assert found is not None
    return found


def test_only_weights_of_steps_in_tiles_can_be_fetched() -> None:
    """With them come 12 bytes a channel: its bias, multiplier and rounding."""
    found = problem(dense(3))
    assert [item.bytes for item in found.fetchable] == [256 * (256 + 12)] * 3
    assert [(item.step, item.until, len(item.nodes)) for item in found.fetchable] == [
        (0, 0, 1),
        (1, 1, 1),
        (2, 2, 1),
    ]


def test_weights_that_two_steps_read_are_held_between_them() -> None:
    net = Net("shared")
    x = net.dense(net.input(1, 64), 64, name="a")
    x = net.dense(x, 64, name="b")
    graph = net.graph(net.dense(x, 64, name="c"))
    nodes = {node.name: node for node in graph.nodes}
    last = nodes["c"]
    again = replace(last, inputs=(last.inputs[0], "a_w", *last.inputs[2:]))
    graph = replace(graph, nodes=(*graph.nodes[:2], again))
    found = problem(graph)
    kept = {item.nodes: (item.step, item.until) for item in found.fetchable}
    assert kept == {("a", "c"): (0, 2), ("b",): (1, 1)}
    assert found.held == (0, 64 * (64 + 12), 64 * (64 + 12))


def test_room_is_what_harness_code_and_other_constants_leave() -> None:
    found, larger = problem(dense(), 256), problem(dense(), 320)
    assert larger.room - found.room == 64 * KIB
    fixed = found.constants - 4 * 256 * (256 + 12)
    assert fixed >= 0
    assert 0 < 256 * KIB - found.room - found.code - fixed < 16 * KIB
    more = replace(found, code_excess=1000)
    assert found.room - more.room == 1000


def test_bytes_alive_are_inputs_and_outputs_of_each_step() -> None:
    assert problem(dense(3, 128)).alive == (256, 256, 256)


def test_boards_without_a_memory_behind_fetch_nothing() -> None:
    nucleo, gap8 = request_for("nucleo-f767zi"), request_for("gap8")
    assert fetches_weights(gap8.board)
    assert not fetches_weights(nucleo.board)
    order = whole_tensor_aliases(dense(), nucleo)
    assert prefetch_problem(order, nucleo.target) is None
    assert not weights_overflow(nucleo.board, dense(80))


@pytest.mark.parametrize(("layers", "over"), [(7, False), (8, True)])
def test_weights_overflow_where_all_are_more_than_the_memory(layers: int, over: bool) -> None:
    """8 x 64 KiB are 512 KiB, and biases come on top."""
    assert weights_overflow(request_for("gap8").board, dense(layers)) is over


@pytest.mark.parametrize(("l2", "resident"), [(512, True), (320, True), (256, False)])
def test_nothing_is_fetched_while_all_weights_have_room(l2: int, resident: bool) -> None:
    assert resident_fits(problem(dense(), l2)) is resident


def test_a_network_fits_with_prefetch_whose_weights_do_not() -> None:
    graph = dense()
    for l2, fits in ((160, True), (40, False)):
        request = request_for("gap8", {"l2": l2 * KIB})
        assert fits_with_prefetch(whole_tensor_aliases(graph, request), request) is fits


@settings(STEADY, max_examples=12)
@given(st.integers(100, 300))
def test_transfers_are_asked_for_in_order_and_never_too_late(l2: int) -> None:
    request = request_for("gap8", {"l2": l2 * KIB})
    order = scheduled(dense(), request)
    given_ = prefetch_problem(order, request.target)
    assert given_ is not None
    _, plan = prefetched(given_)
    assert plan.prefetch is not None
    begins = [fetch.begin for fetch in plan.prefetch.fetches]
    steps = [fetch.step for fetch in plan.prefetch.fetches]
    assert begins == sorted(begins)
    assert all(begin <= step for begin, step in zip(begins, steps, strict=True))
    fetched = sum(fetch.bytes for fetch in plan.prefetch.fetches)
    assert plan.prefetch.resident + fetched == given_.constants


def test_on_demand_each_step_fetches_its_own_weights() -> None:
    given_ = problem(dense(), 160)
    _, plan = on_demand(given_)
    assert plan.prefetch is not None
    assert [fetch.begin for fetch in plan.prefetch.fetches] == [0, 1, 2, 3]
    assert plan.arena >= 2 * 256 + 256 * 256


def test_a_step_without_room_for_its_weights_is_refused() -> None:
    with pytest.raises(FitError) as caught:
        on_demand(problem(dense(), 90))
    assert any("the memory behind it has weights" in line for line in caught.value.why)


@pytest.mark.parametrize("l2", [100, 128, 160, 224])
def test_parts_of_a_layer_are_as_many_as_lie_beside_each_other(l2: int) -> None:
    """The coarsest cut lets two parts lie in the room: the current one and the next."""
    given_ = problem(dense(), l2)
    limit = (given_.room - given_.alive[1]) // 2
    counts = chunk_counts(given_, PlanEffort().coarsened)
    coarsest = dict.fromkeys(("fullyconnected1", "fullyconnected2"), -(-256 * 256 // limit))
    wanted = {name: count for name, count in coarsest.items() if count > 1}
    assert any({name: one.get(name) for name in wanted} == wanted for one in counts)
    assert all(count > 1 for one in counts for count in one.values())


def test_more_parts_have_more_code() -> None:
    """Parts are of two sizes: the second of a size shares the code of the first."""
    sizes = [code_bytes_of([count], CODE) for count in range(2, 9)]
    assert sizes[0] == 770
    assert {b - a for a, b in pairwise(sizes)} == {150}


def test_an_alias_that_keeps_bytes_alive_for_longer_is_given_up() -> None:
    """The last output lies inside of the first, which nobody needs any longer: with the alias its
    16 KiB stay to the end, without it 64 bytes."""
    net = Net("long")
    x = net.dense(net.input(1, 64), 16 * KIB, name="wide")
    for index in range(4):
        x = net.dense(x, 64, name=f"narrow{index}")
    graph = net.graph(x)
    request = request_for("gap8")
    order = whole_tensor_aliases(
        graph, replace(request, limits=replace(request.limits, share="off"))
    )
    inside = Share("narrow2", "wide_out", "inside", 0)
    bound = replace(order, graph=replace(order.graph, shares=(inside,)))
    given_ = PrefetchProblem(bound, request.target)
    assert given_.alive[3] >= 16 * KIB
    assert without_costly_aliases(given_).graph.shares == ()
    assert released(given_).alive[3] < KIB


def test_what_a_step_requires_is_alive_and_some_of_its_weights() -> None:
    given_ = problem(dense(), 160)
    own = required_bytes(given_)
    assert (own >= [alive + 16 * KIB for alive in given_.alive]).all()
    assert (own <= [alive + 256 * 256 + 4 * KIB for alive in given_.alive]).all()
