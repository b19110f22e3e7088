"""Layers in stripes, or in regions, where whole tensors have no room: the same integers in less."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.plan.aliases import arena_in_one_memory, whole_tensor_aliases
from deployer.plan.cascades import in_cascades
from deployer.plan.regions import restructured
from deployer.plan.request import PlanRequest
from deployer.plan.room import fits_with_prefetch
from unit.ir.nets import Net
from unit.plan.planner_requests import request_for, with_drawn_weights

KIB = 1024


def wide(seed: int = 0) -> Graph:
    """64 KiB between an input of 12 KiB and an output of 8 KiB; weights are drawn."""
    net = Net("wide")
    x = net.conv(net.input(1, 64, 64, 3), 16, 3)
    x = net.conv(x, 8, 3, stride=2)
    graph = net.graph(net.dense(net.reshape(net.pool(x)), 4))
    return with_drawn_weights(graph, seed)


def outputs(graph: Graph) -> np.ndarray:
    shape = graph.values["in0"].shape
    given = np.random.default_rng(1).integers(-128, 128, shape).astype(np.int8)
    return interpret.run(graph, {"in0": given})[graph.outputs[0]]


@pytest.mark.parametrize("l2", [104, 96, 92])
def test_stripes_lower_what_is_alive_until_it_fits(l2: int) -> None:
    graph, request = wide(), request_for("gap8", {"l2": l2 * KIB})
    assert not fits_with_prefetch(whole_tensor_aliases(graph, request), request)
    found = in_cascades(graph, request)
    assert found is not None
    order = whole_tensor_aliases(found, request)
    assert fits_with_prefetch(order, request)
    assert arena_in_one_memory(order) < arena_in_one_memory(whole_tensor_aliases(graph, request))
    assert (outputs(found) == outputs(graph)).all()
    assert len(set(outputs(graph).ravel().tolist())) > 1


def test_less_memory_takes_more_stripes() -> None:
    counts = [
        len(in_cascades(wide(), request_for("gap8", {"l2": l2 * KIB})).nodes)  # type: ignore[union-attr]
        for l2 in (104, 96, 92)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_stripes_are_of_no_use_where_one_row_is_too_much() -> None:
    assert in_cascades(wide(), request_for("gap8", {"l2": 40 * KIB})) is None


CASES: dict[str, tuple[PlanRequest, Callable[[Graph], bool]]] = {
    "whole": (request_for("nucleo-f767zi"), lambda graph: not graph.regions),
    "regions": (
        request_for("nucleo-f767zi", {"sram": 48 * KIB, "dtcm": 24 * KIB}),
        lambda graph: bool(graph.regions),
    ),
    "off": (
        request_for("nucleo-f767zi", {"sram": 48 * KIB, "dtcm": 24 * KIB}, restructure="off"),
        lambda graph: not graph.regions,
    ),
    "ram": (request_for("nucleo-f767zi", optimize="ram"), lambda graph: bool(graph.regions)),
    "rows": (
        request_for("nucleo-f767zi", optimize="balanced", stream_input=True),
        lambda graph: bool(graph.by_rows),
    ),
    "stripes": (
        request_for("gap8", {"l2": 104 * KIB}),
        lambda graph: any(node.op == "Slice" for node in graph.nodes),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_restructured_network_computes_the_same_integers(name: str) -> None:
    request, holds = CASES[name]
    graph = wide()
    found = restructured(graph, request)
    assert holds(found)
    assert (outputs(found) == outputs(graph)).all()
