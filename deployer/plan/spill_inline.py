"""Spilled values that are computed anew for each part of their reader instead."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from deployer.analysis import node_macs
from deployer.ir import Graph, Node
from deployer.plan.spill_needs import SpilledNeeds, SpillNeeds
from deployer.restructure import Spilling, has_row_parts, has_rows, members, rows_computed
from deployer.tile import link_cycles, outer_of

MACS_PER_CYCLE = 16.0  # of what is computed twice, beside what is not moved
MORE_PARTS = 2  # times as many of the reader


def inlined(needs: SpillNeeds, found: Spilling) -> Spilling:
    """``found`` with values inlined where that takes less time than to spill and fetch them, the
    last first."""
    for node in reversed(needs.steps):
        better = _without(needs, found, node)
        if better is not None and SpilledNeeds(needs, better).excess <= 0:
            found = better
    return found


def _without(needs: SpillNeeds, found: Spilling, node: Node) -> Spilling | None:
    """With the output of ``node`` inlined in as many parts of its reader as have room; None where
    more is computed twice than it saves."""
    value, graph = node.output, needs.graph
    reader = _reader(needs, found, node)
    if reader is None:
        return None
    counts = {name: count for name, count in found.counts.items() if name != node.name}
    near = frozenset(pair for pair in found.near if pair[0] != value)
    base = replace(
        found, spilled=found.spilled - {value}, near=near, inlined=found.inlined | {value}
    )
    least = counts[reader.name]
    for count in range(least, MORE_PARTS * least + 1):
        computed = list(rows_computed(graph, reader, count, base.inlined))
        if not all(has_rows(graph, each, rows) for each, rows in computed):
            continue
        if _twice(graph, computed) > _saved(needs, value):
            return None
        choice = replace(base, counts={**counts, reader.name: count})
        if SpilledNeeds(needs, choice).fits(reader):
            return choice
    return None


def _reader(needs: SpillNeeds, found: Spilling, node: Node) -> Node | None:
    """The node in parts that reads the output of ``node``, or computes what does, if one alone."""
    readers = needs.graph.consumers.get(node.output, ())
    if node.output not in found.spilled or len(readers) != 1:
        return None
    if not has_row_parts(needs.graph, node):
        return None
    inside = (
        each
        for each in SpilledNeeds(needs, found).running
        if readers[0] in members(needs.graph, each, found.inlined)
    )
    reader = next(inside)
    return reader if found.counts.get(reader.name, 1) > 1 else None


def _saved(needs: SpillNeeds, value: str) -> float:
    """Cycles in which ``value`` is spilled and fetched."""
    outer = outer_of(needs.given.board)
    assert outer is not None
    return 2 * float(link_cycles(outer[1], needs.bytes(value)))


def _twice(graph: Graph, computed: Collection[tuple[Node, tuple[int, int]]]) -> float:
    """Cycles of what is computed more than once."""
    total = 0.0
    for node, (begin, end) in computed:
        height = graph.values[node.output].shape[1]
        total += node_macs(graph, node) * (end - begin) / height
    once = {node.name: node for node, _ in computed}.values()
    return (total - sum(node_macs(graph, node) for node in once)) / MACS_PER_CYCLE
