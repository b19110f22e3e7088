"""Layout changes around fully connected layers, taken up by their weights: no code, no bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.frontend.passes.aliases import aliases_before
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, fresh, only_reader
from deployer.ir import Node, ReshapeAttrs, Value


def permute_columns(graph: Draft, node: Node) -> Edit | None:
    """Transposes before a FullyConnected become an order of its weight columns."""
    if node.op != "FullyConnected":
        return None
    chain = aliases_before(graph, node.first)
    if not any(alias.op == "Transpose" for alias in chain):
        return None
    source = chain[0].first
    weights = graph.constants[node.inputs[1]]
    ordered = np.empty_like(weights)
    ordered[:, _positions(graph, chain)] = weights
    flat = fresh(graph, f"{node.name}/flat")
    shape = graph.values[node.first].shape
    origin = tuple(dict.fromkeys(item for alias in chain for item in alias.origin))
    reshape = Node(flat, "Reshape", (source,), (flat,), ReshapeAttrs(shape), origin=origin)
    dense = replace(node, inputs=(flat, *node.inputs[1:]))
    value = replace(graph.values[node.first], name=flat)
    return Edit({node.name: (reshape, dense)}, {flat: value}, {node.inputs[1]: ordered})


def permute_rows(graph: Draft, node: Node) -> Edit | None:
    """A Transpose behind a FullyConnected becomes an order of its weight rows."""
    if node.op != "Transpose":
        return None
    chain = [*aliases_before(graph, node.first), node]
    dense = graph.producer.get(chain[0].first)
    alone = all(only_reader(graph, alias.first) for alias in chain)
    if dense is None or dense.op != "FullyConnected" or not alone:
        return None
    order = _positions(graph, chain)
    constants = {name: graph.constants[name][order] for name in dense.inputs[1:3]}
    weights = graph.values[dense.inputs[1]]
    values = {weights.name: _in_order(weights, order)}
    shape = graph.values[node.output].shape
    alias = replace(node, op="Reshape", inputs=dense.outputs, attrs=ReshapeAttrs(shape))
    return Edit({node.name: (alias,)}, values, constants)


def _in_order(weights: Value, order: np.ndarray) -> Value:
    """Weights whose rows are put in another order."""
    if weights.quant is None:
        return weights
    scales = np.resize(weights.quant.scale, len(order))[order]
    return replace(weights, quant=replace(weights.quant, scale=tuple(scales.tolist())))


def _positions(graph: Draft, chain: list[Node]) -> np.ndarray:
    """For each element behind the chain, its position before it."""
    source = graph.values[chain[0].first]
    index = np.arange(source.elements).reshape(source.shape)
    for node in chain:
        index = index.transpose(node.attrs.perm) if node.op == "Transpose" else index
        index = index.reshape(graph.values[node.output].shape)
    return index.reshape(-1)
