"""Constraints of normalizations, written like those of supported.py."""

from __future__ import annotations

import math

from deployer.frontend import supported as s
from deployer.frontend.attributes import normalized_axes
from deployer.frontend.net import Net, Op

LAYER, INSTANCE, GROUP = "LayerNormalization", "InstanceNormalization", "GroupNormalization"
_MOST_TOGETHER = 1 << 22  # numbers whose sum of differences fits int32


def axes_together(net: Net, op: Op) -> str:
    """one axis, all behind the batch, or all behind the channels

    Try: bring the axes that are normalized together into one with Reshape
    """
    axes, rank = normalized_axes(net, op), len(net.shapes[op.first])
    whole = rank in (3, 4) and axes == tuple(range(1, rank))
    image = rank == 4 and axes == (2, 3)
    one = len(axes) == 1 and 0 < axes[0] < rank
    return "" if one or whole or image else f"axes {list(axes)} of {list(net.shapes[op.first])}"


def one_along_axis(net: Net, op: Op) -> str:
    """a scale and an offset of one number per element of that axis

    Try: check the exporter; this is not valid ONNX
    """
    axes = normalized_axes(net, op)
    sizes = (1, net.shapes[op.first][axes[0]])
    for name in filter(None, op.inputs[1:]):
        if net.constants[name].size not in sizes:
            return f"{name} of shape {list(net.shapes[name])}"
    return ""


def whole_channels(net: Net, op: Op) -> str:
    """groups that divide the channels, and a scale and an offset of one number per channel

    Try: check the exporter; this is not valid ONNX
    """
    channels, groups = net.shapes[op.first][1], int(op.attrs.get("num_groups", 0))
    if groups < 1 or channels % groups:
        return f"{groups} groups of {channels} channels"
    for name in op.inputs[1:]:
        if net.shapes[name] != (channels,):
            return f"{name} of shape {list(net.shapes[name])}"
    return ""


def few_together(net: Net, op: Op) -> str:
    """at most 4,194,304 elements that are normalized together

    Try: a smaller input
    """
    shape, groups = net.shapes[op.first], int(op.attrs.get("num_groups", 1))
    elements = math.prod(shape) // groups
    if op.type == INSTANCE:
        elements = math.prod(shape[2:])
    if op.type == LAYER:
        elements = math.prod(shape[axis] for axis in normalized_axes(net, op))
    return "" if elements <= _MOST_TOGETHER else f"{elements:,} elements"


def epsilon_at_least_zero(net: Net, op: Op) -> str:
    """an epsilon of at least 0

    Try: check the exporter; roots of negative numbers are none
    """
    epsilon = float(op.attrs.get("epsilon", 1e-5))
    return "" if epsilon >= 0 else f"epsilon={epsilon:g}"


_EACH = (few_together, epsilon_at_least_zero)
OF_LAYERS = (s.constant_weights, axes_together, one_along_axis, *_EACH)
OF_IMAGES = (s.spatial_axes, s.constant_weights, s.one_per_channel, *_EACH)
OF_GROUPS = (s.spatial_axes, s.constant_weights, whole_channels, *_EACH)
