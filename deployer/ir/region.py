"""Runs of nodes that are computed piece by piece: how their values are stored and in which order.

The function of a graph is that of its nodes; regions only say in which pieces they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from deployer.ir.attrs import ConcatAttrs, ConvAttrs, PoolAttrs, Window
from deployer.ir.channels import channel_faults
from deployer.ir.ops import OPS

if TYPE_CHECKING:
    from deployer.ir.graph import Graph, Node

PATCH, STREAM, CHANNELS = "patch", "stream", "channels"


@dataclass(frozen=True)
class Region:
    """Consecutive ``nodes`` of a graph, computed piece by piece.

    ``grid`` is the boundary output whose rows and columns are split; ``rows`` and ``columns`` are
    split points from 0 to its extent, () for one piece. "patch": for each row piece, for each
    column piece, every node computes its box, halos included, into one tile buffer a value.
    "stream": for each column piece, rows of the grid are made one ``chunk`` at a time, every node
    computing the rows its readers lack, each once; a value keeps a ring of rows. ``rows`` is ().
    "channels": for one group of channels after another, whole rows and columns; ``channels`` are
    split points of the narrowest value in groups (ir.channels says which nodes may do what).

    ``reverse``: from the last row to the first. ``over``: (boundary input, boundary output) whose
    bytes overlap: rows of the second are written where rows of the first are no longer needed.
    ``fetch``: inputs of the graph that are not resident but arrive by rows, each once.
    """

    nodes: tuple[str, ...]
    mode: str
    grid: str
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    chunk: int = 1
    reverse: bool = False
    over: tuple[str, ...] = ()
    fetch: tuple[str, ...] = ()
    channels: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Scope:
    """The nodes and values of a region of a graph.

    ``inputs`` are written before the region, ``outputs`` inside it and read behind it (or outputs
    of the graph); both are whole tensors. ``interior`` values exist in pieces only.
    """

    graph: Graph
    region: Region
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    interior: tuple[str, ...]

    @cached_property
    def writer(self) -> dict[str, int]:
        """Position in ``nodes`` of each value's node."""
        return {node.output: i for i, node in enumerate(self.nodes)}

    @cached_property
    def readers(self) -> dict[str, tuple[int, ...]]:
        """Positions in ``nodes`` of those that read a value, once each."""
        found: dict[str, list[int]] = {}
        for i, node in enumerate(self.nodes):
            for name in dict.fromkeys(self.graph.activations(node)):
                found.setdefault(name, []).append(i)
        return {name: tuple(at) for name, at in found.items()}

    def extent(self, value: str, axis: int) -> int:
        """Height (axis 0) or width (axis 1)."""
        return self.graph.values[value].shape[1 + axis]


def scope_of(graph: Graph, region: Region) -> Scope:
    """Raises KeyError for a node the graph does not have."""
    by_name = {node.name: node for node in graph.nodes}
    nodes = tuple(by_name[name] for name in region.nodes)
    inside, made = set(region.nodes), {node.output for node in nodes}
    read = dict.fromkeys(name for node in nodes for name in graph.activations(node))

    def leaves(value: str) -> bool:
        readers = graph.consumers.get(value, ())
        return value in graph.outputs or any(node.name not in inside for node in readers)

    outputs = tuple(node.output for node in nodes if leaves(node.output))
    interior = tuple(node.output for node in nodes if not leaves(node.output))
    return Scope(graph, region, nodes, tuple(n for n in read if n not in made), outputs, interior)


def is_spatial(graph: Graph, node: Node) -> bool:
    """Whether a piece of the output, which somebody wants, needs only a piece of each input."""
    names = (*graph.activations(node), *node.outputs)
    if not OPS[node.op].spatial or len(node.outputs) != 1:
        return False
    if any(len(graph.values[n].shape) != 4 for n in names):
        return False
    if node.output not in graph.consumers and node.output not in graph.outputs:
        return False
    if isinstance(node.attrs, ConcatAttrs):
        return node.attrs.axis == 3
    if isinstance(node.attrs, ConvAttrs | PoolAttrs):
        return _meets(node.attrs.window)
    return True


