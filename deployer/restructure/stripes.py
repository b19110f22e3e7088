"""Layers whose activations are more than the arena's memory can hold: a chain of them by stripes.

Paper 004, section 4.2.1, "L3-tile x": a series of identical layers that work on different stripes
of the image. Here the whole chain runs on one stripe before the next one, so that what lies between
its ends never exists as a whole; rows that two stripes need are computed twice. Slices and the
Concat lie in their places and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deployer.ir import (
    OPS,
    ConvAttrs,
    Cut,
    Graph,
    Joined,
    Node,
    PoolAttrs,
    SliceAttrs,
    Value,
    joined,
    verify,
)
from deployer.restructure.row_parts import ROWS, part_attrs, rows_read

MAX_LAYERS, MAX_STRIPES, MAX_HEIGHTS = 8, 16, 3  # layers of a chain, stripes, heights of them tried
_Rank = tuple[int, bool, float, int]


@dataclass(frozen=True)
class Stripes:
    """``nodes``, each reading the one before, in ``count`` stripes. With ``by_rows`` the first
    reads an input of the network, whose rows are fetched stripe by stripe."""

    nodes: tuple[str, ...]
    count: int
    by_rows: bool = False


def chains(graph: Graph) -> Iterator[tuple[Node, ...]]:
    """The longest runs of layers that stripes can pass through: each reads the one before alone."""
    run: list[Node] = []
    readers = _readers(graph)
    for node in graph.nodes:
        if not _passes(graph, node):
            continue
        follows = run and node.inputs[0] == run[-1].output and readers[node.inputs[0]] == 1
        if run and not (follows and run[-1].output not in graph.outputs):
            yield tuple(run)
            run = []
        run.append(node)
    yield from [tuple(run)] if run else []


def _readers(graph: Graph) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in graph.nodes:
        for name in graph.activations(node):
            found[name] = found.get(name, 0) + 1
    return found


def _passes(graph: Graph, node: Node) -> bool:
    spec = OPS[node.op]
    rows = isinstance(node.attrs, ConvAttrs | PoolAttrs) or spec.elementwise
    image = len(graph.values[node.output].shape) == 4
    return rows and spec.spatial and spec.activations == 1 and image


def bytes_of(graph: Graph, nodes: Sequence[Node], count: int, *, by_rows: bool = False) -> int:
    """The most that is alive while ``nodes`` run in ``count`` stripes: both ends as a whole, but
    for an input that is read ``by_rows``, and between them two neighbours of one stripe."""
    ends = graph.values[nodes[-1].output].bytes
    ends += 0 if by_rows else graph.values[nodes[0].inputs[0]].bytes
    stripes = _stripes(graph, nodes, count)
    return ends + max(_between(graph, nodes, cuts, by_rows=by_rows) for cuts in stripes)


def _between(graph: Graph, nodes: Sequence[Node], cuts: Sequence[Cut], *, by_rows: bool) -> int:
    sizes = [cuts[0].inputs * _row_bytes(graph, nodes[0].inputs[0])] if by_rows else []
    sizes += [
        cut.count * _row_bytes(graph, node.output)
        for node, cut in zip(nodes[:-1], cuts[:-1], strict=True)
    ]
    return max(sum(sizes[i : i + 2]) for i in range(len(sizes))) if sizes else 0


def _row_bytes(graph: Graph, name: str) -> int:
    return graph.values[name].bytes // graph.values[name].shape[ROWS]


def rows_more(graph: Graph, nodes: Sequence[Node], count: int, costs: Sequence[float]) -> float:
    """What is computed twice: of ``costs``, those of the nodes as a whole."""
    added = 0.0
    for index, node in enumerate(nodes):
        rows = sum(cuts[index].count for cuts in _stripes(graph, nodes, count))
        added += costs[index] * (rows / graph.values[node.output].shape[ROWS] - 1)
    return added


@dataclass(frozen=True)
class Terms:
    """What candidates are judged by. ``cost``: of a node as a whole; ``room``: bytes; ``beside``:
    bytes that nodes in so many stripes take of it beside activations; ``over``: nodes for which it
    is short; ``wide``: whether candidates that take in most of these come first; ``reserve``: bytes
    left for those that a candidate does not take in."""

    cost: Callable[[Node], float]
    room: int
    beside: Callable[[Sequence[Node], int], int]
    over: frozenset[str] = frozenset()
    wide: bool = False
    reserve: int = 0

    def kept(self, names: Iterable[str]) -> int:
        """Bytes that nodes called ``names`` leave to others."""
        return self.reserve if self.over.difference(names) else 0


def choices(graph: Graph, peak: str, terms: Terms) -> Iterator[Stripes]:
    """Candidates to run the layer ``peak`` in stripes in the room there is, those first that
    compute least twice, and those last that take an input by rows."""
    found: list[tuple[_Rank, Stripes]] = []
    for chain in chains(graph):
        names = [node.name for node in chain]
        if peak not in names:
            continue
        at = names.index(peak)
        for first in range(max(0, at - MAX_LAYERS), at + 1):
            for last in range(at + 1, min(len(chain), first + MAX_LAYERS) + 1):
                found += _counts(graph, chain[first:last], terms)
                if first == 0 and may_come_by_rows(graph, chain[0].inputs[0]):
                    found += _counts(graph, chain[:last], terms, by_rows=True)
    yield from (stripes for _, stripes in sorted(found, key=lambda one: one[0]))


def may_come_by_rows(graph: Graph, name: str) -> bool:
    """Whether ``name`` is an input that one node alone reads."""
    return name in graph.inputs and name not in graph.outputs and _readers(graph)[name] == 1


def _counts(
    graph: Graph, nodes: Sequence[Node], terms: Terms, *, by_rows: bool = False
) -> Iterator[tuple[_Rank, Stripes]]:
    """The fewest stripes that fit, and lower ones, with their rank."""
    height, found = graph.values[nodes[-1].output].shape[ROWS], 0
    names, costs = tuple(node.name for node in nodes), [terms.cost(node) for node in nodes]
    missed = len(terms.over.difference(names)) if terms.wide else 0
    room = terms.room - terms.kept(names)
    for count in _even(height) if len(nodes) > 1 else ():
        needs = bytes_of(graph, nodes, count, by_rows=by_rows) + terms.beside(nodes, count)
        if needs <= room:
            more = rows_more(graph, nodes, count, costs)
            yield (missed, by_rows, more, len(nodes) * count), Stripes(names, count, by_rows)
            found += 1
        if found == MAX_HEIGHTS:
            return


def _even(height: int) -> list[int]:
    """Numbers of stripes, the fewest of each height."""
    rows = {-(-height // count) for count in range(2, min(MAX_STRIPES, height) + 1)}
    return [-(-height // each) for each in sorted(rows, reverse=True)]


def in_stripes(graph: Graph, stripes: Stripes) -> Graph:
    """``graph`` with the chain of ``stripes`` as one chain a stripe, and a Concat that has the name
    of its last node. The integers are the same."""
    named = {node.name: node for node in graph.nodes}
    nodes = [named[name] for name in stripes.nodes]
    draft = _Draft(dict(graph.values), dict(graph.constants), [])
    for node in graph.nodes:
        if node.name == stripes.nodes[-1]:
            draft.parts(graph, nodes, stripes)
        elif node.name not in stripes.nodes:
            draft.nodes.append(node)
    return verify(
        replace(
            graph,
            nodes=tuple(draft.nodes),
            values={k: v for k, v in draft.values.items() if k not in _inner(nodes)},
            constants=draft.constants,
            shares=(),
        )
    )


def _inner(nodes: Sequence[Node]) -> set[str]:
    return {node.output for node in nodes[:-1]}


def _stripes(graph: Graph, nodes: Sequence[Node], count: int) -> Iterator[tuple[Cut, ...]]:
    """Of each stripe the rows of every node, found from the last to the first. All but the last
    are of one height, so that they can have their code together; there may be fewer than ``count``.
    """
    height = graph.values[nodes[-1].output].shape[ROWS]
    rows = -(-height // count)
    for first in range(0, height, rows):
        begin, end = first, min(first + rows, height)
        cuts: list[Cut] = []
        for node in reversed(nodes):
            cuts.insert(0, _cut(graph, node, begin, end))
            begin, end = cuts[0].first, cuts[0].first + cuts[0].inputs
        yield tuple(cuts)


def _cut(graph: Graph, node: Node, begin: int, end: int) -> Cut:
    """What the outputs from ``begin`` to ``end`` need."""
    ((_, (first, last)),) = rows_read(graph, node, (begin, end))
    return Cut(begin, end - begin, first, last - first)


@dataclass
class _Draft:
    values: dict[str, Value]
    constants: dict[str, np.ndarray]
    nodes: list[Node]

    def parts(self, graph: Graph, nodes: Sequence[Node], stripes: Stripes) -> None:
        """Every stripe from its rows of the input on, then the Concat."""
        ends = []
        for index, cuts in enumerate(_stripes(graph, nodes, stripes.count)):
            source = self.slice(graph, nodes[0], cuts[0], index, stripes.by_rows)
            for node, cut in zip(nodes, cuts, strict=True):
                source = self.part(graph, node, cut, source, index)
            ends.append(source)
        self.join(joined(graph, nodes[-1], ends, ROWS))

    def slice(self, graph: Graph, node: Node, cut: Cut, index: int, by_rows: bool) -> str:
        value = graph.values[node.inputs[0]]
        if cut.inputs == value.shape[ROWS] and not by_rows:
            return value.name
        batch, _, *pixel = value.shape
        name = f"{value.name}.{node.name}.{index}"
        self.values[name] = replace(value, name=name, shape=(batch, cut.inputs, *pixel))
        attrs = SliceAttrs((0, cut.first, 0, 0), (batch, cut.first + cut.inputs, *pixel), by_rows)
        self.nodes.append(Node(f"{node.name}.rows.{index}", "Slice", (value.name,), (name,), attrs))
        return name

    def part(self, graph: Graph, node: Node, cut: Cut, source: str, index: int) -> str:
        value, name = graph.values[node.output], f"{node.output}.{index}"
        batch, _, *pixel = value.shape
        self.values[name] = replace(value, name=name, shape=(batch, cut.count, *pixel))
        self.nodes.append(
            replace(
                node,
                name=f"{node.name}.{index}",
                inputs=(source, *node.inputs[1:]),
                outputs=(name,),
                attrs=part_attrs(graph, node, (cut.begin, cut.begin + cut.count)),
            )
        )
        return name

    def join(self, found: Joined) -> None:
        self.nodes.append(found.node)
        self.values |= found.values
        self.constants |= found.constants
