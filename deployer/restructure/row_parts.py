"""A layer on some rows of its output: the rows of its inputs that it reads, and its attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from deployer.analysis import need, reaches
from deployer.ir import (
    OPS,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    Graph,
    Node,
    Pads,
    PoolAttrs,
    ResizeAttrs,
    ResizeMode,
)

ROWS = 1  # axis of an activation
Span = tuple[int, int]  # rows, half-open


def has_row_parts(graph: Graph, node: Node) -> bool:
    """Whether ``row_part`` can cut ``node``."""
    if any(len(graph.values[name].shape) != 4 for name in (node.output, *graph.activations(node))):
        return False
    attrs = node.attrs
    if isinstance(attrs, ConcatAttrs):
        return attrs.axis != ROWS
    if isinstance(attrs, ResizeAttrs):
        return attrs.mode == ResizeMode.NEAREST and attrs.start == (0, 0)
    return OPS[node.op].elementwise or isinstance(attrs, ConvAttrs | PoolAttrs | ConvTransposeAttrs)


def has_parts(graph: Graph, node: Node, count: int) -> bool:
    """Whether ``node`` can be in ``count`` parts."""
    if not has_row_parts(graph, node):
        return False
    return all(has_rows(graph, node, rows) for rows in row_parts(graph, node, count))


def has_rows(graph: Graph, node: Node, rows: Span) -> bool:
    """Whether ``node``, which has parts, can compute ``rows`` alone: no window lies wholly in
    padding, and a Resize makes all copies of a row."""
    if isinstance(node.attrs, ResizeAttrs):
        return not any(row % node.attrs.factors[0] for row in rows)
    windows = [down for _, down, _ in reaches(graph, node) if not down.fixed]
    return all(min(down.pads(*rows)) >= 0 for down in windows)


def row_parts(graph: Graph, node: Node, count: int) -> tuple[Span, ...]:
    """The rows of the output in up to ``count`` parts, all but the last of one height."""
    height = graph.values[node.output].shape[ROWS]
    step = node.attrs.factors[0] if isinstance(node.attrs, ResizeAttrs) else 1
    rows = -(-height // (count * step)) * step
    return tuple((at, min(at + rows, height)) for at in range(0, height, rows))


def rows_read(graph: Graph, node: Node, rows: Span) -> Iterator[tuple[str, Span]]:
    """Of each activation the rows that ``rows`` of the output need."""
    for name, down, _ in reaches(graph, node):
        yield name, (0, graph.values[name].shape[ROWS]) if down.fixed else need(down, *rows)


def part_attrs(graph: Graph, node: Node, rows: Span) -> Any:
    """The attributes of ``node`` where it computes ``rows`` from the rows that they need."""
    attrs = node.attrs
    if not isinstance(attrs, ConvAttrs | PoolAttrs | ConvTransposeAttrs):
        return attrs
    ((_, down, _),) = reaches(graph, node)
    window, (before, after) = attrs.window, down.pads(*rows)
    pads = Pads(before, window.pads.left, after, window.pads.right)
    attrs = replace(attrs, window=replace(window, pads=pads))
    if isinstance(attrs, ConvTransposeAttrs):
        return replace(attrs, output=(rows[1] - rows[0], attrs.output[1]))
    return attrs
