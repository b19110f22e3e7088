"""Kernels of what runs in tiles: values between convolutions and the depthwise ones behind them
have transposed blocks where that takes fewer cycles, and kernels leave out code that no tile needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from deployer.board import Board
from deployer.ir import ConcatAttrs, Graph, Layout, Node, Schedule, copies_nothing
from deployer.kernelset import Kernel, by_symbol, candidates, case_of
from deployer.tile import Room, best_tiling, room_of, tiled_layer

_DEPTHWISE, _MAKER = "DepthwiseConv2d", "Conv2d"


def with_tile_kernels(schedule: Schedule, target: Board) -> Schedule:
    """``schedule`` with these kernels; as it is on a board without tiles."""
    room = room_of(target)
    if room is None:
        return schedule
    for name in _between(schedule.graph):
        found = _blocked(schedule, name, target, room)
        schedule = found or schedule
    return _lean(schedule, target, room)


def _lean(schedule: Schedule, target: Board, room: Room) -> Schedule:
    """With kernels of tiles alone in the place of those that compute all, which order the weights
    alike."""
    graph, found = schedule.graph, {}
    nodes = {node.name: node for node in graph.nodes}
    for step in schedule.steps:
        node = nodes[step.node]
        if step.kernel and tiled_layer(graph, node, step.kernel, room):
            own = by_symbol(step.kernel)
            for kernel in candidates(target.kernels, case_of(graph, node)):
                if kernel.in_tiles and kernel.weight_layout == own.weight_layout:
                    found[step.node] = kernel.symbol
    return _with_kernels(schedule, found)


def _between(graph: Graph) -> Iterator[str]:
    """Values that only depthwise convolutions read, outside of regions."""
    inside = {name for region in graph.regions for name in region.nodes}
    for name, readers in graph.consumers.items():
        known = name in graph.producer and name not in graph.outputs
        depthwise = all(node.op == _DEPTHWISE and node.name not in inside for node in readers)
        if known and depthwise and len(graph.values[name].shape) == 4:
            yield name


def _blocked(schedule: Schedule, name: str, target: Board, room: Room) -> Schedule | None:
    """``schedule`` with blocks of ``name`` transposed; None where impossible, or slower."""
    graph = schedule.graph
    parts = _parts(graph, graph.producer[name])
    makers = [graph.producer.get(part) for part in parts]
    if not parts or any(node is None or node.op != _MAKER for node in makers):
        return None
    nodes = [*filter(None, makers), *graph.consumers[name]]
    trial = _with_layout(graph, {name, *parts})
    chosen = {node.name: _first(target, trial, node) for node in nodes}
    before = {step.node: step.kernel for step in schedule.steps}
    after = {node: kernel.symbol for node, kernel in chosen.items() if kernel}
    if len(after) < len(nodes):
        return None
    cycles = _cycles(trial, nodes, after, room)
    if cycles is None or cycles >= (_cycles(graph, nodes, before, room) or 0):
        return None
    return _with_kernels(replace(schedule, graph=trial), after)


def _parts(graph: Graph, maker: Node) -> tuple[str, ...]:
    """What a convolution writes: the value, or its parts where nothing else reads them."""
    if not isinstance(maker.attrs, ConcatAttrs):
        return (maker.output,)
    alone = all(graph.consumers[value] == (maker,) for value in maker.inputs)
    return maker.inputs if alone and copies_nothing(graph, maker) else ()


def _with_layout(graph: Graph, names: Collection[str]) -> Graph:
    blocked = {name: replace(graph.values[name], layout=Layout.BLOCKED) for name in names}
    return replace(graph, values={**graph.values, **blocked})


def _first(target: Board, graph: Graph, node: Node) -> Kernel | None:
    return next(candidates(target.kernels, case_of(graph, node)), None)


def _cycles(
    graph: Graph, nodes: Iterable[Node], kernels: Mapping[str, str], room: Room
) -> float | None:
    """Estimated, of all ``nodes`` by themselves; None where one is not cut into tiles."""
    total = 0.0
    for node in nodes:
        layer = tiled_layer(graph, node, kernels[node.name], room)
        tiling = layer and best_tiling(layer, room)
        if not tiling:
            return None
        total += tiling.costs.cycles
    return total


def _with_kernels(schedule: Schedule, kernels: Mapping[str, str]) -> Schedule:
    graph = schedule.graph
    nodes = tuple(
        replace(node, kernel=kernels[node.name]) if node.name in kernels else node
        for node in graph.nodes
    )
    steps = tuple(
        replace(step, kernel=kernels.get(step.node, step.kernel)) for step in schedule.steps
    )
    return replace(schedule, graph=replace(graph, nodes=nodes), steps=steps)
