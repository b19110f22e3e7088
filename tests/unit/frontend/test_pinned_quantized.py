"""Quantized networks in small: which layer states which scale, and what only rounds between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from graph_text import told_or_refused
from onnx import helper

from planned import pinned
from qdq import INT8, UINT8, QdqBuilder, with_types

FOLDER = Path(__file__).parent / "pinned"
VENDOR = "com.microsoft"
Case = tuple[str, onnx.ModelProto]


def _image(s: QdqBuilder, scale: float = 0.03) -> str:
    return s.pair(s.input(1, 2, 4, 4), scale, 4)


def _bound(s: QdqBuilder, number: int) -> str:
    return s.constant(s.kind(number + 128 * (s.kind is np.uint8)))


def _clip(s: QdqBuilder, x: str, low: int, high: int) -> str:
    """Bounds among integers."""
    inner = s.node("Clip", s.q(x, 0.05, 3), _bound(s, low), _bound(s, high))
    return s.dq(inner, 0.05, 3)


def _two(s: QdqBuilder, first: str, second: str) -> str:
    return s.node("Concat", first, second, axis=1)


def _padded(s: QdqBuilder, x: str, *more: str) -> str:
    """A border among integers."""
    pads = s.constant([0, 0, 1, 1, 0, 0, 1, 0])
    return s.dq(s.node("Pad", s.q(x, 0.05, 3), pads, *more), 0.05, 3)


def _softmax(s: QdqBuilder, scale: float, zero: int) -> str:
    x = s.pair(s.node("Softmax", _conv(s), axis=1), scale, zero)
    return s.pair(s.qconv(x, (2, 4, 1, 1), scale), 0.07)


def _conv(s: QdqBuilder, *shape: int) -> str:
    return s.qconv(_image(s), shape or (4, 2, 1, 1), 0.03)


def _uniform(s: QdqBuilder, kind: str, *more: Any, **attrs: Any) -> str:
    """A layer, what only moves elements, the first rounding behind it."""
    x = s.node(kind, _conv(s), *(s.constant(each) for each in more), **attrs)
    return s.pair(x, 0.05, -3)


def _weights(s: QdqBuilder, scales: Any, zeros: Any, axis: int, kind: Any = np.int8) -> str:
    steps = s.steps(4, 2, 1, 1).astype(kind)
    attrs = {"axis": axis} if np.ndim(scales) else {}
    numbers = s.numbers(np.float32(scales), np.asarray(zeros), kind)
    w = s.node("DequantizeLinear", s.constant(steps), *numbers, **attrs)
    return s.pair(s.node("Conv", _image(s), w), 0.06)


def _moved_weights(s: QdqBuilder, *steps: tuple[str, dict[str, Any]]) -> str:
    """A matrix of integers with a scale a row, in another order when it reaches the layer."""
    w = s.stored(s.steps(5, 6), np.linspace(0.01, 0.02, 5), axis=0)
    for kind, attrs in steps:
        more = [s.constant(attrs.pop("shape"))] if "shape" in attrs else []
        w = s.node(kind, w, *more, **attrs)
    return s.pair(s.node("MatMul", s.pair(s.input(1, 6), 0.03), w), 0.06)


PAIRS: dict[str, Callable[[QdqBuilder], Any]] = {
    "a layer": lambda s: s.pair(_conv(s), 0.05, -3),
    "a layer that nobody rounds": lambda s: _conv(s),
    "rounded twice alike": lambda s: s.pair(s.pair(_conv(s), 0.05, -3), 0.05, -3),
    "rounded twice": lambda s: s.pair(s.pair(_conv(s), 0.05, -3), 0.06, -3),
    "rounded twice from elsewhere": lambda s: s.pair(s.pair(_conv(s), 0.05, -3), 0.05, 3),
    "relu, rounded": lambda s: s.pair(s.relu(_conv(s)), 0.05, -128),
    "rounded, relu": lambda s: s.relu(s.pair(_conv(s), 0.05, -3)),
    "rounded, relu, rounded": lambda s: s.pair(s.relu(s.pair(_conv(s), 0.05, -3)), 0.05, -128),
    "rounded, bounds of integers": lambda s: _clip(s, _conv(s), -100, 90),
    "an input in bounds": lambda s: s.qconv(_clip(s, s.input(1, 2, 4, 4), -9, 90), (2, 2, 1, 1), 1),
    "bounds of integers, returned": lambda s: _clip(s, s.input(1, 2, 4, 4), -9, 90),
    "two roundings of one layer": lambda s: _two(
        s, *(s.pair(x, n, 1) for x in [_conv(s)] for n in (0.02, 0.05))
    ),
    "two roundings, the widest first": lambda s: _two(
        s, *(s.pair(x, n, 1) for x in [_conv(s)] for n in (0.05, 0.02))
    ),
    "a rounded reader and another": lambda s: _two(
        s, *(f(x) for x in [_conv(s)] for f in (lambda x: s.pair(x, 0.05), s.relu))
    ),
    "max pool": lambda s: _uniform(s, "MaxPool", kernel_shape=[2, 2]),
    "average pool": lambda s: _uniform(s, "AveragePool", kernel_shape=[2, 2]),
    "slice": lambda s: _uniform(s, "Slice", [1], [3], [2]),
    "border": lambda s: _uniform(s, "Pad", [0, 0, 1, 1, 0, 0, 1, 0], np.float32(0.2)),
    "nearest": lambda s: s.pair(
        s.node("Resize", _conv(s), "", s.constant(np.float32([1, 1, 2, 2])), mode="nearest",
               coordinate_transformation_mode="asymmetric", nearest_mode="floor"), 0.05, -3
    ),
    "linear": lambda s: s.pair(
        s.node("Resize", _conv(s), "", s.constant(np.float32([1, 1, 2, 2])), mode="linear"), 0.05
    ),
    "blocks": lambda s: _uniform(s, "DepthToSpace", blocksize=2),
    "channels": lambda s: _uniform(s, "SpaceToDepth", blocksize=2),
    "turned": lambda s: _uniform(s, "Transpose", perm=[0, 1, 3, 2]),
    "flat": lambda s: _uniform(s, "Flatten"),
    "a curve": lambda s: _uniform(s, "Sigmoid"),
    "a slope": lambda s: s.pair(s.node("PRelu", _conv(s), s.weight(4, 1, 1)), 0.05),
    "a mean": lambda s: _uniform(s, "GlobalAveragePool"),
    "a pool of the rounded": lambda s: s.node(
        "MaxPool", s.pair(_conv(s), 0.05, -3), kernel_shape=[2, 2]
    ),
    "a pool of the rounded, rounded alike": lambda s: s.pair(
        s.node("MaxPool", s.pair(_conv(s), 0.05, -3), kernel_shape=[2, 2]), 0.05, -3
    ),
    "a pool of the rounded, rounded": lambda s: s.pair(
        s.node("MaxPool", s.pair(_conv(s), 0.05, -3), kernel_shape=[2, 2]), 0.04, -3
    ),
    "joined, rounded": lambda s: s.pair(_two(s, _conv(s), s.conv("input", (2, 2, 1, 1))), 0.05),
    "joined of one scale": lambda s: s.pair(
        _two(s, *(s.pair(x, 0.05) for x in [_conv(s)] for _ in range(2))), 0.05
    ),
    "joined of two scales": lambda s: s.pair(
        _two(s, s.pair(_conv(s), 0.05), s.pair(s.node("Tanh", "input"), 0.01)), 0.05
    ),
    "a sum": lambda s: s.pair(s.node("Add", s.pair(_conv(s, 2, 2, 1, 1), 0.05), _again(s)), 0.06),
    "a sum in bounds": lambda s: s.pair(
        s.relu(s.node("Add", s.pair(_conv(s, 2, 2, 1, 1), 0.05), _again(s))), 0.06, -128
    ),
    "border of integers": lambda s: _padded(s, _conv(s), _bound(s, 7)),
    "border of integers, unsaid": lambda s: _padded(s, _conv(s)),
    "at most": lambda s: s.dq(s.node("Min", s.q(_conv(s), 0.05, 3), _bound(s, 70)), 0.05, 3),
    "at least": lambda s: s.dq(s.node("Max", _bound(s, -70), s.q(_conv(s), 0.05, 3)), 0.05, 3),
    "softmax of 1/256": lambda s: _softmax(s, 1 / 256, -128),
    "softmax of 1/255": lambda s: _softmax(s, 1 / 255, -128),
    "softmax of 0.0039": lambda s: _softmax(s, 0.0039, -128),
    "softmax of 1/32768": lambda s: _softmax(s, 1 / 32768, -128),
    "softmax of 1/32769": lambda s: _softmax(s, 1 / 32769, -128),
    "softmax of nearly a third": lambda s: _softmax(s, 1 / 3.0000015, -128),
    "softmax of about a third": lambda s: _softmax(s, 1 / 3.00001, -128),
    "weights of one scale": lambda s: _weights(s, 0.01, 0, 0),
    "weights of a scale a row": lambda s: _weights(s, np.linspace(0.01, 0.02, 4), np.zeros(4), 0),
    "weights of a scale a column": lambda s: _weights(s, [0.01, 0.03], np.zeros(2), 1),
    "weights of a column from the end": lambda s: _weights(s, [0.01, 0.03], np.zeros(2), -3),
    "weights from elsewhere": lambda s: _weights(s, 0.01, 5, 0),
    "weights of uint8": lambda s: _weights(s, 0.01, 128, 0, np.uint8),
    "weights turned": lambda s: _moved_weights(s, ("Transpose", {"perm": [1, 0]})),
    "weights turned three times": lambda s: _moved_weights(
        s, ("Transpose", {"perm": [1, 0]}), ("Reshape", {"shape": [6, 5]}),
        ("Unsqueeze", {"shape": [0]}), ("Squeeze", {"shape": [0]}), ("Identity", {}),
    ),
    "weights reshaped": lambda s: _moved_weights(s, ("Reshape", {"shape": [6, 5]})),
    "a dense layer twice its weights": lambda s: _gemm(s, alpha=2.0, beta=0.5),
    "a dense layer less its weights": lambda s: _gemm(s, alpha=-1.0),
    "batch norm behind": lambda s: s.pair(s.batch_norm(_conv(s), 4), 0.05),
    "batch norm turned behind": lambda s: s.pair(
        s.node("Mul", _conv(s), s.constant(np.float32([1, -1, 2, 1]).reshape(-1, 1, 1))), 0.05
    ),
    "five axes": lambda s: s.node(
        "Reshape", s.pair(s.node("Reshape", _conv(s), s.constant([1, 2, 2, 4, 4])), 0.05),
        s.constant([1, 4, 4, 4]),
    ),
    "a sequence": lambda s: s.pair(s.qconv(s.pair(s.input(1, 3, 7), 0.03), (4, 3, 3), 0.03), 0.05),
}  # fmt: skip


def _again(s: QdqBuilder) -> str:
    return s.pair(s.qconv("input", (2, 2, 1, 1), 0.03), 0.04, 2)


def _gemm(s: QdqBuilder, **attrs: float) -> str:
    w, c = s.stored(s.steps(5, 6), 0.01), s.biased(5, 0.0003)
    return s.pair(s.node("Gemm", s.pair(s.input(1, 6), 0.03), w, c, transB=1, **attrs), 0.06)


def pairs() -> Iterator[Case]:
    for name, build in PAIRS.items():
        s = QdqBuilder(3)
        made = build(s)
        yield name, s.model(made, checked=False)


def unsigned() -> Iterator[Case]:
    """The same of uint8, where integers move by 128."""
    for name in ("a layer", "rounded, bounds of integers", "at most", "at least"):
        s = QdqBuilder(3, kind=np.uint8)
        yield name, s.model(PAIRS[name](s), checked=False)
    for name in ("border of integers", "border of integers, unsaid"):
        s = QdqBuilder(3, kind=np.uint8)
        yield name, s.model(PAIRS[name](s), checked=False)
    for kind, element in ((np.int8, INT8), (np.uint8, UINT8)):
        for moved in (False, True):
            s = QdqBuilder(3, kind=kind)
            x = s.input(1, 2, 4, 4)
            x = s.node("MaxPool", x, kernel_shape=[2, 2]) if moved else x
            y = s.qconv(s.dq(x, 0.03, 4), (3, 2, 1, 1), 0.03)
            model = s.model(s.q(y, 0.05, 7), checked=False)
            yield (
                f"ends of {kind.__name__}, {moved}",
                with_types(model, input=element, output=element),
            )


INPUTS: dict[str, Callable[[QdqBuilder, str], Any]] = {
    "read at once": lambda s, x: s.dq(x, 0.03, 4),
    "read behind two moves": lambda s, x: s.dq(
        s.node("Transpose", s.node("Identity", x), perm=[0, 1, 3, 2]), 0.03, 4
    ),
    "read in parts": lambda s, x: _in_parts(s, x),
    "read twice": lambda s, x: s.node("Add", s.dq(x, 0.03, 4), s.dq(x, 0.03, 4)),
    "read twice in two ways": lambda s, x: s.node("Add", s.dq(x, 0.03, 4), s.dq(x, 0.04, 4)),
    "bounded, then read": lambda s, x: s.dq(s.node("Clip", x, _bound(s, 7)), 0.03, 4),
    "read behind a sum": lambda s, x: s.dq(s.node("Add", x, x), 0.03, 4),
    "joined to itself": lambda s, x: s.dq(s.node("Concat", x, x, axis=1), 0.03, 4),
    "of a scale that is none, then another": lambda s, x: s.node(
        "Add", s.dq(x, 0.0, 4), s.dq(x, 0.03, 4)
    ),
}


def _in_parts(s: QdqBuilder, x: str) -> str:
    s.node_of("Split", [x, s.constant([1, 1])], ["a", "b"], axis=1)
    return s.node("Concat", s.relu(s.dq("a", 0.03, 4)), s.dq("b", 0.03, 4), axis=1)


def integers() -> Iterator[Case]:
    """Inputs that are integers: what the first that reads them as numbers says."""
    for name, build in INPUTS.items():
        s = QdqBuilder(3)
        model = s.model(s.node("Tanh", build(s, s.input(1, 2, 4, 4))), checked=False)
        yield name, with_types(model, input=INT8)


def operators() -> Iterator[Case]:
    """ONNX Runtime's own operators on integers."""
    for name, build in OPERATORS.items():
        s = QdqBuilder(3, kind=np.uint8)
        x = s.q(s.input(1, 4, 4, 4), 0.03, 120)
        model = s.model(build(s, x), checked=False)
        model.opset_import.append(helper.make_opsetid(VENDOR, 1))
        yield name, model


