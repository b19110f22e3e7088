"""MACs, parameters and bytes of constants."""

from __future__ import annotations

import dataclasses

import pytest

from deployer.analysis.cost import GraphCost, graph_cost, node_macs, node_weight_bytes
from deployer.ir.graph import Graph
from unit.ir.nets import Net, resnet8, vww


@pytest.mark.parametrize(
    ("graph", "macs", "parameters"),
    [(resnet8(), 12_501_632, 77_706), (vww(), 7_489_664, 210_850)],
    ids=["resnet8", "vww"],
)
def test_totals_of_known_networks(graph: Graph, macs: int, parameters: int) -> None:
    cost = graph_cost(graph)
    assert (cost.macs, cost.parameters) == (macs, parameters)


def test_a_convolution_stores_weights_bias_and_nine_bytes_a_channel() -> None:
    net = Net("one")
    graph = net.graph(net.conv(net.input(1, 8, 8, 3), 16, 3))
    (cost,) = graph_cost(graph).nodes
    assert (cost.weights, cost.bias, cost.requant) == (16 * 3 * 3 * 3, 16 * 4, 16 * (4 + 4 + 1))
    assert cost.bytes == node_weight_bytes(graph, graph.nodes[0]) == 432 + 64 + 144
    assert cost.macs == node_macs(graph, graph.nodes[0]) == 8 * 8 * 432
    assert cost.parameters == 432 + 16


def test_a_softmax_table_is_stored_but_no_parameter() -> None:
    net = Net("table")
    graph = net.graph(net.softmax(net.dense(net.input(1, 4), 3)))
    cost = graph_cost(graph)
    assert cost.nodes[1].bytes == 256 * 4
    assert cost.parameters == 4 * 3 + 3


def test_aliases_and_pools_without_weights_cost_no_macs() -> None:
    net = Net("free")
    graph = net.graph(net.reshape(net.pool(net.input(1, 2, 2, 3))))
    cost = graph_cost(graph)
    assert cost.macs == cost.parameters == cost.weights == 0
    assert cost.requant == 4 * (4 + 4 + 1)


def test_a_shared_constant_is_stored_once() -> None:
    net = Net("shared")
    a = net.dense(net.input(1, 4), 4, name="a")
    graph = net.graph(net.dense(a, 4, name="b"))
    second = dataclasses.replace(graph.nodes[1], inputs=(a, "a_w", "b_b"))
    shared = dataclasses.replace(graph, nodes=(graph.nodes[0], second))
    assert graph_cost(graph).weights - graph_cost(shared).weights == 16
    assert graph_cost(shared).parameters == 16 + 4 + 4


def test_nothing_costs_nothing() -> None:
    assert GraphCost(()).bytes == GraphCost(()).macs == 0
