"""Kernels by their scratch: the cheapest within a limit, cheaper ones where there is room."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from deployer.ir import OPS, Graph, Node
from deployer.kernelset import Kernel, by_symbol, candidates, case_of, select

NodeCost = Callable[[Graph, Node], float]
Stored = Callable[[Graph, Node, Kernel], int]
Changes = Mapping[str, Node]


@dataclass(frozen=True)
class Offer:
    """``node`` with a kernel named: its cost, and bytes of the kernel's scratch."""

    node: Node
    cost: float
    scratch: int


def offers_of(
    graph: Graph, fast: Graph, families: Sequence[str], cost: NodeCost, stored: Stored
) -> dict[str, tuple[Offer, ...]]:
    """Per node every kernel of ``families`` by rising cost, each with less scratch than those
    before; ``stored``: bytes of its weights with a kernel. Kernels that take more memory than
    others only where ``fast`` names them."""
    wanted = {node.name: node for node in fast.nodes}
    return {
        node.name: _lowering(_offers(graph, node, wanted[node.name], families, cost, stored))
        for node in graph.nodes
        if not OPS[node.op].alias
    }


def _offers(
    graph: Graph,
    node: Node,
    fast: Node,
    families: Sequence[str],
    cost: NodeCost,
    stored: Stored,
) -> list[Offer]:
    plain, case = replace(node, kernel="", stored=0), case_of(graph, node)
    first = select(families, graph, plain)
    able = dict.fromkeys(
        (first, *(k for k in candidates(families, case) if not (k.opt_in or k.yields(case))))
    )
    named = [
        plain if k is first else replace(plain, kernel=k.symbol, stored=stored(graph, plain, k))
        for k in able
    ]
    if fast.kernel and fast.kernel not in {k.symbol for k in able}:
        named.append(fast)
    return [Offer(one, cost(graph, one), _kernel(graph, one, first).scratch(case)) for one in named]


def _kernel(graph: Graph, node: Node, first: Kernel) -> Kernel:
    return by_symbol(node.kernel) if node.kernel else first


def _lowering(offers: Sequence[Offer]) -> tuple[Offer, ...]:
    kept: list[Offer] = []
    for offer in sorted(offers, key=lambda one: (one.cost, one.scratch)):
        if not kept or offer.scratch < kept[-1].scratch:
            kept.append(offer)
    return tuple(kept)


def within_scratch(graph: Graph, offers: Mapping[str, Sequence[Offer]], most: float) -> Graph:
    """``graph`` with the cheapest kernel of at most ``most`` bytes in every node; where none takes
    as little, the one of least scratch."""
    taken = {
        name: next((offer.node for offer in found if offer.scratch <= most), found[-1].node)
        for name, found in offers.items()
    }
    return with_nodes(graph, taken)


def filled(
    graph: Graph, offers: Mapping[str, Sequence[Offer]], ok: Callable[[Graph], bool]
) -> Graph:
    """``graph``, which is ``ok``, with cheaper kernels wherever it stays so: in every node the
    cheapest first, then the next for those that had no room."""
    have = {node.name: node.kernel for node in graph.nodes}
    better = {name: _cheaper(found, have[name]) for name, found in offers.items()}
    settled: set[str] = set()
    for rank in range(max(map(len, better.values()), default=0)):
        wanted = {
            name: found[rank].node
            for name, found in better.items()
            if rank < len(found) and name not in settled
        }
        graph, taken = _tried(graph, wanted, ok)
        settled |= taken
    return graph


def _cheaper(offers: Sequence[Offer], kernel: str) -> list[Offer]:
    at = next((i for i, offer in enumerate(offers) if offer.node.kernel == kernel), len(offers))
    return list(offers[:at])


def _tried(graph: Graph, wanted: Changes, ok: Callable[[Graph], bool]) -> tuple[Graph, set[str]]:
    """All at once, or by halves: few tries where few have no room."""
    if not wanted:
        return graph, set()
    found = with_nodes(graph, wanted)
    if ok(found):
        return found, set(wanted)
    if len(wanted) == 1:
        return graph, set()
    items, half = list(wanted.items()), len(wanted) // 2
    graph, first = _tried(graph, dict(items[:half]), ok)
    graph, second = _tried(graph, dict(items[half:]), ok)
    return graph, first | second


def with_nodes(graph: Graph, nodes: Changes) -> Graph:
    """``graph`` with the kernels of ``nodes``."""

    def changed(node: Node) -> Node:
        named = nodes.get(node.name, node)
        return replace(node, kernel=named.kernel, stored=named.stored)

    return replace(graph, nodes=tuple(map(changed, graph.nodes)))
