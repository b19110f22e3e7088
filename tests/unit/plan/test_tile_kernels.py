"""Kernels that the planner takes for what runs in tiles."""

from __future__ import annotations

import pytest

from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.plan import Schedule
from deployer.ir.types import Layout
from deployer.plan.aliases import aliased
from unit.ir.nets import Net
from unit.plan.planner_requests import request_for

CONV, DEPTHWISE = "dpl_conv2d_s8__xpulpv2", "dpl_depthwise_conv2d_s8__xpulpv2"


def separable(width: int = 16, channels: int = 8) -> Graph:
    net = Net("separable")
    first = net.conv(net.input(1, 16, width, 8), channels, 1, name="first")
    return net.graph(net.conv(net.depthwise(first, 3, name="second"), 8, 1, name="third"))


def kernels(schedule: Schedule) -> dict[str, str]:
    return {step.node: step.kernel for step in schedule.steps}


def planned(graph: Graph, board: str = "gap8") -> Schedule:
    return aliased(graph, request_for(board))


def test_a_depthwise_layer_reads_blocks_that_the_convolution_before_it_transposes() -> None:
    found = planned(separable())
    assert kernels(found) == {
        "first": f"{CONV}_blocked",
        "second": f"{DEPTHWISE}_blocked",
        "third": f"{CONV}_interior",
    }
    values = found.graph.values
    blocked = {name for name, value in values.items() if value.layout is Layout.BLOCKED}
    assert blocked == {found.graph.nodes[0].output}


@pytest.mark.parametrize("odd", [{"width": 18}, {"channels": 10}], ids=str)
def test_blocks_are_whole(odd: dict[str, int]) -> None:
    found = planned(separable(**odd))
    assert kernels(found)["second"] == f"{DEPTHWISE}_3x3"
    assert all(value.layout is not Layout.BLOCKED for value in found.graph.values.values())


def test_what_others_read_too_stays_as_it_is() -> None:
    net = Net("read")
    first = net.conv(net.input(1, 16, 16, 8), 8, 1, name="first")
    graph = net.graph(net.add(first, net.depthwise(first, 3, name="second")))
    assert kernels(planned(graph))["second"] == f"{DEPTHWISE}_3x3"


def test_what_leaves_the_network_stays_as_it_is() -> None:
    net = Net("left")
    first = net.conv(net.input(1, 16, 16, 8), 8, 1, name="first")
    graph = net.graph(first, net.depthwise(first, 3, name="second"))
    assert kernels(planned(graph))["second"] == f"{DEPTHWISE}_3x3"


def test_boards_without_tiles_keep_their_kernels() -> None:
    assert all(
        "armv7em" in kernel for kernel in kernels(planned(separable(), "nucleo-f767zi")).values()
    )


def test_a_convolution_that_no_tile_holds_keeps_the_code_for_all() -> None:
    """It works in L2, where windows are cut by sides."""
    net = Net("large")
    graph = net.graph(net.conv(net.input(1, 3, 3, 8192), 8, 3, name="first"))
    assert kernels(planned(graph)) == {"first": CONV}


def test_a_window_of_few_values_is_copied_by_the_code_for_all() -> None:
    """Rows of tiles may have less than the four windows that are copied together."""
    net = Net("few")
    graph = net.graph(net.conv(net.input(1, 16, 16, 3), 8, Window((3, 3)).kernel[0], name="first"))
    assert kernels(planned(graph)) == {"first": CONV}
