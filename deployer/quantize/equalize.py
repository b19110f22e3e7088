"""Cross-layer equalization (Nagel et al., 2019): even out the channels between two linear layers.

Where all that lies between them is positively homogeneous per channel, dividing a channel's weights
in the first and multiplying them in the second changes no output. Channels of like size waste less
of a scale that they share.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.ir import OPS, Clamp, Graph, Node

_SWEEPS = 4
_MAX_FACTOR = 2.0  # a channel is scaled by at most this much a sweep


def equalize(graph: Graph) -> Graph:
    """The same function with evened weights; ``graph`` itself when it has no pair of layers."""
    found = list(pairs(graph))
    if not found:
        return graph
    constants = dict(graph.constants)
    for _ in range(_SWEEPS):
        for first, second in found:
            _even(graph, constants, first, second)
    return replace(graph, constants=constants)


def pairs(graph: Graph) -> Iterator[tuple[Node, Node]]:
    """Linear layers with nothing but homogeneous operators between, each read by one layer."""
    for first in graph.nodes:
        if not OPS[first.op].linear or not _own_weights(graph, first):
            continue
        second = _next(graph, first)
        if second is not None and _own_weights(graph, second):
            yield first, second


def _next(graph: Graph, node: Node) -> Node | None:
    """The linear layer that alone reads what ``node`` makes, or None."""
    while True:
        readers = graph.consumers.get(node.output, ())
        if len(readers) != 1 or node.output in graph.outputs or not _homogeneous(graph, node):
            return None
        node = readers[0]
        if OPS[node.op].linear:
            return node
        if not OPS[node.op].homogeneous:
            return None


def _homogeneous(graph: Graph, node: Node) -> bool:
    """Whether a channel that grows by a factor does nothing but grow by it in the output."""
    if node.op == "Table":
        return bool(node.attrs.function == "leaky_relu")
    if node.op == "Reshape":
        channels = {shape[-1] for shape in graph.shapes((node.inputs[0], node.output))}
        return channels == {graph.values[node.output].elements}
    clamp = getattr(node.attrs, "clamp", Clamp())
    return clamp.low in (None, 0.0) and clamp.high is None


def _own_weights(graph: Graph, node: Node) -> bool:
    return all(len(graph.consumers[name]) == 1 for name in node.inputs[1:])


def _even(graph: Graph, constants: dict[str, np.ndarray], first: Node, second: Node) -> None:
    """Scale each channel between the two so that both layers' largest weights are alike.

    The bias counts as a weight: a channel that is nearly all bias would grow without it.
    """
    weights, bias = (constants[name] for name in first.inputs[1:3])
    readers = constants[second.inputs[1]]
    out_axis = OPS[first.op].channel_axis or 0
    rows = np.moveaxis(weights, out_axis, 0).reshape(len(bias), -1)
    largest = np.abs(np.column_stack([rows, bias])).max(axis=1)
    by_input = _by_input(second, readers, len(bias))
    read = np.abs(by_input).reshape(len(bias), -1).max(axis=1)
    usable = (largest > 0) & (read > 0)
    ratio = np.where(usable, largest, 1.0) / np.where(usable, read, 1.0)
    factor = np.clip(np.sqrt(ratio), 1 / _MAX_FACTOR, _MAX_FACTOR).astype(np.float32)
    along = [-1 if axis == out_axis else 1 for axis in range(weights.ndim)]
    constants[first.inputs[1]] = weights / factor.reshape(along)
    constants[first.inputs[2]] = bias / factor
    scaled = by_input * factor.reshape(-1, *[1] * (by_input.ndim - 1))
    constants[second.inputs[1]] = _from_input(second, scaled, readers.shape)


def _by_input(node: Node, weights: np.ndarray, channels: int) -> np.ndarray:
    """Weights with the input channel as the first axis."""
    if node.op == "FullyConnected":
        return weights.T
    if node.op == "DepthwiseConv2d":
        split = weights.reshape(*weights.shape[:2], channels, -1)
        return np.moveaxis(split, 2, 0)
    groups = node.attrs.groups
    split = weights.reshape(groups, -1, *weights.shape[1:])
    return np.moveaxis(split, -1, 1).reshape(channels, -1, *weights.shape[1:3])


def _from_input(node: Node, rows: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The inverse of ``_by_input``."""
    if node.op == "FullyConnected":
        found = rows.T
    elif node.op == "DepthwiseConv2d":
        found = np.moveaxis(rows, 0, 2)
    else:
        split = rows.reshape(node.attrs.groups, shape[3], -1, *shape[1:3])
        found = np.moveaxis(split, 1, -1)
    return np.ascontiguousarray(found.reshape(shape))