def _said(s: QdqBuilder, scale: Any, zero: Any, kind: Any = None) -> list[str]:
    return s.numbers(scale, zero, kind)


def _read(s: QdqBuilder, scale: float = 0.03, zero: int = 120) -> list[str]:
    """Scale and zero point, as of the input."""
    return _said(s, scale, zero)


def _vendor(s: QdqBuilder, kind: str, *inputs: str, **attrs: Any) -> str:
    return s.node(kind, *inputs, domain=VENDOR, **attrs)


def _back(s: QdqBuilder, x: str) -> str:
    return s.dq(x, 0.05, 130)


def _qlinear(s: QdqBuilder, x: str, *bias: str, **attrs: Any) -> str:
    w = [s.constant(s.steps(3, 4, 1, 1)), *_said(s, np.linspace(0.01, 0.02, 3), [0] * 3, np.int8)]
    return _back(s, s.node("QLinearConv", x, *_read(s), *w, *_read(s, 0.05, 130), *bias, **attrs))


def _bias(s: QdqBuilder, count: int) -> str:
    return s.constant(np.arange(count, dtype=np.int32) * 100 - 50)


def _row(s: QdqBuilder, x: str) -> str:
    return s.node("Reshape", x, s.constant([1, 64]))


def _dense(s: QdqBuilder, x: str, *, turned: int, real: bool = False, **attrs: Any) -> str:
    w = s.constant(s.steps(3, 64) if turned else s.steps(64, 3))
    given = [_row(s, x), *_read(s), w, *_said(s, 0.01, 0, np.int8), _bias(s, 3)]
    given += [] if real else _read(s, 0.05, 130)
    y = _vendor(s, "QGemm", *given, transB=turned, **attrs)
    return y if real else _back(s, y)


