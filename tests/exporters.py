"""Networks in the styles of the exporters people use, written without them.

Each builder reproduces the quirks of one exporter as its files show them: the detours it takes
around shapes and constants, its layout, its spelling of activations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, helper, numpy_helper

from models import ModelBuilder

_MIN_INT64 = -(2**63) + 1


class Style(ModelBuilder):
    """A ModelBuilder that can write constants as nodes, and the chains that shapes become."""

    def literal(self, array: Any) -> str:
        """A Constant node."""
        value = numpy_helper.from_array(np.asarray(array))
        return self.node("Constant", value=value)

    def ints(self, *numbers: int) -> str:
        return self.literal(np.int64(numbers))

    def real(self, number: float) -> str:
        return self.literal(np.float32(number))

    def clip(self, x: str, low: float, high: float) -> str:
        return self.node("Clip", x, self.real(low), self.real(high))

    def functional_pad(self, x: str, *sides: int) -> str:
        """F.pad of the TorchScript exporter: sides from the last axis on, sorted by nodes."""
        pad = self.ints(*sides)
        zeros = self.node("Sub", self.literal(np.int64(8)), self.literal(np.int64(len(sides))))
        zeros = self.node("Unsqueeze", zeros, self.ints(0))
        filler = numpy_helper.from_array(np.int64([0]))
        zeros = self.node("ConstantOfShape", zeros, value=filler)
        pads = self.node("Concat", pad, zeros, axis=0)
        pads = self.node("Reshape", pads, self.ints(-1, 2))
        back = [self.ints(n) for n in (-1, _MIN_INT64, 0, -1)]
        pads = self.node("Transpose", self.node("Slice", pads, *back), perm=[1, 0])
        pads = self.node("Cast", self.node("Reshape", pads, self.ints(-1)), to=7)
        return self.node("Pad", x, pads, self.real(0), mode="constant")

    def chunk(self, x: str, count: int, index: int) -> str:
        """torch.chunk along the channels: bounds computed from the shape."""
        size = self.node("Gather", self.node("Shape", x), self.literal(np.int64(1)), axis=0)
        size = self.node("Add", size, self.literal(np.int64(count - 1)))
        size = self.node("Div", size, self.literal(np.int64(count)))
        ends = [self.node("Mul", size, self.literal(np.int64(index + i))) for i in (0, 1)]
        begin, end = (self.node("Unsqueeze", n, self.ints(0)) for n in ends)
        return self.node("Slice", x, begin, end, self.ints(1))

    def view(self, x: str, *sizes: int | None) -> str:
        """Reshape to a target put together at run time; None takes the size of the input."""
        parts = []
        for axis, size in enumerate(sizes):
            number = self.literal(np.int64(size or 0))
            if size is None:
                number = self.node("Gather", self.node("Shape", x), self.literal(np.int64(axis)))
            old = self.opset < 13
            axes = {"axes": [0]} if old else {}
            parts.append(self.node("Unsqueeze", number, *([] if old else [self.ints(0)]), **axes))
        return self.node("Reshape", x, self.node("Concat", *parts, axis=0))

    def shuffle(self, x: str, channels: int, groups: int, size: int) -> str:
        """Channel shuffle with a dynamic batch."""
        x = self.view(x, None, groups, channels // groups, size, size)
        x = self.node("Transpose", x, perm=[0, 2, 1, 3, 4])
        return self.view(x, None, channels, size, size)


def torch_legacy(seed: int = 1, *, blocks: int = 1) -> ModelProto:
    """dynamo=False, opset 13, dynamic batch; no value_info, shared weights through Identity."""
    s = Style(seed, opset=13)
    x = s.functional_pad(s.input("batch", 3, 16, 16), 1, 0, 1, 0)
    x = s.clip(s.conv(x, (8, 3, 3, 3), strides=[2, 2], pads=[0, 0, 0, 0]), 0, 6)
    shared = s.weight(4)
    for _ in range(blocks):
        left, right = (s.chunk(x, 2, i) for i in (0, 1))
        bias = s.node("Identity", shared)
        right = s.node("Conv", right, s.weight(4, 4, 1, 1), bias)
        right = s.node("Mul", right, s.node("HardSigmoid", right, alpha=1 / 6))
        right = s.node("Conv", right, s.weight(4, 1, 3, 3), bias, group=4, pads=[1, 1, 1, 1])
        x = s.shuffle(s.node("Concat", left, right, axis=1), 8, 2, 8)
    x = s.node("Flatten", s.node("GlobalAveragePool", x))
    x = s.relu(s.batch_norm(s.gemm(x, 8, 6), 6))
    model = s.model(s.gemm(x, 6, 4), checked=False)
    del model.graph.value_info[:]
    return model


def torch_dynamo(seed: int = 2, opset: int = 18) -> ModelProto:
    """dynamo=True: constants as initializers, num_outputs, every attribute written out."""
    s = ModelBuilder(seed, opset=opset)
    zero, six = s.constant(np.float32(0), "val_0"), s.constant(np.float32(6), "val_1")
    x = s.conv(s.input("s77", 3, 12, 12), (8, 3, 3, 3), strides=[2, 2], pads=[0, 0, 1, 1])
    x = s.node("Clip", x, zero, six)
    s.node_of("Split", [x], ["split_0", "split_1"], axis=1, num_outputs=2)
    y = s.node("HardSwish", s.conv("split_1", (4, 4, 1, 1)))
    gate = s.node(
        "ReduceMean", y, s.constant(np.int64([-1, -2])), keepdims=1, noop_with_empty_axes=0
    )
    gate = s.node("HardSigmoid", s.conv(gate, (4, 4, 1, 1)), alpha=1 / 6, beta=0.5)
    x = s.node("Concat", "split_0", s.node("Mul", gate, y), axis=1)
    scales = s.constant(np.float32([1, 1, 2, 2]))
    x = s.node(
        *("Resize", x, "", scales),
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
        antialias=0,
        cubic_coeff_a=-0.75,
        exclude_outside=0,
        extrapolation_value=0.0,
        keep_aspect_ratio_policy="stretch",
    )
    x = s.node("Mul", x, s.node("Sigmoid", x))
    x = s.node("ReduceMean", x, s.constant(np.int64([2, 3])), keepdims=0, noop_with_empty_axes=0)
    x = s.node("Reshape", x, s.constant(np.int64([-1, 8])), allowzero=1)
    model = s.model(s.gemm(x, 8, 5))
    for node in model.graph.node:
        node.metadata_props.add(
            key="pkg.torch.onnx.name_scopes", value=f"['', 'body', '{node.name}']"
        )
    return model


TO_NCHW, TO_NHWC = [0, 3, 1, 2], [0, 2, 3, 1]


class Keras(Style):
    """tf2onnx: values are NHWC, and every layer that wants NCHW stands between two Transposes."""

    def channels_first(self, x: str) -> str:
        return self.node("Transpose", x, perm=TO_NCHW)

    def channels_last(self, x: str) -> str:
        return self.node("Transpose", x, perm=TO_NHWC)

    def layer(self, x: str, weights: tuple[int, ...], **attrs: Any) -> str:
        return self.channels_last(self.conv(self.channels_first(x), weights, **attrs))

    def hard_swish(self, x: str) -> str:
        y = self.clip(self.node("Add", x, self.real(3)), 0, 6)
        return self.node("Mul", self.node("Mul", x, y), self.real(1 / 6))

    def excite(self, x: str, channels: int, squeezed: int) -> str:
        """A squeeze-and-excite block whose pool keeps its axes by a Reshape."""
        y = self.node("ReduceMean", x, axes=[1, 2], keepdims=0)
        y = self.node("Reshape", y, self.ints(1, 1, 1, channels))
        y = self.relu(self.layer(y, (squeezed, channels, 1, 1)))
        y = self.layer(y, (channels, squeezed, 1, 1))
        y = self.node("Mul", self.clip(self.node("Add", y, self.real(3)), 0, 6), self.real(1 / 6))
        return self.node("Mul", x, y)


def tf2onnx(seed: int = 3, *, blocks: int = 3) -> ModelProto:
    """A small MobileNetV3 from Keras: scaled input, Pad nodes, MatMul head, all in NHWC."""
    s = Keras(seed, opset=15)
    x = s.input("unk__1", 16, 16, 3)
    x = s.node("Add", s.node("Mul", x, s.real(2 / 255)), s.real(-1))
    x = s.node("Pad", x, s.ints(0, 0, 0, 0, 0, 1, 1, 0))
    x = s.hard_swish(s.layer(x, (8, 3, 3, 3), strides=[2, 2]))
    for _ in range(blocks):
        y = s.hard_swish(s.layer(x, (12, 8, 1, 1)))
        y = s.layer(y, (12, 1, 3, 3), group=12, auto_pad="SAME_UPPER")
        y = s.excite(s.hard_swish(y), 12, 4)
        x = s.node("Add", x, s.layer(y, (8, 12, 1, 1)))
    x = s.hard_swish(s.layer(s.node("Concat", x, x, axis=3), (16, 16, 1, 1)))
    x = s.node("GlobalAveragePool", s.channels_first(x))
    x = s.node("Squeeze", x, s.ints(2, 3))
    x = s.node("Add", s.node("MatMul", x, s.weight(16, 5)), s.weight(5))
    return s.model(s.node("Softmax", x), checked=False)


def paddle(seed: int = 4) -> ModelProto:
    """All weights in Constant nodes, hard-swish in four pieces, batch norm unfolded."""
    s = Style(seed, opset=11)
    x = s.input("N", 3, 12, 12)
    for channels, inputs in ((8, 3), (8, 8)):
        x = s.node("Conv", x, s.literal(_normal(s, channels, inputs, 3, 3)), pads=[1, 1, 1, 1])
        numbers = [
            s.literal(s.rng.uniform(0.5, 1.5, channels).astype(np.float32)) for _ in range(4)
        ]
        x = s.node("BatchNormalization", x, *numbers, epsilon=1e-5, momentum=0.9)
        y = s.clip(s.node("Add", x, s.real(3)), 0, 6)
        x = s.node("Div", s.node("Mul", x, y), s.real(6))
    x = s.node("GlobalAveragePool", x)
    x = s.view(x, None, 8)
    x = s.node("Add", s.node("MatMul", x, s.literal(_normal(s, 8, 4))), s.literal(_normal(s, 4)))
    return s.model(s.node("Softmax", x, axis=1), checked=False)


def _normal(s: ModelBuilder, *shape: int) -> np.ndarray:
    return s.rng.normal(0, 0.3, shape).astype(np.float32)


def tflite(seed: int = 5) -> ModelProto:
    """float16 weights behind Casts, a channel Pad for a wider residual, heads joined in rank 3."""
    s = Keras(seed, opset=13)
    half = lambda *shape: s.node(  # noqa: E731
        "Cast", s.constant(_normal(s, *shape).astype(np.float16)), to=1
    )
    x = s.channels_first(s.input(1, 12, 12, 4))
    y = s.relu(s.node("Conv", x, half(6, 4, 3, 3), half(6), strides=[2, 2], auto_pad="SAME_UPPER"))
    x = s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = s.relu(s.node("Add", s.node("Pad", x, s.ints(0, 0, 0, 0, 0, 2, 0, 0)), y))
    heads = []
    for stride in (1, 2):
        head = s.channels_last(s.node("Conv", x, half(6, 6, 1, 1), strides=[stride] * 2))
        heads.append(s.node("Reshape", head, s.ints(1, -1, 3)))
    return s.model(s.node("Concat", *heads, axis=1), checked=False)


def with_unused_domains(model: ModelProto) -> ModelProto:
    """What ONNX Runtime's tools add."""
    for domain in ("com.microsoft", "com.microsoft.nchwc", "ai.onnx.ml", "org.pytorch.aten"):
        model.opset_import.append(helper.make_opsetid(domain, 1))
    return model
