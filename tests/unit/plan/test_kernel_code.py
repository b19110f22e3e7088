"""Code of the kernels as a budget: which of them give way, and what the arena keeps to."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from deployer.errors import LimitError
from deployer.ir.graph import Graph
from deployer.kernelset.select import by_symbol
from deployer.pipeline.integer_network import outline
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.plan.aliases import aliased, arena_in_one_memory
from deployer.plan.kernel_code import kernel_code
from deployer.plan.kernels import kernel_cost
from deployer.plan.regions import restructured
from deployer.tools.zoo.build import draw, save
from unit.plan.planner_requests import request_for

BOARD = "nucleo-f767zi"
MUCH = 1 << 20
STATED = 24 << 10
NETS: dict[str, dict[str, Any]] = {
    "shufflenetv1": {"width": 0.5, "resolution": (96, 96), "classes": 10},
    "shufflenetv2": {"width": 0.5, "resolution": (96, 96), "classes": 10},
    "mobilenetv1": {"width": 0.25, "resolution": (96, 96)},
    "resnet8": {},
}


@cache
def network(name: str) -> Graph:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        save(draw(name, **NETS[name]), path)
        return outline(make_job(path, BOARD, options=Options(golden_samples=1)))


def planned(name: str, **limits: Any) -> Graph:
    return restructured(network(name), request_for(BOARD, **limits))


def code(graph: Graph, **limits: Any) -> int:
    request = request_for(BOARD, **limits)
    return kernel_code(aliased(graph, request), request.target) or 0


def cycles(graph: Graph) -> float:
    cost = kernel_cost(request_for(BOARD).board)
    return sum(cost(graph, node) for node in graph.nodes)


def test_networks_of_many_kinds_keep_to_what_the_board_states() -> None:
    for name in ("shufflenetv1", "shufflenetv2"):
        assert code(planned(name)) <= STATED < code(planned(name, kernel_code=MUCH))


def test_so_do_plans_of_little_ram_within_the_same_bytes() -> None:
    ram = 30 << 10
    plan, free = (planned("mobilenetv1", ram=ram, **given) for given in ({}, {"kernel_code": MUCH}))
    assert code(plan, ram=ram) <= STATED < code(free, ram=ram)
    assert arena_in_one_memory(aliased(plan, request_for(BOARD, ram=ram))) <= ram


def test_the_smallest_arena_stays_the_smallest() -> None:
    arenas = []
    for given in ({}, {"kernel_code": MUCH}):
        request = request_for(BOARD, optimize="ram", **given)
        plan = restructured(network("mobilenetv1"), request)
        arenas.append(arena_in_one_memory(aliased(plan, request)))
    assert arenas[0] <= arenas[1]


def test_a_network_whose_kernels_fit_is_left_alone() -> None:
    assert planned("resnet8").nodes == planned("resnet8", kernel_code=MUCH).nodes


@pytest.mark.parametrize("name", ["resnet8", "mobilenetv1"])
def test_less_code_is_slower_and_never_more_than_is_granted(name: str) -> None:
    most = code(planned(name, kernel_code=MUCH))
    times = []
    for size in (most, most * 3 // 4, most // 2):
        plan = planned(name, kernel_code=size)
        assert code(plan) <= size
        times.append(cycles(plan))
    assert times[0] < times[1] < times[2]


def test_what_is_granted_takes_the_place_of_what_the_board_states() -> None:
    free = code(planned("shufflenetv1", kernel_code=MUCH))
    assert STATED < code(planned("shufflenetv1", kernel_code=30 << 10)) <= 30 << 10 < free


def test_less_code_than_any_plan_has_is_refused() -> None:
    with pytest.raises(LimitError, match="do not fit 1,024 B") as refused:
        planned("resnet8", kernel_code=1024)
    least = int(refused.value.hints[0].removeprefix("--kernel-code ").removesuffix("KiB"))
    assert code(planned("resnet8", kernel_code=least << 10)) <= least << 10


def test_first_kernels_stay_where_they_are_asked_for() -> None:
    plan = planned("shufflenetv1", choose="first")
    assert not any(node.kernel for node in plan.nodes)
    assert code(plan) > STATED


def test_constants_keep_to_their_budget_beside_it() -> None:
    plan = planned("mobilenetv1", optimize="flash", kernel_code=14 << 10)
    assert code(plan) <= 14 << 10
    stored = [by_symbol(node.kernel) for node in plan.nodes if node.kernel]
    assert not any(kernel.opt_in for kernel in stored)


def test_boards_of_other_kernels_know_no_code() -> None:
    request = request_for("gap8")
    assert kernel_code(aliased(network("resnet8"), request), request.target) is None
