"""The planner as a whole: a function of a graph and a request, without a pipeline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deployer.analysis.liveness import lifetimes
from deployer.errors import FitError, LimitError
from deployer.ir.graph import Graph
from deployer.ir.plan import Placement
from deployer.plan.plan import Plan, allocated, plan, tiled
from deployer.plan.prefetch import scheduled
from deployer.plan.regions import restructured
from deployer.plan.request import PlanRequest
from unit.ir.nets import Net, kws, resnet8
from unit.plan.planner_requests import request_for

KIB = 1024


def heavy() -> Graph:
    """Weights of 4 x 64 KiB, activations of 1 KiB at the most."""
    net = Net("heavy")
    x = net.input(1, 256)
    for _ in range(4):
        x = net.dense(x, 256)
    return net.graph(x)


def wide() -> Graph:
    """64 KiB between an input of 12 KiB and an output of 8 KiB, few weights."""
    net = Net("wide")
    x = net.conv(net.input(1, 64, 64, 3), 16, 3)
    x = net.conv(x, 8, 3, stride=2)
    return net.graph(net.dense(net.reshape(net.pool(x)), 4))


CASES: dict[str, tuple[Graph, PlanRequest]] = {
    "flat": (resnet8(), request_for("nucleo-f767zi")),
    "tiles": (resnet8(), request_for("gap8")),
    "fetched": (heavy(), request_for("gap8", {"l2": 160 * KIB})),
    "regions": (wide(), request_for("nucleo-f767zi", {"sram": 48 * KIB, "dtcm": 32 * KIB})),
    "stripes": (wide(), request_for("gap8", {"l2": 104 * KIB})),
}


@pytest.mark.parametrize("name", CASES)
def test_a_plan_is_what_its_stages_make_one_after_the_other(name: str) -> None:
    graph, request = CASES[name]
    whole = plan(graph, request)
    schedule = scheduled(restructured(graph, request), request)
    memory = allocated(schedule, request)
    tiles = tiled(schedule, memory, request)
    assert (whole.schedule.steps, whole.memory, whole.tiles) == (schedule.steps, memory, tiles)
    assert whole.schedule.graph.nodes == schedule.graph.nodes


def kinds(made: Plan) -> set[str]:
    """What a plan has beside whole tensors in one flat memory."""
    graph = made.schedule.graph
    found = {"regions"} if graph.regions else set()
    found |= {"fetched"} if made.memory.prefetch else set()
    found |= {"tiles"} if any(step.tiling for step in made.tiles.steps) else set()
    return found | ({"stripes"} if any(n.op == "Slice" for n in graph.nodes) else set())


@pytest.mark.parametrize("name", CASES)
def test_each_case_has_what_it_is_named_for(name: str) -> None:
    graph, request = CASES[name]
    found = kinds(plan(graph, request))
    assert name in found if name != "flat" else not found


def end(place: Placement) -> int:
    return place.offset + place.buffer.size


@pytest.mark.parametrize("name", CASES)
def test_no_two_buffers_that_live_at_once_overlap(name: str) -> None:
    graph, request = CASES[name]
    made = plan(graph, request)
    placed = made.memory.placements
    scratch = {step.node: step.scratch for step in made.schedule.steps}
    sizes = {b.id: b.size for b in lifetimes(made.schedule.graph, scratch)}
    assert sizes.keys() <= {p.buffer.id for p in placed}
    for index, one in enumerate(placed):
        for other in placed[:index]:
            apart = one.buffer.upper <= other.buffer.lower or other.buffer.upper <= one.buffer.lower
            below = end(one) <= other.offset or end(other) <= one.offset
            assert apart or below or one.memory != other.memory


def test_a_board_without_room_is_refused() -> None:
    with pytest.raises(FitError, match="does not fit"):
        plan(resnet8(), request_for("nucleo-f767zi", {"sram": 2 * KIB, "dtcm": 12 * KIB}))


def test_a_limit_that_no_plan_keeps_to_is_refused() -> None:
    with pytest.raises(LimitError, match="no restructuring"):
        plan(resnet8(), request_for("nucleo-f767zi", ram=KIB))


@pytest.mark.parametrize("ram", [24 * KIB, 32 * KIB, 40 * KIB])
def test_an_arena_keeps_to_the_limit(ram: int) -> None:
    made = plan(resnet8(), request_for("nucleo-f767zi", ram=ram))
    assert made.memory.arena <= ram


def test_a_memory_plan_edited_by_hand_that_does_not_fit_gets_no_tiles() -> None:
    graph, request = CASES["tiles"]
    made = plan(graph, request)
    edited = replace(made.memory, heights=(("l2", 1 << 20),))
    with pytest.raises(FitError):
        tiled(made.schedule, edited, request)


@pytest.mark.parametrize(
    ("limits", "copies"), [({}, True), ({"place": "off"}, False), ({"optimize": "ram"}, False)]
)
def test_constants_have_places_unless_ram_is_to_be_saved(
    limits: dict[str, Any], copies: bool
) -> None:
    made = plan(kws(), request_for("nucleo-f767zi", **limits))
    assert bool(made.memory.constants) is copies


def test_code_that_is_larger_leaves_less_to_weights() -> None:
    graph, request = CASES["fetched"]
    stay = [
        plan(graph, replace(request, code_excess=excess)).memory.prefetch
        for excess in (0, 70 * KIB)
    ]
    assert stay[0] is not None
    assert stay[1] is not None
    assert stay[1].resident < stay[0].resident
