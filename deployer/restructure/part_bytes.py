"""Bytes that a layer in parts of its rows takes, with what exists for one part alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from deployer.ir import Graph, Node
from deployer.restructure.row_parts import ROWS, Span, row_parts, rows_read
from deployer.restructure.spilled import Spilling


@dataclass(frozen=True)
class PartBytes:
    """``beside``: bytes that a node takes beside activations while it runs, such as weights."""

    graph: Graph
    spilling: Spilling
    beside: Callable[[str], int]

    def most(self, node: Node, count: int) -> int:
        """The most that one of ``count`` parts of ``node`` takes beside ``resident`` values."""
        return max(self._part(node, rows)[0] for rows in row_parts(self.graph, node, count))

    def _part(self, node: Node, rows: Span) -> tuple[int, int]:
        """At its peak, and what is left: the rows of its output, unless these have their place in
        the arena."""
        held = peak = 0
        for name, span in dict(rows_read(self.graph, node, rows)).items():
            own, left = self._input(node, name, span)
            peak, held = max(peak, held + own), held + left
        left = 0 if self._is_there(node) else self._bytes(node.output, rows)
        return max(peak, held + left + self.beside(node.name)), left

    def _input(self, node: Node, name: str, rows: Span) -> tuple[int, int]:
        if name in self.spilling.inlined:
            return self._part(self.graph.producer[name], rows)
        own = self._bytes(name, rows) if self.spilling.comes(name, node.name) else 0
        return own, own

    def _is_there(self, node: Node) -> bool:
        return node.output not in self.spilling.spilled and node.output not in self.spilling.inlined

    def _bytes(self, name: str, rows: Span) -> int:
        value = self.graph.values[name]
        return value.bytes // value.shape[ROWS] * (rows[1] - rows[0])


def members(graph: Graph, node: Node, inlined: Set[str]) -> Iterator[Node]:
    """The nodes that compute anew for each part of ``node``, and ``node``."""
    for name in graph.activations(node):
        if name in inlined:
            yield from members(graph, graph.producer[name], inlined)
    yield node


def rows_computed(
    graph: Graph, node: Node, count: int, inlined: Set[str]
) -> Iterator[tuple[Node, Span]]:
    """Each of the ``members`` with the rows that it computes, for each part of ``node``."""
    for rows in row_parts(graph, node, count):
        yield from _computed(graph, node, rows, inlined)


def _computed(
    graph: Graph, node: Node, rows: Span, inlined: Set[str]
) -> Iterator[tuple[Node, Span]]:
    yield node, rows
    for name, span in dict(rows_read(graph, node, rows)).items():
        if name in inlined:
            yield from _computed(graph, graph.producer[name], span, inlined)
