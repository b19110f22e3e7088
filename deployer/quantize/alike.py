"""Nodes that compute with equal constants read the same: flash holds those of alike steps once.

A kernel may store weights together with biases and multipliers, so a node has either all constants
of another one or none of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from deployer.ir import Graph, Node


def share_constants(graph: Graph) -> Graph:
    """Integer ``graph`` with the constants of the first of all nodes that are alike in them."""
    first: dict[Hashable, Node] = {}
    nodes = [
        _reading(graph, node, first.setdefault(_key(graph, node), node)) for node in graph.nodes
    ]
    used = {name for node in nodes for name in (*node.inputs, *_tables(node))}
    gone = graph.constants.keys() - used
    return replace(
        graph,
        nodes=tuple(nodes),
        values={name: value for name, value in graph.values.items() if name not in gone},
        constants={name: array for name, array in graph.constants.items() if name not in gone},
    )


def _tables(node: Node) -> tuple[str, ...]:
    rq = node.requant
    return () if rq is None else (rq.multiplier, rq.rounding, rq.shift)


def _operands(graph: Graph, node: Node) -> list[str]:
    return [name for name in node.inputs if name in graph.constants]


def _key(graph: Graph, node: Node) -> Hashable:
    """What a node shares with those that are alike: whatever its constants may be stored with."""
    names = (*_operands(graph, node), *_tables(node))
    source = graph.values[node.first]
    quant = None if source.quant is None else (source.zero_point, source.dtype)
    rule = None if node.requant is None else node.requant.rule
    contents = tuple((graph.values[n].dtype, graph.constants[n].tobytes()) for n in names)
    shapes = graph.shapes(node.inputs)
    return node.op, node.attrs, quant, rule, shapes, contents


def _reading(graph: Graph, node: Node, other: Node) -> Node:
    """``node`` with the constants of ``other``."""
    activations = graph.activations(node)
    inputs = (*activations, *_operands(graph, other))
    if node.requant is None or other.requant is None:
        return replace(node, inputs=inputs)
    multiplier, rounding, shift = _tables(other)
    own = replace(node.requant, multiplier=multiplier, rounding=rounding, shift=shift)
    return replace(node, inputs=inputs, requant=own)
