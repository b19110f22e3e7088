"""What a patched region needs where its pieces are tensors of their own, as in paper 001.

There a split operator copies each piece of what the region reads, and concatenations join the
pieces of what it writes (figures 2.8 and 2.10). Deployer's tiles are windows of whole tensors; this
is only to compare with the paper's figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from deployer.analysis import RegionLayout, layout_of, live_peak, owners
from deployer.ir import OPS, Buffer, Graph


@dataclass(frozen=True)
class Operator:
    """Reads tensors by name and writes one of ``bytes``."""

    reads: tuple[str, ...]
    writes: str
    bytes: int


@dataclass
class _Lives:
    """First and last use of every tensor, operator by operator."""

    time: int = 0
    born: dict[str, int] = field(default_factory=dict)
    dies: dict[str, int] = field(default_factory=dict)
    size: dict[str, int] = field(default_factory=dict)

    def make(self, name: str, size: int) -> None:
        self.born[name], self.dies[name], self.size[name] = self.time, self.time + 1, size

    def run(self, operator: Operator) -> None:
        for name in operator.reads:
            self.dies[name] = self.time + 1
        self.make(operator.writes, operator.bytes)
        self.time += 1


def joined_bytes(graph: Graph) -> int:
    """Bytes alive together at most; regions are patched ones."""
    lives, owner = _Lives(), owners(graph)
    for name in graph.inputs:
        lives.make(name, graph.values[name].bytes)
    for operator in _operators(graph, owner):
        lives.run(operator)
    for name in graph.outputs:
        lives.dies[owner[name]] = lives.time
    return live_peak(
        Buffer(name, lives.born[name], lives.dies[name], size) for name, size in lives.size.items()
    ).bytes


def _operators(graph: Graph, owner: Mapping[str, str]) -> Iterator[Operator]:
    """All that run, a region's where its first node stands."""
    layouts = {region.nodes[0]: layout_of(graph, region) for region in graph.regions}
    inside = {name for region in graph.regions for name in region.nodes}
    for node in graph.nodes:
        if node.name in layouts:
            yield from _pieces(layouts[node.name], owner)
        elif node.name not in inside and not OPS[node.op].alias:
            reads = tuple(owner[name] for name in graph.activations(node))
            yield Operator(reads, node.output, graph.values[node.output].bytes)


def _pieces(layout: RegionLayout, owner: Mapping[str, str]) -> Iterator[Operator]:
    """Piece by piece: a split before the first node that reads an input, every node, and in the
    end a concatenation per output."""
    scope = layout.scope
    tall, wide = (max(1, len(n) - 1) for n in (layout.region.rows, layout.region.columns))
    places = [(row, column) for row in range(tall) for column in range(wide)]
    for at in places:
        made: set[str] = set()
        for node in scope.nodes:
            names = scope.graph.activations(node)
            for name in names:
                if name in scope.inputs and name not in made:
                    made.add(name)
                    yield Operator((owner[name],), _tile(name, at), _size(layout, name, at))
            reads = tuple(_tile(name, at) for name in names)
            yield Operator(reads, _tile(node.output, at), _size(layout, node.output, at))
    for name in scope.outputs:
        tiles = tuple(_tile(name, at) for at in places)
        yield Operator(tiles, name, scope.graph.values[name].bytes)


def _tile(name: str, at: tuple[int, int]) -> str:
    return f"{name}[{at[0]}, {at[1]}]"


def _size(layout: RegionLayout, name: str, at: tuple[int, int]) -> int:
    """Bytes of the piece with its halo."""
    value = layout.scope.graph.values[name]
    tall, wide = (
        int(spans[name][1][i] - spans[name][0][i])
        for spans, i in zip((layout.rows, layout.columns), at, strict=True)
    )
    return tall * wide * value.shape[3] * value.dtype.bytes
