"""Where the values inside a region lie: in buffers of their own, or in that of what they become."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from deployer.ir import OPS, ConcatAttrs, Graph, Node, Scope


@dataclass(frozen=True)
class Slot:
    """A value is channels ``channel``, … of ``owner``, whose rows and columns are its own."""

    owner: str
    channel: int = 0


def successors(graph: Graph, node: Node) -> tuple[tuple[str, int], ...]:
    """The activations that ``node`` could find in its output's bytes, and at which channel.

    An elementwise operator rewrites one input of its shape in place, a Concat each of its inputs
    in their part of the output. Whether they are free for it is the caller's to check: only a
    value of a region that ``node`` alone reads is.
    """
    names, out = graph.activations(node), graph.values[node.output]
    free = [n for n in names if names.count(n) == 1 and len(graph.consumers[n]) == 1]
    if isinstance(node.attrs, ConcatAttrs):
        starts = dict(zip(names, _starts(graph, names), strict=True))
        return tuple((n, starts[n]) for n in free if graph.values[n].dtype is out.dtype)
    if not OPS[node.op].elementwise:
        return ()
    alike = (n for n in free if graph.values[n].shape == out.shape)
    return tuple((n, 0) for n in alike if graph.values[n].dtype is out.dtype)


def _starts(graph: Graph, names: Iterable[str]) -> list[int]:
    starts, total = [], 0
    for name in names:
        starts.append(total)
        total += graph.values[name].shape[3]
    return starts


def assign(graph: Graph, nodes: Iterable[Node], inner: Callable[[str], bool]) -> dict[str, Slot]:
    """The slot of every output of ``nodes``, in order; ``inner``: no other node reads the value."""
    nodes = tuple(nodes)
    slots = {node.output: Slot(node.output) for node in nodes}
    for node in reversed(nodes):
        place = slots[node.output]
        usable = [(n, c) for n, c in successors(graph, node) if n in slots and inner(n)]
        if not isinstance(node.attrs, ConcatAttrs):
            usable = usable[:1]
        for name, channel in usable:
            slots[name] = Slot(place.owner, place.channel + channel)
    return slots


def slots_of(scope: Scope) -> Mapping[str, Slot]:
    """The slot of every value the region writes."""
    interior = set(scope.interior)
    return assign(scope.graph, scope.nodes, interior.__contains__)
