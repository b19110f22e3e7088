"""What a user asks for: limits, goals, refusals; and the rows of the paper's tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from deployer.analysis.cost import node_macs
from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.errors import FitError, UsageError
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.types import DType
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure.algorithm3 import Algorithm3
from deployer.restructure.auto import RestructureOptions, restructure
from deployer.restructure.cost import Coefficients, added_macs, graph_cost_of, macs_only
from deployer.restructure.plan import Planner
from deployer.restructure.tables import as_int8, tables
from unit.analysis.spatial_nets import SAME_3, SpatialNet

DOWN = Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1))


def trunk() -> tuple[Graph, SpatialNet]:
    """A wide beginning, a residual block, a tail of small tensors."""
    net = SpatialNet(5)
    x = net.conv(net.input(24, 24, 3), 12, SAME_3)
    x = net.conv(net.depthwise(x, DOWN), 8, Window((1, 1)))
    x = net.add(x, net.conv(net.depthwise(x, SAME_3), 8, SAME_3))
    x = net.conv(x, 4, DOWN)
    net.pool(x, "AveragePool", Window((6, 6)))
    return net.graph(), net


GRAPH, NET = trunk()
PLAIN = live_peak(lifetimes(GRAPH)).bytes


def test_off_and_no_limit_leave_the_graph_alone() -> None:
    for options in (RestructureOptions("off"), RestructureOptions(ram=PLAIN)):
        found = restructure(GRAPH, options)
        assert (found.graph.regions, found.arena, found.added_cost) == ((), PLAIN, 0.0)


def test_a_limit_takes_the_cheapest_plan_that_fits() -> None:
    front = Planner(GRAPH).front()
    limit = front[len(front) // 2].arena
    found = restructure(GRAPH, RestructureOptions(ram=limit))
    assert found.arena <= limit
    assert found.added_cost <= front[len(front) // 2].added_cost + 1e-9
    name, sample = GRAPH.outputs[0], NET.sample()
    np.testing.assert_array_equal(run_tiled(found.graph, sample)[name], run(GRAPH, sample)[name])


def test_goals_trade_memory_for_cost() -> None:
    time, balanced, ram = (
        restructure(GRAPH, RestructureOptions(optimize=goal))
        for goal in ("time", "balanced", "ram")
    )
    assert time.arena > balanced.arena >= ram.arena
    assert balanced.added_cost <= 0.05


def test_the_front_falls_in_memory_and_rises_in_cost() -> None:
    front = Planner(GRAPH, macs_only).front()
    assert front[0].arena == PLAIN
    assert len(front) > 2
    pairs = list(pairwise(front))
    assert all(a.arena > b.arena and a.added_cost <= b.added_cost + 1e-9 for a, b in pairs)
    assert all(plan.arena == plan.bound for plan in front)


def test_a_limit_nothing_meets_names_what_would() -> None:
    with pytest.raises(FitError) as caught:
        restructure(GRAPH, RestructureOptions(ram=100))
    text = str(caught.value)
    assert f"plain it needs {PLAIN:,} B" in text
    assert "KiB, which the planner reaches" in text


def test_rows_of_the_input_can_be_what_makes_it_fit() -> None:
    resident = restructure(GRAPH, RestructureOptions(optimize="ram"))
    streamed = restructure(GRAPH, RestructureOptions(optimize="ram", stream_input=True))
    assert streamed.arena < resident.arena
    limit = RestructureOptions(ram=streamed.arena)
    with pytest.raises(FitError, match="--stream-input"):
        restructure(GRAPH, limit)
    found = restructure(GRAPH, replace(limit, stream_input=True)).graph
    assert found.regions[0].fetch == GRAPH.inputs


def test_algorithm_3_is_selectable() -> None:
    given = restructure(GRAPH, RestructureOptions("alg3", alpha=0.5, slices=(2, 3)))
    assert given.graph.regions == Algorithm3(0.5, (2, 3))(GRAPH).regions
    swept = restructure(GRAPH, RestructureOptions("alg3", slices=(2, 3)))
    assert swept.arena <= given.arena
    assert swept.graph.regions


@pytest.mark.parametrize("options", [RestructureOptions("fast"), RestructureOptions(optimize="x")])
def test_unknown_words_are_refused(options: RestructureOptions) -> None:
    with pytest.raises(UsageError, match="unknown"):
        restructure(GRAPH, options)


def test_scratch_counts() -> None:
    scratch = {GRAPH.nodes[0].name: 1000}
    plain, found = (
        restructure(GRAPH, RestructureOptions("off"), scratch=given) for given in ({}, scratch)
    )
    assert found.arena == plain.arena + 1000


def test_cost_counts_pixels_rows_and_calls() -> None:
    def model(graph: Graph, node: object) -> Coefficients:
        return Coefficients(1.0, 100.0, 10_000.0)

    net = SpatialNet()
    net.conv(net.input(6, 4, 1), 1, SAME_3)
    assert graph_cost_of(net.graph(), model) == 6 * 4 + 6 * 100 + 10_000


def test_added_macs_are_those_of_halos() -> None:
    net = SpatialNet()
    net.conv(net.conv(net.input(8, 8, 1), 1, SAME_3), 1, SAME_3)
    graph = Algorithm3(0.1, (2, 1))(net.graph())
    total = sum(node_macs(graph, node) for node in graph.nodes)
    assert added_macs(graph) == pytest.approx(2 * 8 * 9 / total)  # a row of eight, twice


def test_tables_hold_ours_beside_the_papers() -> None:
    graphs = {name: as_int8(GRAPH) for name in ("vgg16", "resnet18")}
    vgg, resnet, average = tables(graphs)[0]
    assert (vgg.paper.saving, resnet.paper.added, average.paper.saving) == (67.5, 11.9, 54.5)
    assert vgg.ours.none_added.added == 0.0
    assert vgg.ours.capped.added <= 5.0
    assert vgg.ours.capped.saving >= vgg.ours.none_added.saving > 0
    assert all(GRAPH.values[n].dtype is DType.S8 for n in GRAPH.inputs)


def test_an_input_nobody_reads_is_not_fetched() -> None:
    net = SpatialNet(5)
    net.input(8, 8, 1)
    net.conv(net.conv(net.input(8, 8, 2), 4, SAME_3), 1, SAME_3)
    found = Planner(net.graph(), stream_input=True).smallest(added=float("inf"))
    assert all(region.fetch == () for region in found.graph.regions)
