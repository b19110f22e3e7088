"""Rows of line buffers are made several at a time where there is room for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deployer.ir.attrs import Window
from deployer.ir.graph import Graph, Node
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure import prefix
from deployer.restructure.cost import Coefficients, graph_cost_of
from deployer.restructure.plan import Planner, regions_of
from unit.analysis.spatial_nets import SAME_3, SpatialNet


def dear_calls(graph: Graph, node: Node) -> Coefficients:
    """A call costs as much as ten pixels."""
    return Coefficients(1.0, 0.0, 10.0)


def chain() -> SpatialNet:
    net = SpatialNet(5)
    x = net.conv(net.input(24, 8, 2), 8, SAME_3)
    net.pool(net.conv(net.depthwise(x, SAME_3), 4, SAME_3), "MaxPool", Window((2, 2), (2, 2)))
    return net


NET = chain()
GRAPH = NET.graph()


def test_the_smallest_plan_takes_one_row_at_a_time() -> None:
    plan = Planner(GRAPH, dear_calls).smallest(added=float("inf"))
    assert {region.chunk for region in plan.graph.regions} == {1}


def test_more_room_buys_fewer_calls() -> None:
    planner = Planner(GRAPH, dear_calls)
    least = planner.smallest(added=float("inf"))
    roomy = planner.within(least.arena * 1.6)
    assert roomy is not None
    assert max(region.chunk for region in roomy.graph.regions) > 1
    assert roomy.added_cost < least.added_cost
    sample, name = NET.sample(), GRAPH.outputs[0]
    np.testing.assert_array_equal(run_tiled(roomy.graph, sample)[name], run(GRAPH, sample)[name])


def test_the_search_prices_calls_as_they_are_made() -> None:
    planner = Planner(GRAPH, dear_calls)
    for chunk in (1, 2, 4):
        candidates = planner.candidates[-1][0]
        candidate = next(
            candidate
            for candidate in candidates
            if candidate.chunk == chunk and candidate.split == (1, 1)
        )
        graph = replace(GRAPH, regions=regions_of(GRAPH, [(0, planner.facts.count - 1, candidate)]))
        assert candidate.cost == pytest.approx(
            graph_cost_of(graph, dear_calls) - planner.plain_cost
        )


def test_it_costs_less_than_rows_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    several = Planner(GRAPH, dear_calls)
    budget = several.smallest(added=float("inf")).arena * 1.6
    monkeypatch.setattr(prefix, "CHUNKS", (1,))
    single = Planner(GRAPH, dear_calls)
    found, other = several.within(budget), single.within(budget)
    assert found is not None
    assert other is not None
    assert found.added_cost < other.added_cost
