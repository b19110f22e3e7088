"""Which bytes values may share, by what the request asks for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.ir.graph import Graph
from deployer.ir.share import OVER
from deployer.plan.aliases import (
    aliased,
    arena_in_one_memory,
    policies,
    tile_order_aliases,
    whole_tensor_aliases,
)
from deployer.plan.tile_aliases import kernel_choice, tiled_overlap_offset
from unit.ir.nets import Net, kws, resnet8, sww
from unit.ir.strategies import STEADY
from unit.plan.planner_requests import request_for

KIB = 1024
GAP8, NUCLEO = request_for("gap8"), request_for("nucleo-f767zi")


def two_convolutions() -> Graph:
    """16 KiB each: the second may lie over the first only tile by tile, as it reads a halo."""
    net = Net("two")
    return net.graph(net.conv(net.conv(net.input(1, 32, 32, 16), 16, 1), 16, 3))


def test_without_sharing_no_value_takes_anothers_bytes() -> None:
    for board in ("gap8", "nucleo-f767zi"):
        found = aliased(resnet8(), request_for(board, share="off"))
        assert found.graph.shares == ()


def test_an_addition_is_written_over_an_operand_that_nobody_needs() -> None:
    net = Net("sum")
    x = net.input(1, 16, 16, 8)
    graph = net.graph(net.conv(net.add(net.conv(x, 8), net.conv(x, 8), name="sum"), 8, 3))
    shares = {share.node: share for share in aliased(graph, NUCLEO).graph.shares}
    assert shares["sum"].kind == OVER
    assert shares["sum"].overlap_offset == 0


def test_tiles_are_bound_only_where_memory_is_short() -> None:
    """The two tensors of 16 KiB and the copy of the input fit beside each other in 128 KiB."""
    graph = two_convolutions()
    roomy = aliased(graph, GAP8)
    short = aliased(graph, request_for("gap8", {"l2": 60 * KIB}))
    assert arena_in_one_memory(roomy) == 32 * KIB
    assert arena_in_one_memory(short) < 32 * KIB
    assert short.graph.shares == tile_order_aliases(graph, GAP8).graph.shares


@pytest.mark.parametrize("graph", [resnet8(), kws(), sww()], ids=lambda graph: graph.name)
@pytest.mark.parametrize("board", ["gap8", "nucleo-f767zi"])
def test_sharing_never_needs_more_memory(graph: Graph, board: str) -> None:
    plain = whole_tensor_aliases(graph, request_for(board, share="off"))
    for policy in policies(request_for(board)):
        assert arena_in_one_memory(policy(graph, request_for(board))) <= arena_in_one_memory(plain)


@settings(STEADY, max_examples=20)
@given(st.lists(st.sampled_from([8, 16, 24]), min_size=1, max_size=4), st.booleans())
def test_an_arena_in_one_memory_holds_what_is_alive(widths: list[int], residual: bool) -> None:
    net = Net("drawn")
    x = net.conv(net.input(1, 12, 12, 8), widths[0])
    for width in widths:
        y = net.conv(x, width, 3)
        x = net.add(y, net.conv(x, width)) if residual else y
    found = aliased(net.graph(x), NUCLEO)
    scratch = {step.node: step.scratch for step in found.steps}
    assert arena_in_one_memory(found) >= live_peak(lifetimes(found.graph, scratch)).bytes


def test_a_step_in_tiles_has_its_scratch_in_the_inner_memory() -> None:
    graph = two_convolutions()
    choose = kernel_choice(GAP8.board)
    for node in graph.nodes:
        symbol, scratch = choose(GAP8.board.kernels, graph, node)
        assert symbol.endswith("__xpulpv2")
        assert scratch == 0


def test_a_flat_board_has_the_kernels_scratch_in_the_arena() -> None:
    graph = two_convolutions()
    symbol, scratch = kernel_choice(NUCLEO.board)(NUCLEO.board.kernels, graph, graph.nodes[1])
    assert symbol == "dpl_conv2d_s8__armv7em"
    assert scratch > 0


def test_one_core_may_overlap_more_than_eight() -> None:
    """On a board without tiles the kernel says how far; eight cores write in no order."""
    net = Net("pad")
    graph = net.graph(net.conv(net.conv(net.input(1, 16, 16, 8), 8), 8, 3))
    node = graph.nodes[1]
    choose = kernel_choice(NUCLEO.board)
    alone, cluster = (tiled_overlap_offset(NUCLEO.board, graph, choose, cores) for cores in (1, 8))
    assert alone(graph, node, 0) is not None
    assert cluster(graph, node, 0) is None
