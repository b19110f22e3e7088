"""Kernels that take least scratch, and the faster ones back where memory allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from deployer.ir import OPS, Graph, Node
from deployer.kernelset import candidates, case_of, select


def lean(graph: Graph, families: Sequence[str]) -> Graph:
    """``graph`` with the kernel of least scratch in every node, the first of those in the list."""
    return replace(graph, nodes=tuple(_lean(families, graph, node) for node in graph.nodes))


def refilled(
    graph: Graph, fast: Graph, families: Sequence[str], ok: Callable[[Graph], bool]
) -> Graph:
    """``graph`` with as many kernels of ``fast`` as are ``ok``, those of little scratch first.

    ``graph`` itself is ``ok``; regions are its own. Nodes are looked at in one order, of which the
    longest part that is ``ok`` is searched by halves.
    """
    wanted = {node.name: node for node in fast.nodes}
    order = sorted(_differing(graph, wanted, families), key=lambda entry: entry[1])
    names = [name for name, _ in order]
    low, high = 0, len(names)
    while low < high:
        middle = (low + high + 1) // 2
        if ok(_with(graph, wanted, names[:middle])):
            low = middle
        else:
            high = middle - 1
    return _with(graph, wanted, names[:low])


def _lean(families: Sequence[str], graph: Graph, node: Node) -> Node:
    if OPS[node.op].alias:
        return node
    node = replace(node, kernel="", stored=0)
    case = case_of(graph, node)
    first = select(families, graph, node)
    able = [first, *(k for k in candidates(families, case) if not (k.opt_in or k.yields(case)))]
    best = min(able, key=lambda kernel: kernel.scratch(case))
    return node if best is first else replace(node, kernel=best.symbol)


def _differing(
    graph: Graph, wanted: Mapping[str, Node], families: Sequence[str]
) -> list[tuple[str, int]]:
    """Nodes that have another kernel in ``wanted``, with its scratch."""
    return [
        (node.name, select(families, graph, wanted[node.name]).scratch(case_of(graph, node)))
        for node in graph.nodes
        if node.kernel != wanted[node.name].kernel
    ]


def _with(graph: Graph, wanted: Mapping[str, Node], names: Sequence[str]) -> Graph:
    taken = set(names)
    nodes = (
        replace(node, kernel=wanted[node.name].kernel, stored=wanted[node.name].stored)
        if node.name in taken
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))
