"""ONNX operators to the operators of the IR, one function each.

Nothing is optimized here: activations become Rescale, batch norm becomes a 1x1 depthwise
convolution, reshapes of images get transposes around them. The passes remove what they can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from deployer.frontend.attributes import border, mean_axes, transpose_perm
from deployer.frontend.builder import TO_NCHW, TO_NHWC, Builder
from deployer.frontend.net import Net, Op, Shape, per_channel
from deployer.frontend.windows import ceil_extra, conv_window, pool_window
from deployer.ir.attrs import (
    Clamp,
    ConvAttrs,
    PointAttrs,
    PoolAttrs,
    SoftmaxAttrs,
    Window,
)
from deployer.ir.graph import Graph
from deployer.ir.types import Layout


def lower(net: Net) -> Graph:
    """The float graph of a checked ``net``, in NHWC."""
    builder = Builder(net)
    for op in net.ops:
        _LOWER[op.type](builder, op)
    return builder.graph(net.notes)


# Layers with weights


def _conv(b: Builder, op: Op) -> None:
    groups, weights = op.attrs.get("group", 1), b.net.constants[op.input(1)]
    attrs = ConvAttrs(conv_window(b.net, op), groups)
    bias = _bias(b, op, weights.shape[0])
    if groups > 1 and weights.shape[1] == 1:
        kernel = b.weight(op, "weights", weights[:, 0].transpose(1, 2, 0), Layout.HWC)
        b.emit(op, "DepthwiseConv2d", [op.input(0), kernel, bias], attrs)
        return
    kernel = b.weight(op, "weights", weights.transpose(0, 2, 3, 1), Layout.OHWI)
    b.emit(op, "Conv2d", [op.input(0), kernel, bias], attrs)


def _bias(b: Builder, op: Op, channels: int, factor: float = 1.0) -> str:
    given = b.net.constant(op, 2)
    bias = np.zeros(channels) if given is None else given.reshape(-1).astype(np.float64) * factor
    return b.weight(op, "bias", np.broadcast_to(bias, (channels,)), Layout.VECTOR)


def _gemm(b: Builder, op: Op) -> None:
    alpha, beta = op.attrs.get("alpha", 1.0), op.attrs.get("beta", 1.0)
    weights = b.net.constants[op.input(1)]
    rows = weights if op.attrs.get("transB", 0) else weights.T
    kernel = b.weight(op, "weights", rows * np.float32(alpha), Layout.OI)
    bias = _bias(b, op, rows.shape[0], beta)
    b.emit(op, "FullyConnected", [op.input(0), kernel, bias], PointAttrs())


def _matmul(b: Builder, op: Op) -> None:
    rows = b.net.constants[op.input(1)].T
    kernel = b.weight(op, "weights", rows, Layout.OI)
    bias = b.weight(op, "bias", np.zeros(rows.shape[0]), Layout.VECTOR)
    b.emit(op, "FullyConnected", [op.input(0), kernel, bias], PointAttrs())


# Per-channel arithmetic


def _batch_norm(b: Builder, op: Op) -> None:
    gamma, beta, mean, variance = (
        b.net.constants[op.input(i)].astype(np.float64) for i in range(1, 5)
    )
    scale = gamma / np.sqrt(variance + op.attrs.get("epsilon", 1e-5))
    _affine(b, op, op.input(0), scale, beta - mean * scale)


def _arithmetic(b: Builder, op: Op) -> None:
    """Add, Sub, Mul, Div of an activation and a constant, as scale and offset per channel."""
    (x,) = b.net.activations(op)
    constant = next(b.net.constants[name] for name in op.inputs if name != x)
    numbers = per_channel(constant, b.net.shapes[x])
    assert numbers is not None
    one, zero = np.ones_like(numbers), np.zeros_like(numbers)
    scale, offset = one, numbers
    if op.type == "Sub":
        scale, offset = (-one, numbers) if op.input(1) == x else (one, -numbers)
    elif op.type in ("Mul", "Div"):
        scale, offset = numbers if op.type == "Mul" else 1 / numbers, zero
    _affine(b, op, x, scale, offset)


def _affine(b: Builder, op: Op, x: str, scale: np.ndarray, offset: np.ndarray) -> None:
    """A 1x1 depthwise convolution over ``x`` seen as an image of shape (1, C, rest, 1)."""
    shape = b.net.shapes[x]
    weights = b.weight(op, "weights", scale.reshape(1, 1, -1), Layout.HWC)
    bias = b.weight(op, "bias", offset, Layout.VECTOR)
    attrs = ConvAttrs(Window((1, 1)), groups=len(scale))
    if len(shape) == 4:
        b.emit(op, "DepthwiseConv2d", [x, weights, bias], attrs)
        return
    flat = b.reshape(op, x, (1, shape[1], math.prod(shape[2:]), 1))
    image = b.transpose(op, flat, TO_NHWC)
    inner = b.fresh(f"{op.name}/image")
    b.emit(op, "DepthwiseConv2d", [image, weights, bias], attrs, output=inner)
    b.reshape(op, b.transpose(op, inner, TO_NCHW), shape, output=op.output)


def _add(b: Builder, op: Op) -> None:
    if len(b.net.activations(op)) == 1:
        _arithmetic(b, op)
        return
    b.emit(op, "Add", op.inputs, PointAttrs())


# Activations


def _relu(b: Builder, op: Op) -> None:
    b.emit(op, "Rescale", [op.input(0)], PointAttrs(Clamp(0.0, None)))


def _clip(b: Builder, op: Op) -> None:
    low, high = (_bound(b.net.constant(op, i)) for i in (1, 2))
    b.emit(op, "Rescale", [op.input(0)], PointAttrs(Clamp(low, high)))


def _bound(constant: np.ndarray | None) -> float | None:
    """None for no bound and for one that no float32 passes."""
    if constant is None or abs(constant.item()) >= float(np.finfo(np.float32).max):
        return None
    return float(constant.item())


def _softmax(b: Builder, op: Op) -> None:
    b.emit(op, "Softmax", [op.input(0)], SoftmaxAttrs())


# Windows


def _pool(b: Builder, op: Op) -> None:
    # What ceil_mode adds never counts; exact_ceil refuses to mix it with pads that do.
    counted = bool(op.attrs.get("count_include_pad", 0)) and not any(ceil_extra(b.net, op))
    attrs = PoolAttrs(pool_window(b.net, op), count_include_pad=counted)
    b.emit(op, op.type, [op.input(0)], attrs)


def _global_pool(b: Builder, op: Op) -> None:
    height, width = b.net.shapes[op.input(0)][2:]
    kind = op.type.removeprefix("Global")
    b.emit(op, kind, [op.input(0)], PoolAttrs(Window((height, width))))


def _reduce_mean(b: Builder, op: Op) -> None:
    axes, shape = mean_axes(b.net, op) or (), b.net.shapes[op.input(0)]
    height, width = (shape[axis] if axis in axes else 1 for axis in (2, 3))
    attrs = PoolAttrs(Window((height, width)))
    if op.attrs.get("keepdims", 1):
        b.emit(op, "AveragePool", [op.input(0)], attrs)
        return
    pooled = b.fresh(f"{op.name}/pool")
    b.emit(op, "AveragePool", [op.input(0)], attrs, output=pooled)
    _reorder(b, op, pooled, TO_NHWC)


def _pad(b: Builder, op: Op) -> None:
    """A depthwise convolution of ones, which writes the border; mostly folded away later."""
    channels, pads = b.net.shapes[op.input(0)][1], border(b.net, op)
    assert pads is not None
    weights = b.weight(op, "weights", np.ones((1, 1, channels)), Layout.HWC)
    bias = b.weight(op, "bias", np.zeros(channels), Layout.VECTOR)
    attrs = ConvAttrs(Window((1, 1), pads=pads), groups=channels)
    b.emit(op, "DepthwiseConv2d", [op.input(0), weights, bias], attrs)


# Shapes


def _alias(b: Builder, op: Op) -> None:
    """Identity, Dropout, Cast: the same bytes."""
    b.reshape(op, op.input(0), b.shape(op.input(0)), output=op.output)


def _reshape(b: Builder, op: Op) -> None:
    _reorder(b, op, op.input(0), b.order(op.input(0)))


def _reorder(b: Builder, op: Op, x: str, order: Shape) -> None:
    """Reshape ``x``, whose stored axes are the ONNX axes ``order``, to the ONNX output shape."""
    shape, out_order = b.net.shapes[op.output], b.order(op.output)
    x = b.transpose(op, x, tuple(order.index(axis) for axis in range(len(order))))
    x = b.reshape(op, x, shape)
    b.transpose(op, x, out_order, output=op.output)


def _transpose(b: Builder, op: Op) -> None:
    x, perm = op.input(0), transpose_perm(b.net, op)
    source = b.order(x)
    stored = tuple(source.index(perm[axis]) for axis in b.order(op.output))
    b.transpose(op, x, stored, output=op.output)


_LOWER: Mapping[str, Callable[[Builder, Op], None]] = MappingProxyType(
    {
        "Add": _add,
        "AveragePool": _pool,
        "BatchNormalization": _batch_norm,
        "Cast": _alias,
        "Clip": _clip,
        "Conv": _conv,
        "Div": _arithmetic,
        "Dropout": _alias,
        "Flatten": _reshape,
        "Gemm": _gemm,
        "GlobalAveragePool": _global_pool,
        "GlobalMaxPool": _global_pool,
        "Identity": _alias,
        "MatMul": _matmul,
        "MaxPool": _pool,
        "Mul": _arithmetic,
        "Pad": _pad,
        "ReduceMean": _reduce_mean,
        "Relu": _relu,
        "Reshape": _reshape,
        "Softmax": _softmax,
        "Squeeze": _reshape,
        "Sub": _arithmetic,
        "Transpose": _transpose,
        "Unsqueeze": _reshape,
    }
)
