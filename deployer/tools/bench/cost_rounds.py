"""Networks of single operators again and again, until every kernel of a board has computed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from deployer.ir import OPS, Graph, Node, verify
from deployer.kernelset import candidates, case_of, select


def rounds(families: Sequence[str], graph: Graph) -> Iterator[Graph]:
    """``graph`` as it is, then the nodes that have another kernel, with each of those in turn."""
    yield graph
    others = {node.name: _others(families, graph, node) for node in graph.nodes}
    for turn in range(max(map(len, others.values()), default=0)):
        chosen = {name: kernels[turn] for name, kernels in others.items() if turn < len(kernels)}
        yield verify(_only(graph, chosen))


def _others(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, ...]:
    """Kernels that could compute the node and do not; none where it reads another node."""
    if OPS[node.op].alias or any(name in graph.producer for name in node.inputs):
        return ()
    first = select(families, graph, node).symbol
    every = (kernel.symbol for kernel in candidates(families, case_of(graph, node)))
    return tuple(symbol for symbol in every if symbol != first)


def _only(graph: Graph, chosen: Mapping[str, str]) -> Graph:
    """The nodes of ``chosen`` with those kernels, and what they read."""
    nodes = tuple(
        replace(node, kernel=chosen[node.name]) for node in graph.nodes if node.name in chosen
    )
    read = dict.fromkeys(name for node in nodes for name in node.inputs)
    made = tuple(node.output for node in nodes)
    kept = {*read, *made, *(name for node in nodes for name in _tables(node))}
    return replace(
        graph,
        nodes=nodes,
        inputs=tuple(name for name in graph.inputs if name in read),
        outputs=made,
        values={name: value for name, value in graph.values.items() if name in kept},
        constants={name: array for name, array in graph.constants.items() if name in kept},
    )


def _tables(node: Node) -> tuple[str, ...]:
    rq = node.requant
    return (rq.multiplier, rq.rounding, rq.shift) if rq else ()
