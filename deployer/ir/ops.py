"""Operator table: attributes, shape rule, MAC count of every operator of the IR."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    SliceAttrs,
    SoftmaxAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
)

Shape = tuple[int, ...]


@dataclass(frozen=True)
class OpSpec:
    """``shape`` and ``macs`` take the attributes and the shapes of all inputs, weights included.

    ``activations`` is how many inputs are activations, 0 for any number; ``alias`` says the output
    is the input's bytes, so no code runs.
    """

    attrs: type
    shape: Callable[[Any, Sequence[Shape]], Shape]
    macs: Callable[[Any, Sequence[Shape]], int] = lambda attrs, shapes: 0
    activations: int = 1
    alias: bool = False


def window_output(window: Window, height: int, width: int) -> tuple[int, int]:
    """Output height and width of a sliding window, rounded down."""
    pads = window.pads
    extents = (height + pads.top + pads.bottom, width + pads.left + pads.right)
    spans = [(k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True)]
    tall, wide = (
        (extent - span) // stride + 1
        for extent, span, stride in zip(extents, spans, window.stride, strict=True)
    )
    return tall, wide


def _conv_shape(attrs: ConvAttrs, shapes: Sequence[Shape]) -> Shape:
    (batch, height, width, _), weights = shapes[0], shapes[1]
    return (batch, *window_output(attrs.window, height, width), weights[0])


def _conv_macs(attrs: ConvAttrs, shapes: Sequence[Shape]) -> int:
    return math.prod(_conv_shape(attrs, shapes)) * math.prod(shapes[1][1:])


def _depthwise_shape(attrs: ConvAttrs, shapes: Sequence[Shape]) -> Shape:
    (batch, height, width, _), weights = shapes[0], shapes[1]
    return (batch, *window_output(attrs.window, height, width), weights[2])


def _depthwise_macs(attrs: ConvAttrs, shapes: Sequence[Shape]) -> int:
    return math.prod(_depthwise_shape(attrs, shapes)) * attrs.window.taps


def _pool_shape(attrs: PoolAttrs, shapes: Sequence[Shape]) -> Shape:
    batch, height, width, channels = shapes[0]
    return (batch, *window_output(attrs.window, height, width), channels)


def _dense_shape(attrs: PointAttrs, shapes: Sequence[Shape]) -> Shape:
    return (shapes[0][0], shapes[1][0])


def _dense_macs(attrs: PointAttrs, shapes: Sequence[Shape]) -> int:
    return shapes[0][0] * math.prod(shapes[1])


def _same_shape(attrs: Any, shapes: Sequence[Shape]) -> Shape:
    return shapes[0]


def _reshape_shape(attrs: ReshapeAttrs, shapes: Sequence[Shape]) -> Shape:
    return attrs.shape


def _transpose_shape(attrs: TransposeAttrs, shapes: Sequence[Shape]) -> Shape:
    return tuple(shapes[0][axis] for axis in attrs.perm)


def _deconv_shape(attrs: ConvTransposeAttrs, shapes: Sequence[Shape]) -> Shape:
    return (shapes[0][0], *attrs.output, shapes[1][0])


def _deconv_macs(attrs: ConvTransposeAttrs, shapes: Sequence[Shape]) -> int:
    """Products of the full result, before cropping."""
    return math.prod(shapes[0][:3]) * math.prod(shapes[1])


def _concat_shape(attrs: ConcatAttrs, shapes: Sequence[Shape]) -> Shape:
    axis = attrs.axis
    return (*shapes[0][:axis], sum(shape[axis] for shape in shapes), *shapes[0][axis + 1 :])


def _slice_shape(attrs: SliceAttrs, shapes: Sequence[Shape]) -> Shape:
    return tuple(end - begin for begin, end in zip(attrs.begin, attrs.end, strict=True))


def _pad_shape(attrs: PadAttrs, shapes: Sequence[Shape]) -> Shape:
    rows = zip(attrs.before, shapes[0], attrs.after, strict=True)
    return tuple(before + extent + after for before, extent, after in rows)


def _mul_shape(attrs: Any, shapes: Sequence[Shape]) -> Shape:
    """Of the larger input: the other may be one pixel, broadcast over height and width."""
    return max(shapes[:2], key=math.prod)


def _resize_shape(attrs: ResizeAttrs, shapes: Sequence[Shape]) -> Shape:
    batch, height, width, channels = shapes[0]
    return (batch, height * attrs.factors[0], width * attrs.factors[1], channels)


def _to_space_shape(attrs: BlockAttrs, shapes: Sequence[Shape]) -> Shape:
    (batch, height, width, channels), block = shapes[0], attrs.block
    return (batch, height * block, width * block, channels // block**2)


def _to_depth_shape(attrs: BlockAttrs, shapes: Sequence[Shape]) -> Shape:
    (batch, height, width, channels), block = shapes[0], attrs.block
    return (batch, height // block, width // block, channels * block**2)


OPS: dict[str, OpSpec] = {
    "Conv2d": OpSpec(ConvAttrs, _conv_shape, _conv_macs),
    "DepthwiseConv2d": OpSpec(ConvAttrs, _depthwise_shape, _depthwise_macs),
    "FullyConnected": OpSpec(PointAttrs, _dense_shape, _dense_macs),
    "ConvTranspose2d": OpSpec(ConvTransposeAttrs, _deconv_shape, _deconv_macs),
    "Add": OpSpec(PointAttrs, _same_shape, activations=2),
    "Sub": OpSpec(PointAttrs, _same_shape, activations=2),
    "Mul": OpSpec(PointAttrs, _mul_shape, activations=2),
    "PRelu": OpSpec(PointAttrs, _same_shape),
    "Table": OpSpec(TableAttrs, _same_shape),
    "Concat": OpSpec(ConcatAttrs, _concat_shape, activations=0),
    "Slice": OpSpec(SliceAttrs, _slice_shape),
    "Pad": OpSpec(PadAttrs, _pad_shape),
    "Resize": OpSpec(ResizeAttrs, _resize_shape),
    "DepthToSpace": OpSpec(BlockAttrs, _to_space_shape),
    "SpaceToDepth": OpSpec(BlockAttrs, _to_depth_shape),
    "AveragePool": OpSpec(PoolAttrs, _pool_shape),
    "MaxPool": OpSpec(PoolAttrs, _pool_shape),
    "Rescale": OpSpec(PointAttrs, _same_shape),
    "Softmax": OpSpec(SoftmaxAttrs, _same_shape),
    "Reshape": OpSpec(ReshapeAttrs, _reshape_shape, alias=True),
    "Transpose": OpSpec(TransposeAttrs, _transpose_shape),
}
