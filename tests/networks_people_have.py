"""Small networks of kinds that people have, in the words of their exporters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from onnx import ModelProto

from detectors_people_have import yolov5, yolov8
from exporters import Style

SHAPE = (1, 3, 32, 32)
_CLASSES = 10


def mixer() -> ModelProto:
    """MLP-Mixer: dense layers over the patches, then over their features; torch, opset 17."""
    s, channels = Style(1, opset=17), 24
    x = s.conv(s.input(*SHAPE), (channels, 3, 8, 8), strides=[8, 8])
    x = s.node("Transpose", s.node("Reshape", x, s.ints(1, channels, 16)), perm=[0, 2, 1])
    for _ in range(2):
        y = s.node("Transpose", _layer_norm(s, x, channels), perm=[0, 2, 1])
        x = s.node("Add", x, s.node("Transpose", _mlp(s, y, 16, 32), perm=[0, 2, 1]))
        x = s.node("Add", x, _mlp(s, _layer_norm(s, x, channels), channels, 48))
    return _classified(s, s.node("ReduceMean", x, axes=[1], keepdims=0), channels)


def convnext() -> ModelProto:
    """ConvNeXt: depthwise 7x7, LayerNorm, two dense layers and a scale at each pixel; the norms of
    torch before opset 17."""
    s, channels = Style(2, opset=16), 16
    x = s.conv(s.input(*SHAPE), (channels, 3, 4, 4), strides=[4, 4])
    x = _written_norm(s, x, channels)
    for _ in range(2):
        x = _convnext_block(s, x, channels)
    x = s.conv(_written_norm(s, x, channels), (2 * channels, channels, 2, 2), strides=[2, 2])
    x = _convnext_block(s, x, 2 * channels)
    x = s.node("GlobalAveragePool", x)
    return _classified(s, s.node("Flatten", x), 2 * channels)


def cbam() -> ModelProto:
    """A residual block with attention to channels, by pooled pixels, and to places, by pooled
    channels."""
    s, channels = Style(3, opset=13), 16
    x = s.relu(s.conv(s.input(*SHAPE), (channels, 3, 3, 3), strides=[2, 2], pads=[1] * 4))
    y = s.relu(s.conv(x, (channels, channels, 3, 3), pads=[1] * 4))
    y = s.conv(y, (channels, channels, 3, 3), pads=[1] * 4)
    pools = s.node("GlobalAveragePool", y), s.node("GlobalMaxPool", y)
    down, up = s.weight(4, channels, 1, 1), s.weight(channels, 4, 1, 1)
    pooled = [s.node("Conv", s.relu(s.node("Conv", each, down)), up) for each in pools]
    y = s.node("Mul", y, s.node("Sigmoid", s.node("Add", *pooled)))
    planes = s.node("ReduceMean", y, axes=[1]), s.node("ReduceMax", y, axes=[1])
    places = s.conv(s.node("Concat", *planes, axis=1), (1, 2, 7, 7), pads=[3] * 4)
    y = s.node("Mul", y, s.node("Sigmoid", places))
    x = s.node("GlobalAveragePool", s.relu(s.node("Add", x, y)))
    return _classified(s, s.node("Flatten", x), channels)


def transformer() -> ModelProto:
    """A vision transformer: attention of four heads between LayerNorms, a class token."""
    s, channels, tokens = Style(4, opset=17), 32, 17
    x = s.conv(s.input(*SHAPE), (channels, 3, 8, 8), strides=[8, 8])
    x = s.node("Transpose", s.node("Reshape", x, s.ints(1, channels, 16)), perm=[0, 2, 1])
    x = s.node("Concat", s.weight(1, 1, channels), x, axis=1)
    x = s.node("Add", x, s.weight(1, tokens, channels))
    for _ in range(2):
        y = _layer_norm(s, x, channels)
        split = s.ints(1, tokens, 4, channels // 4)
        q, k, v = (s.node("Reshape", _linear(s, y, channels, channels), split) for _ in range(3))
        q, v = (s.node("Transpose", each, perm=[0, 2, 1, 3]) for each in (q, v))
        scores = s.node("MatMul", q, s.node("Transpose", k, perm=[0, 2, 3, 1]))
        scores = s.node("Mul", scores, s.real((channels // 4) ** -0.5))
        y = s.node("MatMul", s.node("Softmax", scores, axis=-1), v)
        y = s.node(
            "Reshape", s.node("Transpose", y, perm=[0, 2, 1, 3]), s.ints(1, tokens, channels)
        )
        x = s.node("Add", x, _linear(s, y, channels, channels))
        x = s.node("Add", x, _mlp(s, _layer_norm(s, x, channels), channels, 64))
    x = s.node("Gather", _layer_norm(s, x, channels), s.literal(np.int64(0)), axis=1)
    return _classified(s, x, channels)


def segmentation() -> ModelProto:
    """An encoder, a decoder with align_corners, GroupNorm as torch writes it."""
    s, channels = Style(5, opset=13), 8
    x = s.conv(s.input(*SHAPE), (channels, 3, 3, 3), strides=[2, 2], pads=[1] * 4)
    early = s.relu(_group_norm(s, x, channels, 16))
    x = s.conv(early, (2 * channels, channels, 3, 3), strides=[2, 2], pads=[1] * 4)
    x = s.relu(_group_norm(s, x, 2 * channels, 8))
    where = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    x = s.node("Resize", x, "", "", s.constant(np.int64([1, 2 * channels, 16, 16])), **where)
    x = s.relu(s.conv(s.node("Concat", x, early, axis=1), (channels, 3 * channels, 1, 1)))
    x = s.conv(x, (2, channels, 1, 1))
    return s.model(s.node("Resize", x, "", "", s.constant(np.int64([1, 2, 32, 32])), **where))


def _linear(s: Style, x: str, inputs: int, outputs: int) -> str:
    return s.node("Add", s.node("MatMul", x, s.weight(inputs, outputs)), s.weight(outputs))


def _mlp(s: Style, x: str, inputs: int, inner: int) -> str:
    return _linear(s, _gelu(s, _linear(s, x, inputs, inner)), inner, inputs)


def _gelu(s: Style, x: str) -> str:
    """x / 2 (1 + erf(x / sqrt(2))), written out."""
    power = s.node("Add", s.node("Erf", s.node("Div", x, s.real(2**0.5))), s.real(1.0))
    return s.node("Mul", s.node("Mul", x, power), s.real(0.5))


def _layer_norm(s: Style, x: str, channels: int) -> str:
    return s.node("LayerNormalization", x, s.weight(channels), s.weight(channels), axis=-1)


def _written_norm(s: Style, x: str, channels: int) -> str:
    """Along the channels of an image, as ConvNeXt's own module has it."""
    mean = s.node("ReduceMean", x, axes=[1])
    square = s.node("Pow", s.node("Sub", x, mean), s.real(2.0))
    variance = s.node("Add", s.node("ReduceMean", square, axes=[1]), s.real(1e-6))
    normal = s.node("Div", s.node("Sub", x, mean), s.node("Sqrt", variance))
    scaled = s.node("Mul", s.weight(channels, 1, 1), normal)
    return s.node("Add", scaled, s.weight(channels, 1, 1))


