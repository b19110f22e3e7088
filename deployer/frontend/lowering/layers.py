"""Layers with weights."""

from __future__ import annotations

import numpy as np

from deployer.frontend.builder import Builder
from deployer.frontend.lowering.weights import add_bias, add_weights
from deployer.frontend.net import Op, along_axis
from deployer.frontend.windows import (
    conv_window,
    spatial_size,
    transposed_window,
    unit_stride_window,
)
from deployer.ir import ConvAttrs, ConvTransposeAttrs, Layout, PointAttrs, Window


def conv(b: Builder, op: Op) -> None:
    groups, shape = op.attrs.get("group", 1), b.net.shapes[op.input(1)]
    attrs = ConvAttrs(conv_window(b.net, op), groups)
    depthwise = groups > 1 and shape[1] == 1
    layout, permute = (Layout.HWC, _to_hwc) if depthwise else (Layout.OHWI, _to_ohwi)
    kernel, channels = add_weights(b, op, layout, permute)
    kind = "DepthwiseConv2d" if depthwise else "Conv2d"
    b.layer(op, kind, [op.first, kernel, add_bias(b, op, channels)], attrs)


def _to_hwc(weights: np.ndarray) -> np.ndarray:
    return _planar(weights)[:, 0].transpose(1, 2, 0)


def _to_ohwi(weights: np.ndarray) -> np.ndarray:
    return _planar(weights).transpose(0, 2, 3, 1)


def _planar(weights: np.ndarray) -> np.ndarray:
    """The weights over two axes; a layer over one has height 1."""
    return weights[:, :, None] if weights.ndim == 3 else weights


def conv_transpose(b: Builder, op: Op) -> None:
    groups, size = op.attrs.get("group", 1), spatial_size(b.net, op.output)
    window = transposed_window(b.net, op)
    same = unit_stride_window(window, spatial_size(b.net, op.first), size)
    if same and b.net.shapes[op.input(1)][:2] == (groups, 1) and groups > 1:
        _turned_depthwise(b, op, ConvAttrs(same, groups))
        return
    kernel, channels = add_weights(b, op, Layout.OHWI, lambda weights: _by_output(weights, groups))
    attrs = ConvTransposeAttrs(window, size, groups)
    b.layer(op, "ConvTranspose2d", [op.first, kernel, add_bias(b, op, channels)], attrs)


def _turned_depthwise(b: Builder, op: Op, attrs: ConvAttrs) -> None:
    """At stride 1, of one input and one output a group: the depthwise convolution that it is, for
    which kernels are tuned."""
    kernel, channels = add_weights(b, op, Layout.HWC, lambda weights: _to_hwc(weights)[::-1, ::-1])
    b.layer(op, "DepthwiseConv2d", [op.first, kernel, add_bias(b, op, channels)], attrs)


def _by_output(weights: np.ndarray, groups: int) -> np.ndarray:
    """To OHWI from ONNX's (input channels, output channels of a group, height, width)."""
    inputs, outputs, height, width = _planar(weights).shape
    parts = weights.reshape(groups, inputs // groups, outputs, height, width)
    return parts.transpose(0, 2, 3, 4, 1).reshape(groups * outputs, height, width, -1)


def batch_norm(b: Builder, op: Op) -> None:
    gamma, beta, mean, variance = (
        b.net.constants[op.input(i)].astype(np.float64) for i in range(1, 5)
    )
    scale = gamma / np.sqrt(variance + op.attrs.get("epsilon", 1e-5))
    affine(b, op, op.first, 1, (scale, beta - mean * scale))


def affine(b: Builder, op: Op, x: str, axis: int, numbers: tuple[np.ndarray, np.ndarray]) -> None:
    """Scale and offset along an ONNX axis: a 1x1 depthwise convolution."""
    scale, offset = numbers
    weights = b.weight(op, "weights", scale.reshape(1, 1, -1), Layout.HWC)
    bias = b.weight(op, "bias", offset, Layout.VECTOR)
    attrs = ConvAttrs(Window((1, 1)), groups=len(scale))
    b.along(op, "DepthwiseConv2d", [x, weights, bias], attrs, axis=axis)


def prelu(b: Builder, op: Op) -> None:
    """Slopes that differ; equal ones are a leaky ReLU."""
    found = along_axis(b.net.constants[op.input(1)], b.net.shapes[op.first])
    assert found is not None
    slope = b.weight(op, "slope", found[1], Layout.VECTOR)
    b.along(op, "PRelu", [op.first, slope], PointAttrs(), axis=found[0])
