"""Operators with weights: convolutions and the dense layer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from deployer.ir.attrs import ConvAttrs, ConvTransposeAttrs, PointAttrs
from deployer.ir.ops import access
from deployer.ir.ops.shapes import window_output
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization, Shape


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


def _dense_shape(attrs: PointAttrs, shapes: Sequence[Shape]) -> Shape:
    return (shapes[0][0], shapes[1][0])


def _dense_macs(attrs: PointAttrs, shapes: Sequence[Shape]) -> int:
    return shapes[0][0] * math.prod(shapes[1])


def _transposed_shape(attrs: ConvTransposeAttrs, shapes: Sequence[Shape]) -> Shape:
    return (shapes[0][0], *attrs.output, shapes[1][0])


def _transposed_macs(attrs: ConvTransposeAttrs, shapes: Sequence[Shape]) -> int:
    """Products of the full result, before cropping."""
    return math.prod(shapes[0][:3]) * math.prod(shapes[1])


SPECS: Mapping[str, OpSpec] = {
    "Conv2d": OpSpec(
        attrs=ConvAttrs,
        shape=_conv_shape,
        macs=_conv_macs,
        family=Family.CONVOLUTION,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="conv2d",
        access=access.windowed,
        constants=2,
        channel_axis=0,
        complete_sums=True,
        partial_sums=True,
        spatial=True,
        int16=True,
        trains=True,
    ),
    "DepthwiseConv2d": OpSpec(
        attrs=ConvAttrs,
        shape=_depthwise_shape,
        macs=_depthwise_macs,
        family=Family.DEPTHWISE,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="depthwise_conv2d",
        access=access.windowed,
        constants=2,
        channel_axis=2,
        complete_sums=True,
        spatial=True,
        channelwise=True,
        int16=True,
        trains=True,
    ),
    "FullyConnected": OpSpec(
        attrs=PointAttrs,
        shape=_dense_shape,
        macs=_dense_macs,
        family=Family.DENSE,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="fully_connected",
        access=access.whole,
        constants=2,
        channel_axis=0,
        complete_sums=True,
        partial_sums=True,
        int16=True,
        trains=True,
    ),
    "ConvTranspose2d": OpSpec(
        attrs=ConvTransposeAttrs,
        shape=_transposed_shape,
        macs=_transposed_macs,
        family=Family.CONVOLUTION,
        quantization=Quantization.RANGE,
        entries=Entries.CHANNELS,
        arguments="conv_transpose2d",
        access=access.transposed,
        constants=2,
        channel_axis=0,
        spatial=True,
        int16=True,
        trains=True,
    ),
}
