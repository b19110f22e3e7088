"""Where the nodes of a network are drawn: one below the other, skip connections in lanes beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deployer.choices import Word
from deployer.ir import OPS, Graph, Node


class RowKind(Word):
    """What a box of the picture stands for; an alias runs no code."""

    INPUT = "input"
    NODE = "node"
    ALIAS = "alias"
    OUTPUT = "output"


_HEIGHTS_PX = {RowKind.INPUT: 28, RowKind.NODE: 42, RowKind.ALIAS: 24, RowKind.OUTPUT: 28}
_GAP_PX = 26  # between rows: the arrow and the shape beside it


@dataclass(frozen=True)
class Row:
    """A box. ``value`` is what it makes (an output: what it takes); ``step`` is -1 without code."""

    kind: RowKind
    value: str
    top: float
    node: Node | None
    step: int

    @property
    def height(self) -> float:
        return _HEIGHTS_PX[self.kind]

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    @property
    def bottom(self) -> float:
        return self.top + self.height


@dataclass(frozen=True)
class Lane:
    """A value that passes others by: from row ``start`` to each row of ``ends``, in ``track``
    0 (next to the boxes) or further out."""

    start: int
    ends: tuple[int, ...]
    track: int


def rows_of(graph: Graph, top: float) -> tuple[Row, ...]:
    """Inputs, nodes in execution order, outputs."""
    items: list[tuple[RowKind, str, Node | None]] = []
    items += [(RowKind.INPUT, name, None) for name in graph.inputs]
    items += [(_kind_of(node), node.output, node) for node in graph.nodes]
    items += [(RowKind.OUTPUT, name, None) for name in graph.outputs]
    rows, step = [], 0
    for kind, value, node in items:
        rows.append(Row(kind, value, top, node, step if kind == RowKind.NODE else -1))
        top += _HEIGHTS_PX[kind] + _GAP_PX
        step += kind == RowKind.NODE
    return tuple(rows)


def _kind_of(node: Node) -> RowKind:
    return RowKind.ALIAS if OPS[node.op].alias else RowKind.NODE


def readers(graph: Graph, rows: Sequence[Row]) -> dict[int, list[int]]:
    """Row to the rows that read what it makes."""
    makers = {
        name: i
        for i, row in enumerate(rows)
        if row.kind != RowKind.OUTPUT
        for name in (row.node.outputs if row.node else (row.value,))
    }
    reading: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        for name in dict.fromkeys(_reads(graph, row)):
            if name in makers and i not in reading.setdefault(makers[name], []):
                reading[makers[name]].append(i)
    return reading


def lanes_of(reading: Mapping[int, Sequence[int]]) -> tuple[Lane, ...]:
    """A lane per row that is read further below; short ones inside, none crossing in a track."""
    spans = [
        (start, tuple(i for i in ends if i != start + 1)) for start, ends in sorted(reading.items())
    ]
    spans = sorted((s for s in spans if s[1]), key=lambda span: (max(span[1]) - span[0], span[0]))
    tracks: list[list[tuple[int, int]]] = []
    lanes = []
    for start, ends in spans:
        track = next((k for k, taken in enumerate(tracks) if _free(taken, start, max(ends))), None)
        if track is None:
            track = len(tracks)
            tracks.append([])
        tracks[track].append((start, max(ends)))
        lanes.append(Lane(start, ends, track))
    return tuple(lanes)


def _reads(graph: Graph, row: Row) -> Iterator[str]:
    if row.kind == RowKind.OUTPUT:
        yield row.value
    elif row.node is not None:
        yield from graph.activations(row.node)


def _free(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    return all(end < low or high < start for low, high in taken)
