"""The search prices every way as the plan that comes of it costs, call by call."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from deployer.ir.graph import Graph, Node
from deployer.restructure.cost import Coefficients, Thin, graph_cost_of
from deployer.restructure.plan import Planner, regions_of
from unit.analysis.spatial_nets import SpatialNet, spatial_nets
from unit.ir.strategies import STEADY


def model(cores: int) -> object:
    """Every coefficient of every node is another number."""

    def priced(graph: Graph, node: Node) -> Coefficients:
        at = [other.name for other in graph.nodes].index(node.name) + 1
        thin = Thin(cores, 1.5 * at, 7.0 * at) if cores > 1 else None
        return Coefficients(1.0 * at, 10.0 + at, 100.0 * at, 1000.0 + at, thin)

    return priced


@settings(STEADY, max_examples=25)
@given(spatial_nets(8))
@pytest.mark.parametrize("cores", [1, 3])
def test_ways_cost_what_their_regions_do(cores: int, net: SpatialNet) -> None:
    graph = net.graph()
    planner = Planner(graph, model(cores))  # type: ignore[arg-type]
    for last, found in enumerate(planner.ways):
        for first, options in found.items():
            for way in options:
                regions = regions_of(graph, [(first, last, way)])
                spent = graph_cost_of(replace(graph, regions=regions), planner.priced)
                assert way.cost == pytest.approx(spent - planner.plain_cost)
