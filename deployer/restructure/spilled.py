"""Values that are spilled to the memory behind the arena's, and layers in parts between them.

Paper 004, section 4.2.1, "L3-tile x" and "L3-tile y": where neither the input nor the output of a
layer fits the arena's memory, its rows are fetched, computed and written back some at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.ir import OPS, Graph, Node, SliceAttrs, Value, joined, verify
from deployer.restructure.row_parts import ROWS, Span, part_attrs, row_parts, rows_read


@dataclass(frozen=True)
class Spilling:
    """``spilled``: values in the outer memory; ``counts``: nodes in so many parts of their rows;
    ``near``: those that read a spilled value before it leaves the arena, as (value, node);
    ``inlined``: values that exist part by part, for each part of the one node that reads them."""

    spilled: Set[str]
    counts: Mapping[str, int]
    near: Set[tuple[str, str]] = frozenset()
    inlined: Set[str] = frozenset()

    def comes(self, value: str, node: str) -> bool:
        """Whether ``node`` reads ``value`` from the outer memory."""
        return value in self.spilled and (value, node) not in self.near


def may_be_spilled(graph: Graph, name: str) -> bool:
    """Whether ``name`` is an image that neither leaves the network nor has another name; an input
    of the network is not written, but fetched from where the harness has it."""
    if name in graph.outputs or name in graph.constants or len(graph.values[name].shape) != 4:
        return False
    around = (*graph.consumers.get(name, ()), *filter(None, [graph.producer.get(name)]))
    return bool(graph.consumers.get(name)) and not any(OPS[node.op].alias for node in around)


def with_spills(graph: Graph, spilling: Spilling) -> Graph:
    """``graph`` with what ``spilling`` says. The integers are the same."""
    draft = _Draft(graph, spilling)
    for node in graph.nodes:
        if node.output not in spilling.inlined:
            draft.add(node)
    read = {name for node in draft.nodes for name in node.inputs}
    gone = {node.output for node in graph.nodes} - draft.made.keys()
    values = {name: value for name, value in draft.values.items() if name not in gone - read}
    return verify(
        replace(
            graph,
            nodes=tuple(draft.nodes),
            values=values | draft.made,
            constants=draft.constants,
            shares=(),
        )
    )


@dataclass
class _Draft:
    graph: Graph
    spilling: Spilling
    nodes: list[Node] = field(default_factory=list)
    made: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values: dict[str, Value] = dict(self.graph.values)
        self.constants: dict[str, np.ndarray] = dict(self.graph.constants)

    def add(self, node: Node) -> None:
        """``node`` as a whole or in parts, with what they read and where they go."""
        count = self.spilling.counts.get(node.name, 1)
        parts = row_parts(self.graph, node, count) if count > 1 else ()
        if len(parts) < 2:
            self._whole(node)
            return
        spilled, ends = node.output in self.spilling.spilled, []
        for index, rows in enumerate(parts):
            end = self._part(node, rows, f".{index}", node.name)
            ends.append(self._spill(node, end, f"{end}.spilled", rows) if spilled else end)
        self._together(node, ends)

    def _whole(self, node: Node) -> None:
        names = self.graph.activations(node)
        inputs = [self._rows(node, name, self._all(name), "", node.name) for name in names]
        written = node.output in self.spilling.spilled
        name = f"{node.output}.near" if written else node.output
        made = replace(node, inputs=(*inputs, *node.inputs[len(inputs) :]), outputs=(name,))
        self._emit(made, replace(self.graph.values[node.output], name=name))
        if written:
            self._spill(node, name, node.output, self._all(node.output))

    def _part(self, node: Node, rows: Span, label: str, reader: str) -> str:
        """``rows`` of the output of ``node``, for a part of ``reader``."""
        read = dict(rows_read(self.graph, node, rows))
        inputs = tuple(
            self._rows(node, name, read[name], label, reader) if name in read else name
            for name in node.inputs
        )
        attrs, name = part_attrs(self.graph, node, rows), f"{node.output}{label}"
        part = replace(
            node, name=f"{node.name}{label}", inputs=inputs, outputs=(name,), attrs=attrs
        )
        self._emit(part, self._cut(node.output, name, rows))
        return name

    def _rows(self, node: Node, value: str, rows: Span, label: str, reader: str) -> str:
        """Rows of ``value`` that a part of ``node`` reads, in the arena."""
        if value in self.spilling.inlined:
            return self._part(self.graph.producer[value], rows, label, reader)
        comes = self.spilling.comes(value, node.name)
        source = value if comes or value not in self.spilling.spilled else f"{value}.near"
        if rows == self._all(value) and not comes:
            return source
        name = f"{value}.{node.name}{label}"
        if name not in self.made:
            like = self._cut(value, name, rows)
            end = (like.shape[0], rows[1], *like.shape[2:])
            attrs = SliceAttrs((0, rows[0], 0, 0), end, fetched=comes)
            self._emit(Node(f"{name}.rows", "Slice", (source,), (name,), attrs), like)
        return name

    def _spill(self, node: Node, source: str, name: str, rows: Span) -> str:
        like = self._cut(node.output, name, rows)
        attrs = SliceAttrs((0,) * 4, like.shape, spilled=True)
        self._emit(Node(f"{name}.store", "Slice", (source,), (name,), attrs), like)
        return name

    def _together(self, node: Node, ends: Sequence[str]) -> None:
        """The output of ``node`` of its parts, which lie in the arena or outside of it."""
        found = joined(self.graph, node, ends, ROWS)
        self.values |= found.values
        self.constants |= found.constants
        self._emit(found.node, self.graph.values[node.output])

    def _emit(self, node: Node, like: Value) -> None:
        self.nodes.append(node)
        self.made[node.output] = like

    def _cut(self, value: str, name: str, rows: Span) -> Value:
        whole = self.graph.values[value]
        batch, _, *pixel = whole.shape
        return replace(whole, name=name, shape=(batch, rows[1] - rows[0], *pixel))

    def _all(self, value: str) -> Span:
        shape = self.graph.values[value].shape
        return 0, shape[ROWS] if len(shape) > ROWS else 1
