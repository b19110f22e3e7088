"""Batch norm and per-channel constants folded into the linear layer before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.frontend.net import real
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, drop, fresh, only_reader, origins, states
from deployer.ir import OPS, Clamp, Node, Value

NORMS = ("LayerNorm", "GroupNorm")  # their constants are a scale and an offset of each channel
_TOLERANCE = 1e-6  # how far a scale may be from 1 and an offset from 0 to change nothing


def fold_affine(graph: Draft, node: Node) -> Edit | None:
    """A 1x1 depthwise convolution joins the layer it follows: W' = W·s, b' = b·s + t."""
    if not is_affine(graph, node):
        return None
    linear = _linear_before(graph, node)
    edit = None if linear is None else drop(graph, node)
    if linear is None or edit is None:
        return None
    weights, bias = linear.inputs[1:3]
    scale, offset = scale_and_offset(graph, node)
    clamp = _clamp_behind(linear.attrs.clamp, scale, offset)
    if clamp is None or (states(graph, weights) and scale.min() <= 0):
        return None
    axes = [1] * graph.constants[weights].ndim
    axes[OPS[linear.op].channel_axis or 0] = -1
    edit.constants = {
        weights: real(_wide(graph, weights) * scale.reshape(axes)),
        bias: real(_wide(graph, bias) * scale + offset),
    }
    edit.values[weights] = _scaled(graph.values[weights], scale)
    clamp = join(clamp, node.attrs.clamp)
    (kept,) = edit.nodes.get(linear.name, (linear,))
    attrs = replace(linear.attrs, clamp=clamp)
    edit.nodes[linear.name] = (replace(kept, attrs=attrs, origin=origins(linear, node)),)
    return edit


def fold_scale(graph: Draft, node: Node) -> Edit | None:
    """One positive scale for all channels, as attention has it, behind a MatMul."""
    before = graph.producer.get(node.first)
    if before is None or before.op != "MatMul" or not only_reader(graph, node.first):
        return None
    if not is_uniform(graph, node) or before.attrs.clamp.active:
        return None
    scale, offset = (float(numbers[0]) for numbers in scale_and_offset(graph, node))
    edit = drop(graph, node) if scale > 0 and offset == 0 else None
    if edit is None:
        return None
    (kept,) = edit.nodes.get(before.name, (before,))
    clamp = join(before.attrs.clamp, node.attrs.clamp)
    attrs = replace(before.attrs, scale=before.attrs.scale * scale, clamp=clamp)
    edit.nodes[before.name] = (replace(kept, attrs=attrs, origin=origins(before, node)),)
    return edit


def drop_neutral(graph: Draft, node: Node) -> Edit | None:
    """A scale of 1 with an offset of 0."""
    if not is_affine(graph, node) or node.attrs.clamp.active:
        return None
    scale, offset = scale_and_offset(graph, node)
    if np.abs(scale - 1).max() > _TOLERANCE or np.abs(offset).max() > _TOLERANCE:
        return None
    return drop(graph, node)


def hoist_uniform(graph: Draft, node: Node) -> Edit | None:
    """One scale and offset for all channels of an image that a Reshape made of another image:
    goes before it, nearer to a layer to join."""
    before = graph.producer.get(node.first)
    if before is None or before.op != "Reshape" or not only_reader(graph, node.first):
        return None
    source = graph.values[before.first]
    if len(source.shape) != 4 or not is_uniform(graph, node):
        return None
    name = fresh(graph, f"{node.name}/moved")
    edit = Edit(values={name: replace(source, name=name, quant=None)})
    moved = with_channels(graph, edit, node, source.shape[-1])
    moved = replace(moved, inputs=(before.first, *node.inputs[1:]), outputs=(name,))
    alias = replace(before, inputs=(name,), outputs=node.outputs)
    edit.nodes |= {before.name: (moved, alias), node.name: ()}
    return edit


def is_uniform(graph: Draft, node: Node) -> bool:
    """An affine node that treats all channels alike."""
    if not is_affine(graph, node):
        return False
    return all(bool(np.all(numbers == numbers[0])) for numbers in scale_and_offset(graph, node))


def with_channels(graph: Draft, edit: Edit, node: Node, channels: int) -> Node:
    """A uniform node for another number of channels; its constants in ``edit``."""
    for name in node.inputs[1:]:
        array, value = graph.constants[name], graph.values[name]
        shape = (*array.shape[:-1], channels)
        edit.constants[name] = np.full(shape, array.flat[0], dtype=array.dtype)
        edit.values[name] = replace(value, shape=shape)
    return replace(node, attrs=replace(node.attrs, groups=channels))


def is_affine(graph: Draft, node: Node) -> bool:
    """One scale and offset per channel, maybe clamped, and nothing else."""
    if node.op != "DepthwiseConv2d" or node.attrs.window.pads.any:
        return False
    if states(graph, node.inputs[1]):  # a layer of integers: they must stay what they are
        return False
    if node.attrs.window.kernel != (1, 1) or node.attrs.window.stride != (1, 1):
        return False
    return graph.values[node.first].shape == graph.values[node.output].shape


def scale_and_offset(graph: Draft, node: Node) -> tuple[np.ndarray, np.ndarray]:
    """Those of an affine node, float64 per channel."""
    return _wide(graph, node.inputs[1]).reshape(-1), _wide(graph, node.inputs[2])


def join(first: Clamp, second: Clamp) -> Clamp:
    """The clamp that equals ``first`` followed by ``second``."""
    return Clamp(_limit(first.low, second, second.low), _limit(first.high, second, second.high))


def _limit(bound: float | None, second: Clamp, default: float | None) -> float | None:
    """Where ``second`` sends a bound of the first clamp."""
    if bound is None:
        return default
    if second.low is not None:
        bound = max(bound, second.low)
    return bound if second.high is None else min(bound, second.high)


def _clamp_behind(clamp: Clamp, scale: np.ndarray, offset: np.ndarray) -> Clamp | None:
    """The clamp once the layer is scaled; None when channels would need different ones."""
    if not clamp.active:
        return clamp
    s, t = float(scale[0]), float(offset[0])
    if s <= 0 or np.any(scale != s) or np.any(offset != t):
        return None
    return Clamp(*(None if bound is None else bound * s + t for bound in (clamp.low, clamp.high)))


def _linear_before(graph: Draft, node: Node) -> Node | None:
    """The layer that alone feeds ``node``, maybe through a Reshape."""
    source = node.first
    before = graph.producer.get(source)
    if before is not None and before.op == "Reshape" and only_reader(graph, source):
        channels = graph.values[source].shape[-1]
        source = before.first
        before = graph.producer.get(source)
        if graph.values[source].shape[-1] != channels:
            return None
    scales = before is not None and (OPS[before.op].linear or before.op in NORMS)
    if before is None or not scales or not only_reader(graph, source):
        return None
    return before


def _scaled(weights: Value, factors: np.ndarray) -> Value:
    """The same integers standing for other numbers, by a positive factor per channel."""
    if weights.quant is None:
        return weights
    scales = np.resize(weights.quant.scale, len(factors)) * factors
    return replace(weights, quant=replace(weights.quant, scale=tuple(scales.tolist())))


def _wide(graph: Draft, name: str) -> np.ndarray:
    return graph.constants[name].astype(np.float64)