def _meets(window: Window) -> bool:
    """Whether every window meets the input: a piece of nothing but padding has no kernel."""
    (tall, wide), pads = _spans(window), window.pads
    return max(pads.top, pads.bottom) < tall and max(pads.left, pads.right) < wide


def _spans(window: Window) -> tuple[int, int]:
    tall, wide = ((k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True))
    return tall, wide


def faults(graph: Graph) -> list[str]:
    """What is wrong with the graph's regions, a line each; none when all is well."""
    position = {node.name: i for i, node in enumerate(graph.nodes)}
    found, end = [], 0
    for region in graph.regions:
        places = [position.get(name, -1) for name in region.nodes]
        label = f"region at {region.nodes[0] if region.nodes else 'nothing'}"
        if not places or places != list(range(places[0], places[0] + len(places))):
            found.append(f"{label}: not consecutive nodes of the graph")
            continue
        if places[0] < end:
            found.append(f"{label}: overlaps the region before it")
        end = places[-1] + 1
        found += [f"{label}: {fault}" for fault in _faults(graph, region)]
    return found


def _faults(graph: Graph, region: Region) -> list[str]:
    scope = scope_of(graph, region)
    if region.mode == CHANNELS:
        return list(channel_faults(scope))
    found = [f"{n.name} is not spatial" for n in scope.nodes if not is_spatial(graph, n)]
    if region.mode not in (PATCH, STREAM):
        found.append(f"unknown mode {region.mode!r}")
    if region.grid not in scope.outputs:
        return [*found, f"the grid {region.grid} is no output of it"]
    if found:
        return found
    found += _split_faults("rows", region.rows, scope.extent(region.grid, 0))
    found += _split_faults("columns", region.columns, scope.extent(region.grid, 1))
    if region.mode == STREAM and (region.rows or region.chunk < 1):
        found.append("a stream takes a positive number of rows at a time, not split points")
    return [*found, *_over_faults(scope), *_fetch_faults(scope)]


def _split_faults(what: str, points: Sequence[int], extent: int) -> list[str]:
    if not points:
        return []
    rising = all(a < b for a, b in pairwise(points))
    if rising and len(points) > 1 and (points[0], points[-1]) == (0, extent):
        return []
    return [f"{what} {points} do not cover 0 to {extent} once"]


def _over_faults(scope: Scope) -> list[str]:
    """The input must die in the region and be read once, top to bottom."""
    region, graph = scope.region, scope.graph
    if not region.over:
        return []
    source, target = region.over
    if source not in scope.inputs or target not in scope.outputs:
        return [f"{source} and {target} are not an input and an output of it"]
    names = [node.name for node in graph.nodes]
    behind = set(names[names.index(region.nodes[-1]) + 1 :])
    if source in graph.outputs or any(n.name in behind for n in graph.consumers[source]):
        return [f"{source} is needed behind it, nothing may overwrite it"]
    if len(region.columns) > 2:
        return [f"{source} is read once for each column piece, nothing may overwrite it"]
    return []


def _fetch_faults(scope: Scope) -> list[str]:
    region, graph = scope.region, scope.graph
    found = []
    for name in region.fetch:
        if name not in graph.inputs or name not in scope.inputs:
            found.append(f"{name} cannot be fetched: it is no input of the graph read here")
        elif any(n.name not in region.nodes for n in graph.consumers[name]):
            found.append(f"{name} cannot be fetched: it is read elsewhere")
    rows_in_order = region.mode == STREAM and len(region.columns) <= 2 and not region.reverse
    if region.fetch and (not rows_in_order or set(region.fetch) & set(region.over)):
        found.append("inputs are fetched by whole rows, downwards, and overlap nothing")
    return found
