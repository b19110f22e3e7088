"""The search prices every candidate as the plan that comes of it costs, call by call."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from deployer.board.load import load_board
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph, Node
from deployer.restructure.board_cost import counted_model, model_of
from deployer.restructure.cost import (
    Coefficients,
    CostModel,
    Thin,
    estimated_cycles,
    graph_cost_of,
    macs_only,
)
from deployer.restructure.plan import Planner, regions_of
from unit.analysis.spatial_nets import SAME_3, SpatialNet, spatial_nets
from unit.ir.strategies import STEADY


def model(cores: int) -> CostModel:
    """Every coefficient of every node is another number."""

    def priced(graph: Graph, node: Node) -> Coefficients:
        at = [other.name for other in graph.nodes].index(node.name) + 1
        thin = Thin(cores, 1.5 * at, 7.0 * at) if cores > 1 else None
        return Coefficients(1.0 * at, 10.0 + at, 100.0 * at, 1000.0 + at, thin)

    return priced


@settings(STEADY, max_examples=8)
@given(spatial_nets(8))
@pytest.mark.parametrize("cores", [1, 3])
def test_candidates_cost_what_their_regions_do(cores: int, net: SpatialNet) -> None:
    graph = net.graph()
    planner = Planner(graph, model(cores))
    for last, found in enumerate(planner.candidates):
        for first, options in found.items():
            for candidate in options:
                regions = regions_of(graph, [(first, last, candidate)])
                spent = graph_cost_of(replace(graph, regions=regions), planner.priced)
                assert candidate.cost == pytest.approx(spent - planner.plain_cost)


@settings(STEADY, max_examples=10)
@given(spatial_nets(10))
def test_plans_need_what_the_search_counted(net: SpatialNet) -> None:
    """Outputs that the last region makes, rows of a fetched input and odd scratch among it."""
    graph = net.graph()
    scratch = {node.name: 37 * i % 200 for i, node in enumerate(graph.nodes)}
    for fetch in (False, True):
        planner = Planner(graph, macs_only, scratch, stream_input=fetch)
        for part in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
            runs = planner._runs(part * planner.plain.arena)
            if runs is None or any(candidate.over for _, _, candidate in runs):
                continue
            chosen = replace(graph, regions=regions_of(graph, runs))
            assert planner.measured(chosen).bound <= part * planner.plain.arena


def test_cycles_split_rows_where_products_cut_narrow_columns() -> None:
    """Both cuts add no product; columns begin every row of the image once for each piece."""
    net = SpatialNet(1)
    x = net.conv(net.input(16, 48, 2), 16, SAME_3)
    net.conv(net.pool(x, "MaxPool", Window((2, 2), (2, 2))), 4, SAME_3)
    graph, cost = net.graph(), load_board("nucleo-f767zi").cost
    assert cost is not None
    cycles = counted_model(cost, ("ref",), 1)
    planner = Planner(graph, cycles)
    limit = 0.4 * planner.plain.arena
    by_macs, by_cycles = Planner(graph, macs_only).within(limit), planner.within(limit)
    assert by_macs is not None
    assert by_cycles is not None
    assert len(by_macs.graph.regions[0].columns) > 2
    assert by_cycles.graph.regions[0].columns == ()
    assert by_macs.added_macs == by_cycles.added_macs == 0
    spent = [graph_cost_of(plan.graph, cycles) for plan in (by_macs, by_cycles)]
    assert spent[0] > 1.01 * spent[1]


def test_a_core_more_is_no_slower_and_thin_calls_share_channels() -> None:
    net = SpatialNet()
    net.conv(net.input(16, 16, 4), 16, SAME_3)
    graph, cost = net.graph(), load_board("gap8").cost
    assert cost is not None
    node = graph.nodes[0]
    one, eight = (counted_model(cost, ("ref",), cores)(graph, node) for cores in (1, 8))
    assert eight.of(16, 16) < one.of(16, 16) / 6
    # a row: two channels a core, which take as long as a block of four
    assert one.of(1, 16) / 6 < eight.of(1, 16) < one.of(1, 16)


def test_a_board_without_costs_has_the_general_estimate() -> None:
    board = replace(load_board("nucleo-f767zi"), cost=None)
    assert model_of(board) is estimated_cycles