def _unary(s: QdqBuilder, x: str, kind: str, **attrs: Any) -> str:
    return _back(s, _vendor(s, f"QLinear{kind}", x, *_read(s), *_read(s, 0.05, 130), **attrs))


def _binary(s: QdqBuilder, x: str, kind: str) -> str:
    y = s.q(s.node("Tanh", "input"), 0.01, 128)
    given = [x, *_read(s), y, *_read(s, 0.01, 128), *_read(s, 0.05, 130)]
    return _back(s, _vendor(s, f"QLinear{kind}", *given))


def _concat(s: QdqBuilder, x: str) -> str:
    y = s.q(s.node("Tanh", "input"), 0.01, 128)
    given = [*_read(s, 0.05, 130), x, *_read(s), y, *_read(s, 0.01, 128)]
    return _back(s, _vendor(s, "QLinearConcat", *given, axis=1))


def _matmul(s: QdqBuilder, x: str) -> str:
    w = [s.constant(s.steps(64, 3)), *_said(s, np.linspace(0.01, 0.02, 3), [0] * 3, np.int8)]
    return _back(s, s.node("QLinearMatMul", _row(s, x), *_read(s), *w, *_read(s, 0.05, 130)))


OPERATORS: dict[str, Callable[[QdqBuilder, str], str]] = {
    "convolution": lambda s, x: _qlinear(s, x),
    "convolution with a bias": lambda s, x: _qlinear(s, x, _bias(s, 3), strides=[2, 2]),
    "convolution of channels last": lambda s, x: _qlinear(s, x, channels_last=1, domain=VENDOR),
    "dense": lambda s, x: _dense(s, x, turned=0),
    "dense turned": lambda s, x: _dense(s, x, turned=1),
    "dense doubled": lambda s, x: _dense(s, x, turned=1, alpha=2.0),
    "dense to real numbers": lambda s, x: _dense(s, x, turned=1, real=True),
    "matrix": _matmul,
    "sum": lambda s, x: _binary(s, x, "Add"),
    "product": lambda s, x: _binary(s, x, "Mul"),
    "joined": _concat,
    "mean": lambda s, x: _unary(s, x, "GlobalAveragePool", channels_last=0),
    "pool": lambda s, x: _unary(s, x, "AveragePool", kernel_shape=[2, 2], strides=[2, 2]),
    "sigmoid": lambda s, x: _unary(s, x, "Sigmoid"),
    "leaky": lambda s, x: _unary(s, x, "LeakyRelu", alpha=0.3),
    "softmax": lambda s, x: _unary(s, x, "Softmax", axis=1, opset=13),
    "reduced": lambda s, x: _unary(s, x, "ReduceMean", axes=[2, 3], keepdims=1),
    "unknown": lambda s, x: _unary(s, x, "Where"),
    "of this vendor": lambda s, x: _vendor(s, "DequantizeLinear", x, *_read(s)),
}


@pytest.mark.parametrize("draw", [pairs, unsigned, integers, operators])
def test_quantized_networks_become_what_is_pinned(draw: Any, tmp_path: Path) -> None:
    lines = [told_or_refused(told, model, tmp_path) for told, model in draw()]
    pinned(FOLDER / f"quantized-{draw.__name__}.txt", "\n".join(lines))
