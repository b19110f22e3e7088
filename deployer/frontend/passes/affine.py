"""Batch norm and per-channel constants folded into the linear layer before them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from deployer.frontend.net import real
from deployer.frontend.passes.edit import Edit, apply, drop, only_reader, origins
from deployer.ir.graph import Graph, Node

_CHANNEL_AXIS: Mapping[str, int] = {"Conv2d": 0, "DepthwiseConv2d": 2, "FullyConnected": 0}


def fold_affine(graph: Graph, node: Node) -> Graph | None:
    """A 1x1 depthwise convolution joins the layer it follows: W' = W·s, b' = b·s + t."""
    if not _is_affine(graph, node):
        return None
    linear = _linear_before(graph, node)
    if linear is None:
        return None
    weights, bias = linear.inputs[1:3]
    scale, offset = (_wide(graph, name).reshape(-1) for name in node.inputs[1:3])
    axes = [1] * graph.constants[weights].ndim
    axes[_CHANNEL_AXIS[linear.op]] = -1
    constants = {
        weights: real(_wide(graph, weights) * scale.reshape(axes)),
        bias: real(_wide(graph, bias) * scale + offset),
    }
    joined = replace(linear, origin=origins(linear, node))
    return drop(apply(graph, Edit({linear.name: (joined,)}, constants=constants)), node)


def is_pointwise(node: Node) -> bool:
    """A depthwise convolution with a 1x1 kernel that visits every element."""
    if node.op != "DepthwiseConv2d":
        return False
    return node.attrs.window.kernel == (1, 1) and node.attrs.window.stride == (1, 1)


def _is_affine(graph: Graph, node: Node) -> bool:
    """One scale and offset per channel and nothing else; a fused activation would be lost."""
    if not is_pointwise(node) or node.attrs.window.pads.any or node.attrs.clamp.active:
        return False
    return graph.values[node.inputs[0]].shape == graph.values[node.output].shape


def _linear_before(graph: Graph, node: Node) -> Node | None:
    """The layer without activation that alone feeds ``node``, maybe through a Reshape."""
    source = node.inputs[0]
    before = graph.producer.get(source)
    if before is not None and before.op == "Reshape" and only_reader(graph, source):
        channels = graph.values[source].shape[-1]
        source = before.inputs[0]
        before = graph.producer.get(source)
        if graph.values[source].shape[-1] != channels:
            return None
    if before is None or before.op not in _CHANNEL_AXIS or not only_reader(graph, source):
        return None
    return None if before.attrs.clamp.active else before


def _wide(graph: Graph, name: str) -> np.ndarray:
    return graph.constants[name].astype(np.float64)
