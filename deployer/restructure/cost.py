"""What a call costs: per pixel, per row and per call, so that small tiles cost more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deployer.analysis import ChannelLayout, RegionLayout, layout_of, node_macs
from deployer.ir import Graph, Node, hwc


@dataclass(frozen=True)
class Thin:
    """What a pixel and a row cost in a call of fewer rows than ``cores``, which then take a share
    of the channels each."""

    cores: int
    pixel: float
    row: float


@dataclass(frozen=True)
class Coefficients:
    """Cost of a call that writes h rows of w pixels: ``pixel``·h·w + ``row``·h + ``call``.

    ``hop``: of a call with line buffers, for each node between it and the one whose rows are
    pulled. Several cores take h / cores rows each, rounded up, unless the call is ``thin``. A
    kernel that makes ``row_block`` rows at once makes as many in a call of fewer.
    """

    pixel: float
    row: float
    call: float
    hop: float = 0.0
    thin: Thin | None = None
    row_block: int = 1

    def line(self, tall: int) -> tuple[float, float]:
        """What a pixel and a row cost in calls of so many rows."""
        if self.thin is None:
            more = -(-tall // self.row_block) * self.row_block / tall
            return self.pixel * more, self.row * more
        if tall < self.thin.cores:
            return self.thin.pixel, self.thin.row
        share = -(-tall // self.thin.cores) / tall
        return self.pixel * share, self.row * share

    def of(self, tall: int, wide: int) -> float:
        """The cost of one call."""
        pixel, row = self.line(tall)
        return (pixel * wide + row) * tall + self.call

    @property
    def cores(self) -> int:
        return self.thin.cores if self.thin else 1


CostModel = Callable[[Graph, Node], Coefficients]
_SUMS_A_ROW = 16
_ELEMENT_CYCLES = 2.0  # cycles of an output element, beside its products


def macs_only(graph: Graph, node: Node) -> Coefficients:
    """Multiply-accumulates; a call counts as one, so that of equal plans the simplest wins."""
    return Coefficients(node_macs(graph, node) / pixels(graph, node), 0.0, 1.0)


def estimated_cycles(graph: Graph, node: Node) -> Coefficients:
    """Estimated, no board measured: a cycle a MAC and two an element; 50 to begin a row of output
    (addresses, padding at its ends), 500 to set up a call. A board's own model replaces it."""
    shape = graph.values[node.output].shape
    channels = shape[3] if len(shape) == 4 else 1
    macs = node_macs(graph, node) / pixels(graph, node)
    return Coefficients(macs + _ELEMENT_CYCLES * channels, 50.0, 500.0)


def pixels(graph: Graph, node: Node) -> int:
    """Rows times columns of the output; 1 for other ranks."""
    shape = graph.values[node.output].shape
    return shape[1] * shape[2] if len(shape) == 4 else 1


def graph_cost_of(graph: Graph, model: CostModel) -> float:
    """The cost of the whole graph, its regions call by call."""
    inside = {name for region in graph.regions for name in region.nodes}
    plain = (node for node in graph.nodes if node.name not in inside)
    total = sum(whole_cost(graph, node, model(graph, node)) for node in plain)
    return total + sum(region_cost(layout_of(graph, r), model) for r in graph.regions)


def region_cost(layout: RegionLayout | ChannelLayout, model: CostModel) -> float:
    """The cost of all calls of a region; rows that are fetched are another's."""
    graph = layout.scope.graph
    factors = {node.output: model(graph, node) for node in layout.scope.nodes}
    if isinstance(layout, ChannelLayout):
        whole = sum(whole_cost(graph, n, factors[n.output]) for n in layout.scope.nodes)
        return whole + added_by_groups(layout, factors)
    total, depths = 0.0, depths_of(layout)
    for piece in layout.pieces():
        if piece.value in factors:
            tall, wide = (end - begin for begin, end in (piece.rows, piece.columns))
            each = factors[piece.value]
            total += each.of(tall, wide) + each.hop * depths.get(piece.value, 0)
    return total


def depths_of(layout: RegionLayout) -> dict[str, int]:
    """With line buffers: nodes from each value to the nearest that is pulled; none in patches."""
    if not layout.line_buffered:
        return {}
    readers = {value: layout.scope.readers.get(value, ()) for value in layout.scope.writer}
    found = dict.fromkeys(layout.scope.outputs, 0)
    for node in reversed(layout.scope.nodes):
        behind = [found[layout.scope.nodes[at].output] for at in readers[node.output]]
        found.setdefault(node.output, 1 + min(behind, default=-1))
    return found


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


def whole_cost(graph: Graph, node: Node, factors: Coefficients) -> float:
    """The cost of the node in one call."""
    shape = graph.values[node.output].shape
    return factors.of(*shape[1:3]) if len(shape) == 4 else factors.of(1, 1)
