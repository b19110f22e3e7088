"""Layers of a sweep in images: which share one, the network they make, whose step is whose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.errors import FitError
from deployer.ir.graph import Node
from deployer.ir.ops import OPS
from deployer.ir.plan import Schedule, Step
from deployer.pipeline.artifacts import BUILD, QUANTIZE, SCHEDULE
from deployer.pipeline.job import Job
from deployer.tools.bench import sweep_runs
from deployer.tools.bench.row import DIFFERS, EXACT, NO_FIT
from deployer.tools.bench.sweep_counts import NOTHING, Counted, Differing
from deployer.tools.bench.sweep_draw import SweepRequest, draw_layers
from deployer.tools.bench.sweep_layers import SweepLayer
from deployer.tools.bench.sweep_nets import SweepNet, sweep_net
from deployer.tools.bench.sweep_packs import MOST_LAYERS, halves, packs
from deployer.tools.bench.sweep_row import StepCount
from deployer.tools.bench.sweep_runs import SweepBench

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


def test_layers_that_fit_beside_the_caches_share_no_image_with_larger_ones() -> None:
    """Else their tensors would lie where they lie in no network of their own."""
    board = load_board("nucleo-f767zi")
    beside = board.memory("dtcm").size
    drawn = draw_layers(SweepRequest(seed=1, bits=(16,)))
    large = [max(layer.live_bytes for layer in pack) for pack in packs(drawn, board)]
    small = [min(layer.live_bytes for layer in pack) for pack in packs(drawn, board)]
    assert any(size > beside for size in large)
    assert all(
        most < beside or least > beside // 2 for most, least in zip(large, small, strict=True)
    )


def test_the_input_of_a_layer_is_written_once() -> None:
    """A copy of all of it would need its room twice."""
    drawn = draw_layers(SweepRequest(seed=1, operators=("Conv2d",), bits=(8,)))
    layer = max(drawn, key=lambda one: math.prod(one.inputs[0]))
    net = sweep_net("sweep", (layer,))
    written = [node for node in net.graph.nodes if node.name in net.between]
    sizes = [math.prod(net.graph.values[n.output].shape) for n in written if not OPS[n.op].alias]
    assert sizes.count(math.prod(layer.inputs[0])) == 1


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


def test_nodes_of_a_unit_are_given_to_its_parts() -> None:
    unit = draw_layers(SweepRequest(count=1, operators=("shuffle",)))[0]
    net = sweep_net("sweep", [unit])
    (names,) = net.nodes_of(net.graph)
    assert net.parts_of(names) == list(range(len(unit.alone)))
    assert net.parts_of(["added", *names[:2], "copied", names[2]]) == [0, 0, 1, 2, 2]
    assert net.parts_of([names[0], names[1], "behind"]) == [0, 1, 1]


def test_memory_of_tensors_is_that_of_the_largest_part(layers: tuple[SweepLayer, ...]) -> None:
    for layer in layers:
        if len(layer.parts) == 1:
            elements = sum(map(math.prod, (*layer.inputs, layer.output)))
            assert layer.live_bytes == elements * layer.bits // 8


class Images:
    """Stands in for building and running: layers named in ``wrong`` differ, images of more than
    ``most`` layers do not fit."""

    def __init__(self, wrong: tuple[SweepLayer, ...] = (), most: int = 99) -> None:
        self.wrong, self.most = wrong, most
        self.packs: list[tuple[SweepLayer, ...]] = []
        self.net: SweepNet | None = None

    def built(self, job: Job, net: SweepNet) -> dict[Any, Any]:
        self.net = net
        if len(net.ends) > self.most:
            raise FitError("too many")
        return {
            SCHEDULE: scheduled(net.graph.nodes, net),
            BUILD: None,
            QUANTIZE: SimpleNamespace(graph=net.graph),
        }

    def named(self, name: str, pack: Sequence[SweepLayer]) -> SweepNet:
        self.packs.append(tuple(pack))
        return sweep_net(name, pack)

    def counted(self, job: Job, bundle: None, machine: None) -> Counted:
        assert self.net is not None
        launches = self.net.launches_of(scheduled(self.net.graph.nodes, self.net))
        wrong = [
            own[0].index
            for own, layer in zip(launches, self.packs[-1], strict=True)
            if layer in self.wrong
        ]
        if wrong:
            raise Differing(frozenset(wrong))
        count = sum(not OPS[node.op].alias for node in self.net.graph.nodes)
        steps = tuple(StepCount("any", 1, cycles=float(index)) for index in range(count))
        return replace(NOTHING, steps=steps)


@pytest.fixture
def images(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Images]:
    def patch(**given: Any) -> Images:
        found = Images(**given)
        monkeypatch.setattr(sweep_runs, "_built", found.built)
        monkeypatch.setattr(sweep_runs, "sweep_net", found.named)
        monkeypatch.setattr(sweep_runs, "counted", found.counted)
        return found

    return patch


def test_layers_that_differ_are_told_and_the_others_run_without_them(
    images: Callable[..., Images], layers: tuple[SweepLayer, ...]
) -> None:
    found = images(wrong=layers[2:4])
    rows = list(SweepBench("nucleo-f767zi").rows(layers[:6]))
    assert {row.layer for row in rows if row.outcome == DIFFERS} == set(layers[2:4])
    assert {row.layer for row in rows if row.outcome == EXACT} == {*layers[:2], *layers[4:6]}
    assert found.packs == [layers[:6], (*layers[:2], *layers[4:6])]


def test_layers_that_fit_no_image_together_run_in_halves(
    images: Callable[..., Images], layers: tuple[SweepLayer, ...]
) -> None:
    found = images(most=2)
    rows = list(SweepBench("nucleo-f767zi").rows(layers[:5]))
    assert [row.layer for row in rows] == list(layers[:5])
    assert all(row.outcome == EXACT for row in rows)
    assert [len(pack) for pack in found.packs] == [5, 2, 3, 1, 2]


def test_a_layer_that_fits_no_image_alone_says_so(
    images: Callable[..., Images], layers: tuple[SweepLayer, ...]
) -> None:
    images(most=0)
    rows = list(SweepBench("nucleo-f767zi").rows(layers[:3]))
    assert [(row.layer, row.outcome, row.detail) for row in rows] == [
        (layer, NO_FIT, "too many") for layer in layers[:3]
    ]


def test_steps_are_given_to_the_layers_they_belong_to(
    images: Callable[..., Images], layers: tuple[SweepLayer, ...]
) -> None:
    """A step's cycles are its index here."""
    found = images()
    rows = list(SweepBench("nucleo-f767zi").rows(layers[:6]))
    assert found.net is not None
    launches = found.net.launches_of(scheduled(found.net.graph.nodes, found.net))
    assert [row.cycles for row in rows] == [sum(one.index for one in own) for own in launches]
