"""Layers with weights."""

from __future__ import annotations

import numpy as np

from deployer.frontend.builder import Builder
from deployer.frontend.net import Op, along_axis
from deployer.frontend.windows import conv_window, spatial_size, transposed_window
from deployer.ir.attrs import ConvAttrs, ConvTransposeAttrs, PointAttrs, Window
from deployer.ir.types import Layout


def conv(b: Builder, op: Op) -> None:
    groups, weights = op.attrs.get("group", 1), _kernel(b, op)
    attrs = ConvAttrs(conv_window(b.net, op), groups)
    bias = _bias(b, op, weights.shape[0])
    if groups > 1 and weights.shape[1] == 1:
        kernel = b.weight(op, "weights", weights[:, 0].transpose(1, 2, 0), Layout.HWC)
        b.layer(op, "DepthwiseConv2d", [op.input(0), kernel, bias], attrs)
        return
    kernel = b.weight(op, "weights", weights.transpose(0, 2, 3, 1), Layout.OHWI)
    b.layer(op, "Conv2d", [op.input(0), kernel, bias], attrs)


def conv_transpose(b: Builder, op: Op) -> None:
    """ONNX has the weights as (input channels, output channels of a group, height, width)."""
    groups, weights = op.attrs.get("group", 1), _kernel(b, op)
    size = spatial_size(b.net, op.output)
    attrs = ConvTransposeAttrs(transposed_window(b.net, op), size, groups)
    inputs, outputs, height, width = weights.shape
    parts = weights.reshape(groups, inputs // groups, outputs, height, width)
    rows = parts.transpose(0, 2, 3, 4, 1).reshape(groups * outputs, height, width, -1)
    kernel = b.weight(op, "weights", rows, Layout.OHWI)
    bias = _bias(b, op, groups * outputs)
    b.layer(op, "ConvTranspose2d", [op.input(0), kernel, bias], attrs)


def _kernel(b: Builder, op: Op) -> np.ndarray:
    """The weights over two axes; a layer over one has height 1."""
    weights = b.net.constants[op.input(1)]
    return weights[:, :, None] if weights.ndim == 3 else weights


def _bias(b: Builder, op: Op, channels: int, factor: float = 1.0) -> str:
    given = b.net.constant(op, 2)
    bias = np.zeros(channels) if given is None else given.reshape(-1).astype(np.float64) * factor
    return b.weight(op, "bias", np.broadcast_to(bias, (channels,)), Layout.VECTOR)


def gemm(b: Builder, op: Op) -> None:
    alpha, beta = op.attrs.get("alpha", 1.0), op.attrs.get("beta", 1.0)
    weights = b.net.constants[op.input(1)]
    rows = weights if op.attrs.get("transB", 0) else weights.T
    kernel = b.weight(op, "weights", rows * np.float32(alpha), Layout.OI)
    bias = _bias(b, op, rows.shape[0], beta)
    b.emit(op, "FullyConnected", [op.input(0), kernel, bias], PointAttrs())


def matmul(b: Builder, op: Op) -> None:
    rows = b.net.constants[op.input(1)].T
    kernel = b.weight(op, "weights", rows, Layout.OI)
    bias = b.weight(op, "bias", np.zeros(rows.shape[0]), Layout.VECTOR)
    b.emit(op, "FullyConnected", [op.input(0), kernel, bias], PointAttrs())


def batch_norm(b: Builder, op: Op) -> None:
    gamma, beta, mean, variance = (
        b.net.constants[op.input(i)].astype(np.float64) for i in range(1, 5)
    )
    scale = gamma / np.sqrt(variance + op.attrs.get("epsilon", 1e-5))
    affine(b, op, op.input(0), 1, (scale, beta - mean * scale))


def affine(b: Builder, op: Op, x: str, axis: int, numbers: tuple[np.ndarray, np.ndarray]) -> None:
    """Scale and offset along an ONNX axis: a 1x1 depthwise convolution."""
    scale, offset = numbers
    weights = b.weight(op, "weights", scale.reshape(1, 1, -1), Layout.HWC)
    bias = b.weight(op, "bias", offset, Layout.VECTOR)
    attrs = ConvAttrs(Window((1, 1)), groups=len(scale))
    b.along(op, "DepthwiseConv2d", [x, weights, bias], attrs, axis=axis)


def prelu(b: Builder, op: Op) -> None:
    """Slopes that differ; equal ones are a leaky ReLU."""
    found = along_axis(b.net.constants[op.input(1)], b.net.shapes[op.input(0)])
    assert found is not None
    slope = b.weight(op, "slope", found[1], Layout.VECTOR)
    b.along(op, "PRelu", [op.input(0), slope], PointAttrs(), axis=found[0])
