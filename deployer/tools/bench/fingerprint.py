"""Whether two integer graphs are one program: equal but for the names of nodes and values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from deployer.analysis import requant_names
from deployer.ir import Graph, Node


def fingerprint(graph: Graph) -> str:
    """16 hex digits of everything that code, weights and golden integers follow from."""
    digest = hashlib.sha256()
    numbers: dict[str, int] = {}
    for name in graph.inputs:
        digest.update(_text(_value(graph, name, numbers)))
    for node in graph.nodes:
        digest.update(_text(list(_node(graph, node, numbers))))
        for name in (*node.inputs, *requant_names(node)):
            if name in graph.constants:
                digest.update(graph.constants[name].tobytes())
    digest.update(_text([_value(graph, name, numbers) for name in graph.outputs]))
    return digest.hexdigest()[:16]


def _node(graph: Graph, node: Node, numbers: dict[str, int]) -> Iterator[Any]:
    yield node.op, repr(node.attrs)
    for name in (*node.inputs, *node.outputs, *requant_names(node)):
        yield _value(graph, name, numbers)
    if node.requant is not None:
        yield node.requant.rule, node.requant.low, node.requant.high


def _value(graph: Graph, name: str, numbers: dict[str, int]) -> tuple[Any, ...]:
    """The value by the order in which values are met, and what it is."""
    value = graph.values[name]
    number = numbers.setdefault(name, len(numbers))
    return number, value.shape, value.dtype.name, value.layout.name, repr(value.quant)


def _text(item: Any) -> bytes:
    return repr(item).encode()
