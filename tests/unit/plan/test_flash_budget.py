"""Flash as a budget: kernels whose constants fit, and what more or less flash costs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from deployer.analysis.liveness import step_nodes
from deployer.errors import LimitError
from deployer.ir.graph import Graph
from deployer.kernelset.select import by_symbol, select
from deployer.plan.flash import constant_bytes
from deployer.plan.flash_trades import MAX_TRADES, flash_points
from deployer.plan.kernels import fastest, kernel_cost
from deployer.plan.regions import restructured
from unit.ir.nets import kws, resnet8, vww
from unit.plan.planner_requests import request_for

NETS = {"resnet8": resnet8(), "kws": kws(), "vww": vww()}
BOARD = "nucleo-f767zi"
FEW_BYTES = 1024  # more than the first layer's kernel can save, less than any Winograd
KERNELS = request_for(BOARD).target.kernels


def planned(graph: Graph, **limits: Any) -> Graph:
    return restructured(graph, request_for(BOARD, **limits))


# A network's times that are no further apart are alike: the first kernel of a layer is kept where
# another is faster by less than the table is off.
ALIKE = 0.007


def cycles(graph: Graph) -> float:
    cost = kernel_cost(request_for(BOARD).board)
    return sum(cost(graph, node) for node in step_nodes(graph))


def kernels(graph: Graph) -> set[str]:
    return {select(KERNELS, graph, node).symbol for node in step_nodes(graph)}


@pytest.mark.parametrize("net", NETS)
def test_a_plan_keeps_to_its_budget_and_more_flash_is_never_slower(net: str) -> None:
    least = constant_bytes(planned(NETS[net], optimize="flash"), KERNELS)
    most = constant_bytes(planned(NETS[net]), KERNELS)
    sizes = range(least, most + 1, max(1, (most - least) // 12))
    plans = [planned(NETS[net], flash=size) for size in sizes]
    for size, plan in zip(sizes, plans, strict=True):
        assert constant_bytes(plan, KERNELS) <= size
    times = [cycles(plan) for plan in plans]
    assert all(after <= before * (1 + ALIKE) for before, after in pairwise(times))


@pytest.mark.parametrize("net", NETS)
def test_flash_that_is_enough_changes_nothing(net: str) -> None:
    plain = planned(NETS[net])
    assert planned(NETS[net], flash=constant_bytes(plain, KERNELS)).nodes == plain.nodes
    assert planned(NETS[net], flash=1 << 20).nodes == plain.nodes


@pytest.mark.parametrize("net", NETS)
def test_a_byte_less_than_the_least_is_refused_with_the_least(net: str) -> None:
    least = constant_bytes(planned(NETS[net], optimize="flash"), KERNELS)
    assert constant_bytes(planned(NETS[net], flash=least), KERNELS) == least
    with pytest.raises(LimitError) as refused:
        planned(NETS[net], flash=least - 1)
    assert f"{least:,} B at the least" in refused.value.why[-1]


@pytest.mark.parametrize("net", NETS)
def test_the_least_flash_is_none_of_portable_kernels(net: str) -> None:
    found, plain = planned(NETS[net], optimize="flash"), planned(NETS[net])
    assert constant_bytes(found, KERNELS) <= constant_bytes(plain, KERNELS)
    portable = {name for name in kernels(plain) if by_symbol(name).family == "ref"}
    assert {name for name in kernels(found) if by_symbol(name).family == "ref"} <= portable


def test_the_least_flash_takes_one_kernel_where_two_need_as_many_bytes() -> None:
    """1x1 layers have a kernel of their own, which takes their weights in the same order."""
    general, points = "dpl_conv2d_s8__armv7em", "dpl_conv2d_s8__armv7em_1x1"
    assert points in kernels(planned(NETS["kws"]))
    found = kernels(planned(NETS["kws"], optimize="flash"))
    assert general in found
    assert points not in found


def test_winograd_is_given_up_first_where_it_gains_least_a_byte() -> None:
    """Its weights take 3.6 times the bytes; the layers of 64 channels have most."""
    graph = NETS["resnet8"]
    named = [node for node in fastest(graph, request_for(BOARD)).nodes if "winograd" in node.kernel]
    sizes = {node.name: graph.constants[node.inputs[1]].nbytes for node in named}
    left = planned(graph, flash=constant_bytes(planned(graph), KERNELS) - FEW_BYTES)
    (lost,) = sizes.keys() - {node.name for node in left.nodes if "winograd" in node.kernel}
    assert sizes[lost] == max(sizes.values())


def test_kernels_that_are_asked_for_stay() -> None:
    graph = NETS["kws"]
    first = planned(graph, choose="first")
    assert planned(graph, choose="first", optimize="flash").nodes == first.nodes
    with pytest.raises(LimitError):
        planned(graph, choose="first", flash=constant_bytes(first, KERNELS) - 1)


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("limits", [{}, {"optimize": "flash"}, {"optimize": "ram"}])
def test_points_rise_from_the_least_flash_to_the_fastest(net: str, limits: dict[str, Any]) -> None:
    points = flash_points(NETS[net], request_for(BOARD, **limits))
    assert 1 < len(points) <= MAX_TRADES + 1
    assert all(a.bytes < b.bytes and a.cycles >= b.cycles for a, b in pairwise(points))
    fast = planned(NETS[net])
    assert points[-1].bytes == constant_bytes(fast, KERNELS)
    assert points[-1].cycles == round(cycles(fast))
    assert points[0].bytes == constant_bytes(planned(NETS[net], optimize="flash"), KERNELS)


def test_boards_without_costs_have_no_points() -> None:
    request = request_for(BOARD)
    assert (
        flash_points(NETS["kws"], replace(request, board=replace(request.board, cost=None))) == ()
    )
