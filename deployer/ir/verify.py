"""Invariants of a graph. A broken one is our bug, whatever the model."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.ir.attrs import ConcatAttrs, SliceAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.region_faults import faults
from deployer.ir.types import DType
from deployer.ir.views import share_faults


class InvariantError(Exception):
    """A pass produced a graph that contradicts itself."""


def verify(graph: Graph) -> Graph:
    """Return ``graph``, or raise InvariantError naming what is wrong.

    Every value is produced once and before its use; shapes follow the operator table; constants
    match their values; names are unique; an integer graph has a Requant wherever it needs one;
    regions are runs of nodes that follow the rules of their mode, and splits cover them once;
    shares fit their nodes.
    """
    ready = set(graph.inputs) | set(graph.constants)
    _check(set(graph.constants) <= set(graph.values), "constant without a value")
    for name, array in graph.constants.items():
        value = graph.values[name]
        _check(array.shape == value.shape, f"constant {name}: {array.shape} is not {value.shape}")
        _check(array.dtype == value.dtype.numpy, f"constant {name}: {array.dtype}")
    names = [node.name for node in graph.nodes]
    _check(len(names) == len(set(names)), "two nodes of one name")
    for node in graph.nodes:
        _verify_node(graph, node, ready)
        ready.update(node.outputs)
    _check(set(graph.outputs) <= ready, "an output nobody produces")
    wrong = [*faults(graph), *share_faults(graph), *_fetched_faults(graph)]
    _check(not wrong, "; ".join(wrong))
    return graph


def _fetched_faults(graph: Graph) -> Iterator[str]:
    """What comes by rows, an input or a spilled value, is never there as a whole, and rows are
    whole."""
    for name in graph.outside:
        if name in graph.outputs or not (name in graph.inputs or name in graph.spilled):
            yield f"rows of {name}, which is no input alone and not spilled"
        if name not in graph.consumers:
            yield f"{name} is spilled, and nothing fetches it"
        for node in graph.consumers.get(name, ()):
            yield from _reader_faults(graph, node, name)


def _reader_faults(graph: Graph, node: Node, name: str) -> Iterator[str]:
    """Rows are fetched, or are rows of a value that lies outside, too."""
    attrs, rows = node.attrs, graph.values[name].shape[2:]
    if isinstance(attrs, ConcatAttrs) and attrs.axis == 1 and graph.spilled.issuperset(node.inputs):
        return
    if not isinstance(attrs, SliceAttrs) or not attrs.fetched:
        yield f"{node.name}: reads {name}, which arrives by rows"
    elif attrs.begin[2:] != (0,) * len(rows) or attrs.end[2:] != rows:
        yield f"{node.name}: parts of rows of {name}"


def _verify_node(graph: Graph, node: Node, ready: set[str]) -> None:
    _check(node.op in OPS, f"{node.name}: unknown operator {node.op}")
    spec = OPS[node.op]
    _check(isinstance(node.attrs, spec.attrs), f"{node.name}: attributes of another operator")
    missing = [name for name in node.inputs if name not in ready]
    _check(not missing, f"{node.name}: reads {missing} before it exists")
    _check(not ready & set(node.outputs), f"{node.name}: writes a value twice")
    expected = spec.shape(node.attrs, graph.shapes(node.inputs))
    found = graph.values[node.output].shape
    _check(expected == found, f"{node.name}: shape {found}, the rule gives {expected}")
    integer = graph.values[node.output].dtype is not DType.F32
    needs = integer and spec.requantizes
    _check(not needs or node.requant is not None, f"{node.name}: integer without requantization")
    if node.requant is not None:
        fields = (node.requant.multiplier, node.requant.rounding, node.requant.shift)
        _check(set(fields) <= set(graph.constants), f"{node.name}: requant constants missing")


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise InvariantError(message)
