"""What a call costs: per pixel, per row and per call, so that small tiles cost more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deployer.analysis.channels import ChannelLayout
from deployer.analysis.cost import node_macs
from deployer.analysis.regions import layout_of
from deployer.ir.graph import Graph, Node
from deployer.ir.types import hwc


@dataclass(frozen=True)
class Coefficients:
    """Cost of a call that writes h rows of w pixels: ``pixel``·h·w + ``row``·h + ``call``."""

    pixel: float
    row: float
    call: float


CostModel = Callable[[Graph, Node], Coefficients]
_SUMS_A_ROW = 16
_PER_ELEMENT = 2.0  # cycles of an output element, beside its products


def macs_only(graph: Graph, node: Node) -> Coefficients:
    """Multiply-accumulates; a call counts as one, so that of equal plans the simplest wins."""
    return Coefficients(node_macs(graph, node) / pixels(graph, node), 0.0, 1.0)


def estimated_cycles(graph: Graph, node: Node) -> Coefficients:
    """Estimated, no board measured: a cycle a MAC and two an element; 50 to begin a row of output
    (addresses, padding at its ends), 500 to set up a call. A board's own model replaces it."""
    shape = graph.values[node.output].shape
    channels = shape[3] if len(shape) == 4 else 1
    macs = node_macs(graph, node) / pixels(graph, node)
    return Coefficients(macs + _PER_ELEMENT * channels, 50.0, 500.0)


def pixels(graph: Graph, node: Node) -> int:
    """Rows times columns of the output; 1 for other ranks."""
    shape = graph.values[node.output].shape
    return shape[1] * shape[2] if len(shape) == 4 else 1


def graph_cost_of(graph: Graph, model: CostModel) -> float:
    """The cost of the whole graph, its regions call by call."""
    inside = {name for region in graph.regions for name in region.nodes}
    plain = (node for node in graph.nodes if node.name not in inside)
    total = float(sum(_whole(graph, node, model(graph, node)) for node in plain))
    for region in graph.regions:
        layout = layout_of(graph, region)
        factors = {node.output: model(graph, node) for node in layout.scope.nodes}
        if isinstance(layout, ChannelLayout):
            total += sum(_whole(graph, n, factors[n.output]) for n in layout.scope.nodes)
            total += added_by_groups(layout, factors)
            continue
        for piece in layout.pieces():
            if piece.value in factors:
                tall, wide = (end - begin for begin, end in (piece.rows, piece.columns))
                total += _call(factors[piece.value], tall, wide)
    return total


def added_by_groups(layout: ChannelLayout, factors: Mapping[str, Coefficients]) -> float:
    """Cost beyond the plain run: rows and calls begun once a group, sums loaded and stored by each.

    ``factors`` by output. Estimated: that takes as long for 16 sums as to begin a row.
    """
    more, total = layout.groups - 1, 0.0
    for node in layout.steps:
        height, width, channels = hwc(layout.scope.graph.values[node.output].shape)
        rows = float(height * more)
        if node.output == layout.summed:
            rows += layout.groups * height * width * channels / _SUMS_A_ROW
            total += factors[node.output].call
        total += factors[node.output].row * rows + factors[node.output].call * more
    return total


def added_macs(graph: Graph) -> float:
    """Products computed again, as a fraction of those of the plain graph."""
    plain = sum(node_macs(graph, node) for node in graph.nodes)
    spent = graph_cost_of(graph, _products)
    return spent / plain - 1 if plain else 0.0


def _products(graph: Graph, node: Node) -> Coefficients:
    return Coefficients(node_macs(graph, node) / pixels(graph, node), 0.0, 0.0)


def _whole(graph: Graph, node: Node, factors: Coefficients) -> float:
    shape = graph.values[node.output].shape
    tall, wide = shape[1:3] if len(shape) == 4 else (1, 1)
    return _call(factors, tall, wide)


def _call(factors: Coefficients, tall: int, wide: int) -> float:
    return factors.pixel * tall * wide + factors.row * tall + factors.call
