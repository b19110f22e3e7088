"""Layers of a sweep in images: which share one, the network they make, whose step is whose."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from deployer.board.load import load_board
from deployer.ir.graph import Node
from deployer.ir.ops import OPS
from deployer.ir.plan import Schedule, Step
from deployer.tools.bench.sweep_draw import SweepRequest, draw_layers
from deployer.tools.bench.sweep_layers import SweepLayer
from deployer.tools.bench.sweep_nets import SweepNet, sweep_net
from deployer.tools.bench.sweep_packs import MOST_LAYERS, halves, packs

EVERY = SweepRequest(count=30, seed=4, bits=(8,))


@pytest.fixture(scope="module")
def layers() -> tuple[SweepLayer, ...]:
    return draw_layers(EVERY)


@pytest.fixture(scope="module")
def net(layers: tuple[SweepLayer, ...]) -> SweepNet:
    return sweep_net("sweep", layers)


def scheduled(nodes: tuple[Node, ...], net: SweepNet) -> Schedule:
    """One step for each node that runs code."""
    named = [node.name for node in nodes if not OPS[node.op].alias]
    steps = tuple(Step(index, name, "any") for index, name in enumerate(named))
    return Schedule(replace(net.graph, nodes=nodes), steps, 0)


@pytest.mark.parametrize("board", ["nucleo-f767zi", "gap8", "rpi3"])
def test_every_layer_is_in_one_image_with_layers_of_its_width(board: str) -> None:
    drawn = draw_layers(SweepRequest(seed=1))
    found = list(packs(drawn, load_board(board)))
    assert sorted(map(id, drawn)) == sorted(id(layer) for pack in found for layer in pack)
    for pack in found:
        assert len({layer.bits for layer in pack}) == 1
        assert 0 < len(pack) <= MOST_LAYERS


def test_an_image_has_no_more_than_its_board_s_memories_hold() -> None:
    drawn = draw_layers(SweepRequest(seed=1, operators=("FullyConnected",)))
    room = load_board("gap8").memory("l2").size
    found = list(packs(drawn, load_board("gap8")))
    assert len(found) > len(list(packs(drawn, load_board("rpi3"))))
    for pack in found:
        assert len(pack) == 1 or sum(layer.weight_bytes for layer in pack) < room


def test_a_pack_that_is_refused_is_tried_in_halves(layers: tuple[SweepLayer, ...]) -> None:
    first, second = halves(layers[:7])
    assert (*first, *second) == layers[:7]
    assert abs(len(first) - len(second)) == 1


def test_each_layer_of_a_network_reads_and_writes_its_shapes(
    net: SweepNet, layers: tuple[SweepLayer, ...]
) -> None:
    graph = net.graph
    own = [node for node in graph.nodes if node.name not in net.between]
    parts = [(layer, index) for layer in layers for index in range(len(layer.parts))]
    assert len(own) == len(parts)
    for node, (layer, index) in zip(own, parts, strict=True):
        part = layer.parts[index]
        assert (node.op, node.attrs) == (part.op, part.attrs)
        assert graph.shapes(graph.activations(node)) == layer.shapes[index]
        assert graph.values[node.output].shape == layer.shapes[index + 1][0]


def test_layers_have_one_order(net: SweepNet) -> None:
    """Each reads an element of the one before: else a plan could hold many of them at once."""
    graph = net.graph
    reached = {graph.nodes[0].output}
    for node in graph.nodes[1:]:
        if reached.intersection(node.inputs):
            reached.update(node.outputs)
    behind = [node for node in graph.nodes if node.output in reached]
    assert len(behind) == len(graph.nodes)
    assert len(graph.outputs) == 1


def test_an_input_is_what_was_just_written(net: SweepNet) -> None:
    for node in net.graph.nodes:
        if node.name not in net.between:
            assert not set(node.inputs) & set(net.graph.inputs)


def test_steps_are_those_of_the_layers_in_order(
    net: SweepNet, layers: tuple[SweepLayer, ...]
) -> None:
    schedule = scheduled(net.graph.nodes, net)
    nodes = {node.name: node for node in schedule.graph.nodes}
    found = net.launches_of(schedule)
    operators = [[nodes[one.steps[0].node].op for one in own] for own in found]
    assert operators == [
        [part.op for part in layer.parts if not OPS[part.op].alias] for layer in layers
    ]


def test_a_step_that_the_planner_adds_is_its_layer_s(net: SweepNet) -> None:
    """A copy before a layer is part of what it takes."""
    nodes = list(net.graph.nodes)
    index = next(i for i, node in enumerate(nodes) if node.op == "MaxPool")
    plain = net.launches_of(scheduled(tuple(nodes), net))
    nodes.insert(index, replace(nodes[index], name="copied"))
    found = net.launches_of(scheduled(tuple(nodes), net))
    longer = [len(own) - len(other) for own, other in zip(found, plain, strict=True)]
    assert sum(longer) == 1
    assert {one.steps[0].node for one in found[longer.index(1)]} == {
        "copied",
        nodes[index + 1].name,
    }


def test_memory_of_tensors_is_that_of_the_largest_part(layers: tuple[SweepLayer, ...]) -> None:
    for layer in layers:
        if len(layer.parts) == 1:
            elements = sum(map(math.prod, (*layer.inputs, layer.output)))
            assert layer.live_bytes == elements * layer.bits // 8
