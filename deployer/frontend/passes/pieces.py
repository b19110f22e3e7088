"""A Slice that takes one of the inputs of a Concat, wherever aliases between put it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deployer.frontend.express import MAX_MAP_ELEMENTS
from deployer.frontend.passes.aliases import aliases_before
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, origins, states
from deployer.ir import Node, ReshapeAttrs


def take_piece(graph: Draft, node: Node) -> Edit | None:
    """The input itself, such as the last state where an exporter takes it from all of them."""
    if node.op != "Slice":
        return None
    chain = aliases_before(graph, node.first)
    join = graph.producer.get(chain[0].first if chain else node.first)
    if join is None or join.op != "Concat" or _stated(graph, join, chain):
        return None
    if graph.values[join.output].elements > MAX_MAP_ELEMENTS:
        return None
    name = _piece(graph, join, _taken(graph, join, [*chain, node]))
    if name is None:
        return None
    attrs = ReshapeAttrs(graph.values[node.output].shape)
    origin = origins(join, node)
    same = Node(node.name, "Reshape", (name,), node.outputs, attrs, origin=origin)
    return Edit({node.name: (same,)})


def _stated(graph: Draft, join: Node, chain: Sequence[Node]) -> bool:
    """Whether the model says how a value between is quantized."""
    return any(states(graph, node.output) for node in (join, *chain))


def _taken(graph: Draft, join: Node, chain: Sequence[Node]) -> np.ndarray:
    """Which elements of the Concat's output the chain gives, in order."""
    value = graph.values[join.output]
    places = np.arange(value.elements).reshape(value.shape)
    for node in chain:
        if node.op == "Reshape":
            places = places.reshape(node.attrs.shape)
        elif node.op == "Transpose":
            places = places.transpose(node.attrs.perm)
        else:
            places = places[tuple(map(slice, node.attrs.begin, node.attrs.end))]
    return places.reshape(-1)


def _piece(graph: Draft, join: Node, taken: np.ndarray) -> str | None:
    """The input whose elements, all and in order, those are."""
    value, axis = graph.values[join.output], join.attrs.axis
    places = np.arange(value.elements).reshape(value.shape)
    ends = np.cumsum([graph.values[name].shape[axis] for name in join.inputs])
    for name, part in zip(join.inputs, np.split(places, ends[:-1], axis=axis), strict=True):
        if np.array_equal(part.reshape(-1), taken):
            return name
    return None
