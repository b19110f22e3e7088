"""What shares of a graph leave to be copied, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.ir.attrs import ConcatAttrs, SliceAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.rules import RequantRule
from deployer.ir.share import INSIDE, OVER, VIEW, Share

_ALIGN_BYTES = 4  # of an overlap offset: kernels load words


def viewed(graph: Graph, node: Node) -> frozenset[str]:
    """The values that ``node`` finds in place or is a window of."""
    return frozenset(s.value for s in graph.shares if s.node == node.name and s.kind == VIEW)


def copied(graph: Graph, node: Node) -> tuple[int, ...]:
    """Which of its activations a Concat or Slice has left to copy."""
    there, names = viewed(graph, node), graph.activations(node)
    return tuple(i for i, name in enumerate(names) if name not in there)


def copies_nothing(graph: Graph, node: Node) -> bool:
    """Whether all a Concat or Slice would copy is in its place, so that no code runs."""
    return isinstance(node.attrs, ConcatAttrs | SliceAttrs) and not copied(graph, node)


def same_numbers(graph: Graph, node: Node, value: str) -> bool:
    """Whether ``node``, a Concat or Slice, changes no element of ``value``."""
    source, target = graph.values[value], graph.values[node.output]
    if source.dtype is not target.dtype:
        return False
    rq = node.requant
    if rq is None or target.quant is None:
        return True
    tables = (graph.constants[name] for name in (rq.multiplier, rq.rounding, rq.shift))
    entry = tuple(int(table[graph.activations(node).index(value)]) for table in tables)
    whole = rq.low <= target.quant.low and rq.high >= target.quant.high
    return whole and (entry[0] == 1 or rq.rule == RequantRule.SHIFT) and entry[1:] == (0, 0)


def share_faults(graph: Graph) -> list[str]:
    """What is wrong with the graph's shares one by one, a line each. Whether they claim bytes that
    something else needs is analysis.sharing's to say."""
    nodes = {node.name: node for node in graph.nodes}
    inside = {name for region in graph.regions for name in region.nodes}
    found, seen = [], set()
    for share in graph.shares:
        label = f"share of {share.value} at {share.node}"
        node = nodes.get(share.node)
        if node is None:
            found.append(f"{label}: no such node")
            continue
        if (share.node, share.value) in seen:
            found.append(f"{label}: stated twice")
        if share.node in inside and share.kind != INSIDE:
            found.append(f"{label}: the node is inside a region")
        seen.add((share.node, share.value))
        found += [f"{label}: {fault}" for fault in _faults(graph, share, node)]
    return found


def _faults(graph: Graph, share: Share, node: Node) -> Iterator[str]:
    if share.overlap_offset % _ALIGN_BYTES or (share.overlap_offset < 0 and share.kind != INSIDE):
        yield f"a distance of {share.overlap_offset} bytes"
    if share.kind == INSIDE:
        if share.value not in graph.values or share.value in graph.constants:
            yield "no such value"
    elif graph.activations(node).count(share.value) != 1:
        yield "the node does not read it once"
    elif share.kind == VIEW:
        yield from _view_faults(graph, share, node)
    elif share.kind != OVER:
        yield f"unknown kind {share.kind!r}"


def _view_faults(graph: Graph, share: Share, node: Node) -> Iterator[str]:
    if not isinstance(node.attrs, ConcatAttrs | SliceAttrs) or share.overlap_offset:
        yield f"a view without a lead is for Concat and Slice, not {node.op}"
    elif not same_numbers(graph, node, share.value):
        yield "its elements are not those of the output"
