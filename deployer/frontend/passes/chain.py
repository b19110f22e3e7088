"""Concats that begin with all an earlier one joined read that Concat instead.

DenseNet is written in two styles: each layer joins the list of all features so far, or it appends
one to what was joined last. The first keeps every feature alive beside the joined tensors, to the
end of the block; the second keeps one joined tensor alive instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from deployer.analysis import lifetimes, live_profile, step_nodes
from deployer.ir import Graph, Node

Links = Mapping[str, Node]  # a Concat's name to the earlier one that it may read


def chain_concats(graph: Graph) -> Graph:
    """``graph`` with chained Concats wherever fewer bytes are then alive at most.

    Concats linked to each other are changed together, since half a chain keeps both the features
    and the joined tensors. The function and the order of the nodes stay.
    """
    for family in _families(_links(graph)):
        other = _chained(graph, family)
        if _most(other, family) < _most(graph, family):
            graph = other
    return graph


def _links(graph: Graph) -> Links:
    """Every Concat to the earlier one with most inputs that all come first in it."""
    seen: dict[tuple[int, tuple[str, ...]], Node] = {}
    found: dict[str, Node] = {}
    for node in graph.nodes:
        if node.op != "Concat":
            continue
        for count in range(len(node.inputs) - 1, 1, -1):
            before = seen.get((node.attrs.axis, node.inputs[:count]))
            if before is not None and _rounds_once(graph, before, node):
                found[node.name] = before
                break
        seen.setdefault((node.attrs.axis, node.inputs), node)
    return found


def _rounds_once(graph: Graph, before: Node, node: Node) -> bool:
    """Whether stated quantizations give the same integers either way: there are none, or one."""
    parts = {graph.values[name].quant for name in node.inputs}
    joined = {graph.values[n.output].quant for n in (before, node)}
    return len(parts) == 1 and joined <= parts | {None}


def _families(links: Links) -> Iterator[Links]:
    """The links in groups that hang together."""
    root: dict[str, str] = {}
    families: dict[str, dict[str, Node]] = {}
    for name, before in links.items():
        root[name] = root.get(before.name, before.name)
        families.setdefault(root[name], {})[name] = before
    yield from families.values()


def _chained(graph: Graph, links: Links) -> Graph:
    nodes = (
        replace(node, inputs=_shorter(node, links[node.name])) if node.name in links else node
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))


def _shorter(node: Node, before: Node) -> tuple[str, ...]:
    return (before.output, *node.inputs[len(before.inputs) :])


def _most(graph: Graph, links: Links) -> int:
    """Most bytes alive from the first to the last Concat of a family."""
    members = {*links, *(node.name for node in links.values())}
    at = [step for step, node in enumerate(step_nodes(graph)) if node.name in members]
    alive = live_profile(lifetimes(graph), len(step_nodes(graph)))
    return max(alive[min(at) : max(at) + 1])
