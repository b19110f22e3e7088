"""Concats on boards that work in tiles: inputs that are not in their places are brought there by
steps of their own, which run in tiles, where a Concat copies in the arena's memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.ir import ConcatAttrs, Graph, Node, PointAttrs, Requant, Value, copied, joined, verify
from deployer.plan.aliases import whole_tensor_aliases
from deployer.plan.request import PlanRequest
from deployer.tile import room_of

LEAST_BYTES = 4096  # that a Concat copies; of fewer steps of their own take as long


def with_parts_in_tiles(graph: Graph, request: PlanRequest) -> Graph:
    """``graph`` with a Rescale for each input that a Concat would copy, where all of its inputs are
    in their places then. The integers are the same."""
    if room_of(request.target) is None:
        return graph
    order = whole_tensor_aliases(graph, request).graph
    wanted = {node.name for node in _copying(order)}
    while wanted:
        found = _rescaled(graph, order, wanted)
        left = whole_tensor_aliases(found, request).graph
        missed = {node.name for node in left.nodes if node.name in wanted and copied(left, node)}
        if not missed:
            return found
        wanted -= missed
    return graph


def _copying(graph: Graph) -> Iterator[Node]:
    """Concats of images that copy much."""
    for node in graph.nodes:
        if not isinstance(node.attrs, ConcatAttrs) or node.output in graph.spilled:
            continue
        size = sum(graph.values[node.inputs[index]].bytes for index in copied(graph, node))
        image = len(graph.values[node.output].shape) == 4 and node.requant is not None
        if image and size >= LEAST_BYTES:
            yield node


def _rescaled(graph: Graph, order: Graph, wanted: Collection[str]) -> Graph:
    """With a Rescale for each input that Concats in ``wanted`` copy in ``order``, which has the
    shares of ``graph``."""
    draft = _Draft(graph, dict(graph.values), dict(graph.constants))
    copies = {node.name: copied(order, node) for node in order.nodes if node.name in wanted}
    for node in graph.nodes:
        if node.name in copies:
            draft.concat(node, copies[node.name])
        else:
            draft.nodes.append(node)
    nodes = tuple(draft.nodes)
    return verify(
        replace(graph, nodes=nodes, values=draft.values, constants=draft.constants, shares=())
    )


@dataclass
class _Draft:
    graph: Graph
    values: dict[str, Value]
    constants: dict[str, np.ndarray]
    nodes: list[Node] = field(default_factory=list)

    def concat(self, node: Node, copies: Collection[int]) -> None:
        """The Concat ``node``, which changes no number then, behind a Rescale for each of
        ``copies``."""
        ends = [
            self._rescale(node, index) if index in copies else name
            for index, name in enumerate(node.inputs)
        ]
        found = joined(self.graph, node, ends, node.attrs.axis)
        self.values |= found.values
        self.constants |= found.constants
        self.nodes.append(found.node)

    def _rescale(self, node: Node, index: int) -> str:
        source, target = self.graph.values[node.inputs[index]], self.graph.values[node.output]
        label = f"{node.name}.part.{index}"
        requant = self._entry(node.rq, index, label)
        self.values[label] = replace(source, name=label, quant=target.quant, dtype=target.dtype)
        inputs = (source.name,)
        made = Node(label, "Rescale", inputs, (label,), PointAttrs(), requant, origin=node.origin)
        self.nodes.append(made)
        return label

    def _entry(self, requant: Requant, index: int, label: str) -> Requant:
        """That of one input alone."""
        tables = requant.multiplier, requant.rounding, requant.shift
        multiplier, rounding, shift = (self._cut(table, index, label) for table in tables)
        return replace(requant, multiplier=multiplier, rounding=rounding, shift=shift)

    def _cut(self, table: str, index: int, label: str) -> str:
        name = f"{label}.{table}"
        self.constants[name] = self.constants[table][index : index + 1].copy()
        self.values[name] = replace(self.values[table], name=name, shape=(1,))
        return name
