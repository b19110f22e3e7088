"""Kernels by cost: the cheapest that the table knows, bytes to those that gain most with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from deployer.ir.attrs import Window
from deployer.ir.graph import Graph, Node
from deployer.kernelset.kernel import Kernel, case_of
from deployer.kernelset.select import candidates, select
from deployer.restructure.choice import Prices, choose
from deployer.restructure.cost import Coefficients
from deployer.restructure.lean import lean, refilled
from unit.analysis.spatial_nets import SAME_3, SpatialNet

FAMILIES = ("cortex_m", "ref")
FAST, POINT, REF = (
    f"dpl_conv2d_s8__{isa}" for isa in ("armv7em", "armv7em_1x1", "ref")
)  # every one takes a 1x1


def points(*sizes: int) -> Graph:
    """Layers of 1x1 one after the other."""
    net = SpatialNet()
    x = net.input(6, 6, 8)
    for channels in sizes:
        x = net.conv(x, channels, Window((1, 1)))
    return net.graph()


def prices(
    cost: Mapping[str, float], size: Mapping[str, int] | None = None, room: int = 1 << 20
) -> Prices:
    """A call of each kernel costs what ``cost`` says times the output's channels."""

    def model(graph: Graph, node: Node) -> Coefficients:
        channels = graph.values[node.output].shape[3]
        return Coefficients(0.0, 0.0, cost.get(node.kernel, 50.0) * channels)

    def stored(graph: Graph, node: Node, kernel: Kernel) -> int:
        return (size or {}).get(kernel.symbol, 100)

    return Prices(model, cost.__contains__, 0.0, stored, room)


def chosen(graph: Graph, given: Prices) -> list[str]:
    return [node.kernel for node in choose(graph, FAMILIES, given).nodes]


def test_the_cheapest_is_named_and_the_first_is_left_unnamed() -> None:
    graph = points(8, 4)
    assert select(FAMILIES, graph, graph.nodes[0]).symbol == POINT
    assert chosen(graph, prices({POINT: 10, FAST: 8, REF: 30})) == [FAST, FAST]
    assert chosen(graph, prices({POINT: 10, FAST: 12, REF: 30})) == ["", ""]


def test_less_than_the_tables_error_changes_nothing() -> None:
    assert chosen(points(8), prices({POINT: 100, FAST: 98, REF: 300})) == [""]


def test_a_portable_kernel_displaces_a_tuned_one_for_more_than_a_call_costs() -> None:
    """Channels times what stands here is what a layer costs."""
    assert chosen(points(8), prices({POINT: 200, REF: 100})) == [""]
    assert chosen(points(8), prices({POINT: 300, REF: 100})) == [REF]
    assert chosen(points(8), prices({POINT: 200, FAST: 150, REF: 100})) == [FAST]


def test_a_portable_kernel_displaces_a_tuned_one_for_three_tenths_of_the_layer() -> None:
    assert chosen(points(8), prices({POINT: 2000, REF: 1450})) == [""]
    assert chosen(points(8), prices({POINT: 2000, REF: 1350})) == [REF]


def test_what_the_table_does_not_know_is_not_taken() -> None:
    assert chosen(points(8), prices({POINT: 10})) == [""]
    assert chosen(points(8), prices({FAST: 1, REF: 1})) == [""]  # the first has no price to beat


def test_where_a_formula_has_decided_the_table_does_not() -> None:
    net = SpatialNet()
    net.conv(net.input(3, 3, 64), 2, Window((3, 3)))
    graph, direct = net.graph(), "dpl_conv2d_s8__armv7em_direct"
    assert select(FAMILIES, graph, graph.nodes[0]).symbol == direct
    assert chosen(graph, prices({direct: 100, FAST: 10})) == [""]


def test_room_goes_to_the_layer_that_gains_most() -> None:
    graph = points(4, 16, 8)
    cost, size = {POINT: 10.0, FAST: 5.0}, {POINT: 100, FAST: 300}
    for room, taken in ((1000, [FAST] * 3), (450, ["", FAST, FAST]), (250, ["", FAST, ""])):
        assert chosen(graph, prices(cost, size, room)) == [name if name else "" for name in taken]
    assert chosen(graph, prices(cost, size, 100)) == ["", "", ""]


def test_bytes_of_the_chosen_order_are_told() -> None:
    graph = choose(points(8), FAMILIES, prices({POINT: 10, FAST: 5}, {FAST: 777}))
    assert graph.nodes[0].stored == 777


def scratches(graph: Graph) -> list[int]:
    return [select(FAMILIES, graph, node).scratch(case_of(graph, node)) for node in graph.nodes]


def test_lean_kernels_take_the_least_scratch_any_does() -> None:
    net = SpatialNet()
    net.depthwise(net.conv(net.input(9, 9, 8), 8, SAME_3), SAME_3)
    graph = net.graph()
    found = lean(graph, FAMILIES)
    least = [
        min(k.scratch(case_of(graph, node)) for k in candidates(FAMILIES, case_of(graph, node)))
        for node in graph.nodes
    ]
    assert scratches(found) == least
    assert sum(scratches(graph)) > sum(least)


@pytest.mark.parametrize("limit", [0, 300, 600, 10_000])
def test_fast_kernels_come_back_up_to_a_limit(limit: int) -> None:
    fast = points(8, 16, 64, 4)
    slim = lean(fast, FAMILIES)
    found = refilled(slim, fast, FAMILIES, lambda graph: max(scratches(graph)) <= limit)
    assert max(scratches(found)) <= limit
    for node, before in zip(found.nodes, fast.nodes, strict=True):
        alone = replace(fast, nodes=(before,))
        if scratches(alone)[0] <= limit:
            assert node.kernel == before.kernel