def _convnext_block(s: Style, x: str, channels: int) -> str:
    y = s.conv(x, (channels, 1, 7, 7), group=channels, pads=[3] * 4)
    y = s.node("Transpose", y, perm=[0, 2, 3, 1])
    mean = s.node("ReduceMean", y, axes=[-1])
    difference = s.node("Sub", y, mean)
    variance = s.node("ReduceMean", s.node("Pow", difference, s.real(2.0)), axes=[-1])
    y = s.node("Div", difference, s.node("Sqrt", s.node("Add", variance, s.real(1e-6))))
    y = s.node("Add", s.node("Mul", y, s.weight(channels)), s.weight(channels))
    y = s.node("Mul", s.weight(channels), _mlp(s, y, channels, 4 * channels))
    return s.node("Add", x, s.node("Transpose", y, perm=[0, 3, 1, 2]))


def _group_norm(s: Style, x: str, channels: int, side: int) -> str:
    flat = s.node("Reshape", x, s.ints(0, 4, -1))
    ones, zeros = (s.constant(np.full(4, number, np.float32)) for number in (1, 0))
    flat = s.node("InstanceNormalization", flat, ones, zeros)
    x = s.node("Reshape", flat, s.ints(1, channels, side, side))
    return s.node("Add", s.node("Mul", x, s.weight(channels, 1, 1)), s.weight(channels, 1, 1))


def _classified(s: Style, x: str, channels: int) -> ModelProto:
    return s.model(s.gemm(x, channels, _CLASSES))


KINDS: Mapping[str, Callable[[], ModelProto]] = {
    "CBAM": cbam,
    "ConvNeXt": convnext,
    "MLP-Mixer": mixer,
    "segmentation": segmentation,
    "transformer": transformer,
    "YOLOv5": yolov5,
    "YOLOv8": yolov8,
}
