"""``--effort``: more is searched, told as it is, and what is found is no worse."""

from __future__ import annotations

import pytest

from deployer.choices import EffortName
from deployer.ir.graph import Graph
from deployer.plan import PlanRequest, plan
from deployer.plan.price import Price
from deployer.plan.regions import restructured
from unit.ir.nets import Net
from unit.plan.planner_requests import request_for

KIB = 1024
EFFORTS = (EffortName.FAST, EffortName.NORMAL, EffortName.BEST)


def wide() -> Graph:
    """Layers whose weights are fetched, of several sizes, between small images."""
    net = Net("wide")
    x = net.input(1, 8, 8, 64)
    for depth in (96, 128, 160, 256, 192, 320, 256):
        x = net.conv(x, depth, 3 if depth < 200 else 1)
    return net.graph(x)


def deep() -> Graph:
    """Images that shrink while their channels grow, of which regions save RAM."""
    net = Net("deep")
    x = net.conv(net.input(1, 32, 32, 3), 16, 3)
    for depth in (16, 24, 24, 32):
        x = net.conv(x, depth, 3)
    return net.graph(net.conv(x, 8, 1))


def searched(request: PlanRequest) -> tuple[PlanRequest, list[str]]:
    told: list[str] = []
    return PlanRequest(request.board, request.target, request.limits, 0, told.append), told


@pytest.fixture(scope="module")
def fetched() -> list[tuple[float, list[str]]]:
    found = []
    for effort in EFFORTS:
        request, told = searched(request_for("gap8", {"l2": 300 * KIB}, effort=effort))
        prefetch = plan(wide(), request).memory.prefetch
        assert prefetch is not None
        found.append((prefetch.cycles, told))
    return found


def test_weights_are_fetched_in_no_more_cycles(fetched: list[tuple[float, list[str]]]) -> None:
    fast, normal, best = (cycles for cycles, _ in fetched)
    assert best <= normal <= fast


def test_more_plans_of_transfers_are_tried(fetched: list[tuple[float, list[str]]]) -> None:
    fast, normal, best = (told for _, told in fetched)
    assert len(fast) < len(normal) <= len(best)
    assert "parts of weights that are fetched" in fast
    assert any(line.startswith("times of ") for line in fast)


def test_a_limit_of_ram_is_met_at_no_more_cycles() -> None:
    cycles, searches = [], []
    for effort in EFFORTS:
        limits = {"ram": 15 * KIB, "effort": effort}
        request, told = searched(request_for("nucleo-f767zi", **limits))
        graph = restructured(deep(), request)
        cycles.append(Price(request.board).graph(graph))
        searches.append(len([line for line in told if line.startswith("regions within ")]))
    assert cycles[2] <= cycles[1] <= cycles[0]
    assert searches[0] < searches[1] < searches[2]
