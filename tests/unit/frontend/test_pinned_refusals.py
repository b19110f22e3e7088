"""What cannot be imported: the whole text of each refusal, which is all that a user has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from graph_text import told_or_refused
from onnx import TensorProto, defs, helper

from deployer.frontend.versions import NEWEST_OPSET
from models import ModelBuilder, conv_net, dense_net
from planned import pinned
from qdq import QdqBuilder

FOLDER = Path(__file__).parent / "pinned"
Case = tuple[str, onnx.ModelProto, dict[str, Any]]
F32 = np.float32


def _scalar(s: ModelBuilder, x: str) -> str:
    """A number that is computed in every inference."""
    return s.node("ReduceMean", x, keepdims=0)


def _foreign(s: ModelBuilder, x: str) -> str:
    return s.node("Magic", x, domain="org.own")


def _pair(s: ModelBuilder, element: int, **attrs: int) -> str:
    """Constants of an element type read as numbers."""
    s._weights.append(helper.make_tensor("held", element, (4, 2), [1.0] * 8))
    x = s.input(1, 4)
    return s.node("MatMul", x, s.node("DequantizeLinear", "held", s.constant(F32(0.1)), **attrs))


def _zero(s: ModelBuilder, zero: np.ndarray, steps: np.ndarray) -> str:
    x = s.input(1, 4)
    numbers = (s.constant(F32(0.1)), s.constant(zero))
    return s.node("MatMul", x, s.node("DequantizeLinear", s.constant(steps), *numbers))


def _scales(s: ModelBuilder, shape: tuple[int, ...], scales: Any, axis: int) -> str:
    x, steps = s.input(1, 4), np.ones(shape, np.int8)
    numbers = (s.constant(F32(scales)), s.constant(np.zeros(np.shape(scales), np.int8)))
    held = s.node("DequantizeLinear", s.constant(steps), *numbers, axis=axis)
    return s.node("MatMul", x, held)


def _second(s: ModelBuilder) -> tuple[str, ...]:
    s.node_of("MaxPool", [s.input(1, 2, 4, 4)], ["pooled", "places"], kernel_shape=[2, 2])
    return s.node("Relu", "pooled"), s.node("Cast", "places", to=1)


def _dropped(s: ModelBuilder) -> tuple[str, ...]:
    s.node_of("Dropout", [s.input(1, 4)], ["kept", "mask"])
    return s.node("Relu", "kept"), s.node("Cast", "mask", to=1)


def _split(s: ModelBuilder) -> tuple[str, ...]:
    """Parts whose sizes are computed."""
    x = s.input(1, 4, 4, 4)
    sizes = s.node("Reshape", s.node("Cast", _scalar(s, x), to=7), s.constant([1]))
    s.node_of("Split", [x, sizes], ["first", "second"], axis=1)
    return "first", "second"


def _sliced(s: ModelBuilder) -> str:
    """A Slice whose end is computed."""
    x = s.input(1, 4, 4, 4)
    end = s.node("Reshape", s.node("Cast", _scalar(s, x), to=7), s.constant([1]))
    return s.node("Slice", x, s.constant([0]), end)


def _parts(s: ModelBuilder, **attrs: Any) -> str:
    s.node_of("Split", [s.input(1, 4)], ["first", "second"], axis=1, **attrs)
    return s.node("Concat", "first", "second", axis=1)


def _heads(s: ModelBuilder) -> str:
    x = s.conv(s.input(1, 2, 4, 4), (4, 2, 1, 1))
    return s.node("Add", s.node("Hardmax", x), s.node("LogSoftmax", s.relu(x)))


def _normalized(s: ModelBuilder, x: str) -> str:
    return s.node("LpNormalization", x)


NODES: dict[str, Callable[[ModelBuilder], Any]] = {
    "nothing known": lambda s: s.node("LpNormalization", s.input(1, 4)),
    "of nobody": lambda s: _foreign(s, s.input(1, 4)),
    "behind what is of nobody": lambda s: s.gemm(s.relu(_foreign(s, s.input(1, 4))), 4, 3),
    "recurrent": lambda s: s.node("LayerNormalization", s.input(1, 4), s.weight(4)),
    "control": lambda s: s.node("LpNormalization", s.node("LpNormalization", s.input(1, 4))),
    "heads": _heads,
    "heads of an input": lambda s: s.node("Hardmax", s.input(1, 4)),
    "a head before what is nothing": lambda s: s.node(
        "LpNormalization", s.node("Hardmax", s.relu(s.input(1, 4)))
    ),
    "two of a kind, and another": lambda s: _normalized(
        s, s.node("LpNormalization", _normalized(s, _normalized(s, s.input(1, 4))))
    ),
    "batch": lambda s: s.relu(s.input(2, 4)),
    "one axis": lambda s: s.relu(s.input(1)),
    "no elements": lambda s: s.relu(s.input(1, 0, 4)),
    "its second output": _second,
    "a mask": _dropped,
    "weights": lambda s: s.node("Conv", s.input(1, 2, 4, 4), s.input(1, 2, 3, 3, name="w")),
    "a bias": lambda s: s.node(
        "Conv", s.input(1, 2, 4, 4), s.weight(3, 2, 1, 1), s.input(3, name="b")
    ),
    "a bias of two": lambda s: s.node(
        "Conv", s.input(1, 2, 4, 4), s.weight(3, 2, 1, 1), s.weight(2)
    ),
    "variance": lambda s: s.node(
        "BatchNormalization", s.input(1, 3), *(s.weight(3) for _ in range(3)),
        s.constant(F32([1, -1, 1])),
    ),
    "variance of nothing": lambda s: s.node(
        "BatchNormalization", s.input(1, 3), *(s.weight(3) for _ in range(3)),
        s.constant(F32([1, 0, 1])), epsilon=0.0,
    ),
    "training": lambda s: s.node("Dropout", s.input(1, 4), s.constant(F32(0.5)),
                                 s.constant(np.bool_(True))),
    "three axes": lambda s: s.conv(s.input(1, 2, 4, 4, 4), (3, 2, 1, 1, 1)),
    "blocks of a sequence": lambda s: s.node("SpaceToDepth", s.input(1, 2, 5, 4), blocksize=2),
    "kernel": lambda s: s.conv(s.input(1, 2, 4, 4), (3, 2, 3, 3), kernel_shape=[3, 2]),
    "transposed kernel": lambda s: s.node(
        "ConvTranspose", s.input(1, 2, 4, 4), s.weight(2, 3, 3, 3), kernel_shape=[3, 2]
    ),
    "output padding": lambda s: s.node(
        "ConvTranspose", s.input(1, 2, 4, 4), s.weight(2, 3, 3, 3), output_padding=[0, 70000],
        strides=[2, 2],
    ),
    "auto": lambda s: s.node("MaxPool", s.input(1, 2, 4, 4), kernel_shape=[2, 2], auto_pad="HALF"),
    "taps": lambda s: s.node("MaxPool", s.input(1, 1, 300, 300), kernel_shape=[257, 256]),
    "padding": lambda s: s.node(
        "MaxPool", s.input(1, 2, 4, 4), kernel_shape=[2, 2], pads=[3, 0, 0, 0]
    ),
    "counted": lambda s: s.node(
        "AveragePool", s.input(1, 2, 4, 4), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1,
        count_include_pad=1, pads=[1, 1, 0, 0],
    ),
    "mean of all": lambda s: s.node("ReduceMean", s.input(1, 2, 4, 4), axes=[1, 2, 3]),
    "mean of the batch": lambda s: s.node("ReduceMean", s.input(1, 2, 4, 4), axes=[0, 2]),
    "transA": lambda s: s.node("Gemm", s.input(1, 1), s.weight(1, 4), transA=1),
    "bias of a table": lambda s: s.node("Gemm", s.input(1, 4), s.weight(4, 3), s.weight(1, 1, 3)),
    "product of two": lambda s: s.node("MatMul", s.input(1, 4), s.input(4, 3, name="w")),
    "product of three axes": lambda s: s.node("MatMul", s.input(1, 2, 4), s.weight(4, 3)),
    "sum of two shapes": lambda s: s.node(
        "Add", s.input(1, 2, 4, 4), s.input(1, 2, 1, 1, name="b")
    ),
    "product of two shapes": lambda s: s.node(
        "Mul", s.input(1, 2, 4, 4), s.input(1, 1, 4, 4, name="b")
    ),
    "product of five axes": lambda s: s.node(
        "Mul", *(s.node("Reshape", x, s.constant(shape)) for x, shape in (
            (s.input(1, 4, 3, 4), [1, 2, 2, 3, 4]), (s.input(1, 2, name="b"), [1, 2, 1, 1, 1]),
        ))
    ),
    "product of an image and a row": lambda s: s.node(
        "Mul", s.input(1, 2, 4, 5), s.input(1, 5, name="b")
    ),
    "numbers at random": lambda s: s.node(
        "Add", s.input(1, 4), s.node("RandomNormal", shape=[1, 4])
    ),
    "chances": lambda s: s.node("Add", s.input(1, 4), s.node("Bernoulli", s.weight(1, 4))),
    "a table of constants": lambda s: s.node("Add", s.input(1, 2, 4, 4), s.weight(4, 4)),
    "a larger constant": lambda s: s.node("Mul", s.input(1, 2, 1, 1), s.weight(1, 2, 3, 1)),
    "a divisor": lambda s: s.node("Div", s.input(1, 4), s.input(1, 4, name="b")),
    "zeros below": lambda s: s.node("Div", s.input(1, 2), s.constant(F32([1, 0]))),
    "three numbers": lambda s: s.node("Max", s.input(1, 4), s.weight(1), s.weight(1)),
    "two activations": lambda s: s.node("Max", s.input(1, 4), s.input(1, 4, name="b")),
    "a row of numbers": lambda s: s.node("Min", s.input(1, 4), s.weight(4)),
    "a number of more axes": lambda s: s.node("Min", s.input(1, 4), s.weight(1, 1, 1)),
    "slopes": lambda s: s.node("PRelu", s.input(1, 4), s.input(1, 4, name="b")),
    "a table of slopes": lambda s: s.node("PRelu", s.input(1, 4, 4, 4), s.weight(4, 4)),
    "crossed": lambda s: s.node("Clip", s.input(1, 4), s.constant(F32(2)), s.constant(F32(1))),
    "no number": lambda s: s.node("Clip", s.input(1, 4), s.constant(F32(np.nan))),
    "cast": lambda s: s.node("Cast", s.node("Cast", s.input(1, 4), to=6), to=1),
    "softmax": lambda s: s.node("Softmax", s.input(1, 4), axis=0),
    "computed shape": lambda s: s.node(
        "Reshape", s.input(1, 4), s.node("Cast", s.node("Relu", s.input(2, name="b")), to=7)
    ),
    "permuted batch": lambda s: s.node("Transpose", s.input(1, 1, 4, 4), perm=[1, 0, 2, 3]),
    "constant parts": lambda s: s.node("Concat", s.input(1, 4), s.constant(F32([[1, 2]])), axis=1),
    "joined batch": lambda s: s.node("Concat", s.input(1, 4), s.input(1, 4, name="b"), axis=0),
    "computed parts": lambda s: s.node("Concat", *_split(s), axis=1),
    "computed range": _sliced,
    "two parts as three": lambda s: _parts(s, num_outputs=3),
    "weights of a sequence": lambda s: s.node("Conv", s.input(1, 2, 4, 4), s.weight(3, 2, 3)),
    "weights of a sequence, transposed": lambda s: s.node(
        "ConvTranspose", s.input(1, 2, 4, 4), s.weight(2, 3, 3)
    ),
    "integers of a sequence": lambda s: s.node(
        "ConvInteger", s.constant(np.ones((1, 2, 4, 4), np.int8)),
        s.constant(np.ones((3, 2, 3), np.int8)),
    ),
    "mode of a border": lambda s: s.node(
        "Pad", s.input(1, 2, 4, 4), s.constant([0, 0, 1, 1] * 2), mode="reflect"
    ),
    "endless border": lambda s: s.node(
        "Pad", s.input(1, 4), s.constant([0, 1, 0, 0]), s.constant(F32(np.inf))
    ),
    "computed border": lambda s: s.node(
        "Pad", s.input(1, 4), s.constant([0, 1, 0, 0]), _scalar(s, "input")
    ),
    "negative border": lambda s: s.node("Pad", s.input(1, 4), s.constant([0, 1, 0, -1])),
    "border of the batch": lambda s: s.node("Pad", s.input(1, 4), s.constant([0, 0, 1, 0])),
    "irregular": lambda s: s.node(
        "Gather", s.input(1, 99), s.constant(np.random.default_rng(1).permutation(99)), axis=1
    ),
    "picked by what is computed": lambda s: s.node(
        "Gather", s.input(1, 4), s.node("Cast", s.input(2, name="b"), to=7), axis=1
    ),
    "picked from a constant": lambda s: s.node(
        "Gather", s.weight(4, 3), s.node("Cast", s.input(1, name="b"), to=7), axis=0
    ),
    "smaller": lambda s: s.node(
        "Resize", s.input(1, 2, 4, 4), "", s.constant(F32([1, 1, 0.5, 0.5]))
    ),
    **{
        f"resized by {scales}, {attrs}": lambda s, n=scales, a=attrs: s.node(
            "Resize", s.input(1, 2, *(4,) * (len(n) - 2)), "", s.constant(F32(n)), **a
        )
        for scales, attrs in (
            ([1, 2, 1, 1], {}), ([1, 1, 2, 2, 2], {}), ([1, 2], {}), ([1, 1, 1.5, 2], {}),
            ([1, 1, 2, 2.1], {"mode": "linear"}), ([1, 1, 3, 2], {"mode": "linear"}),
            ([1, 1, 2, 2], {"mode": "cubic"}), ([1, 1, 2, 2], {"mode": "linear", "antialias": 1}),
            ([1, 1, 2, 2], {"nearest_mode": "ceil"}),
            ([1, 1, 2, 2], {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
        )
    },
    "resized by what is computed": lambda s: s.node(
        "Resize", s.input(1, 2, 4, 4), "", s.input(4, name="b"), mode="nearest"
    ),
    "resized in part": lambda s: s.node(
        "Resize", s.input(1, 2, 4, 4), s.constant(F32([0] * 4 + [1] * 4)),
        s.constant(F32([1, 1, 2, 2])), coordinate_transformation_mode="tf_crop_and_resize",
    ),
    "rows at random": lambda s: s.node("DepthToSpace", s.input(1, 6, 4, 4), blocksize=2),
    **{
        f"element {each}": lambda s, each=each: _pair(s, each)
        for each in (
            TensorProto.INT4, TensorProto.UINT4, TensorProto.INT16, TensorProto.UINT16,
            TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2FNUZ, TensorProto.FLOAT16,
            TensorProto.BFLOAT16, TensorProto.INT64,
        )
    },
    "element 6, with a zero": lambda s: _zero(s, np.int32(1), np.ones((4, 2), np.int32)),
    "a zero of another type": lambda s: _zero(s, np.uint8(1), np.ones((4, 2), np.int8)),
    "three scales": lambda s: _scales(s, (4, 2), [0.1, 0.2, 0.3], 0),
    "scales of two axes": lambda s: _scales(s, (4, 2), [[0.1, 0.2]], 1),
    "scales behind the last axis": lambda s: _scales(s, (4, 2), [0.1, 0.2], 2),
    "scales before the first axis": lambda s: _scales(s, (4, 2), [0.1, 0.2], -3),
    "a scale of 0": lambda s: _scales(s, (4, 2), [0.1, 0.0], 1),
    "six axes": lambda s: s.node(
        "Tanh",
        s.node("Transpose", s.node("Reshape", s.input(1, 4, 8, 16), s.constant([1, 2, 2, 4, 4, 8])),
               perm=[0, 5, 2, 4, 1, 3]),
    ),
    "out of range": lambda s: s.node(
        "Mul", s.node("Mul", s.conv(s.input(1, 2, 2, 2), (2, 2, 1, 1)), s.constant(F32(3e38))),
        s.constant(F32(1e9)),
    ),
}  # fmt: skip


def nodes() -> Iterator[Case]:
    for name, build in NODES.items():
        s = ModelBuilder(
            2, opset=21 if name.startswith(("element", "two parts", "resized")) else 17
        )
        made = build(s)
        model = s.model(*((made,) if isinstance(made, str) else made), checked=False)
        if any(node.domain for node in model.graph.node):
            model.opset_import.append(helper.make_opsetid("org.own", 1))
        yield name, model, {}


def quantized() -> Iterator[Case]:
    s = QdqBuilder(1)
    other = s.dq(s.q(s.input(1, 4), 0.03, 1), 0.0500001, 1)
    yield "other scales", s.model(s.relu(other)), {}
    s = QdqBuilder(2, kind=np.uint8)
    other = s.dq(s.q(s.input(1, 4), 0.03, 100), 0.03, 101)
    yield "other zeros", s.model(s.relu(other)), {}
    s = QdqBuilder(3)
    yield "read from nowhere", s.model(s.dq(s.node("Cast", s.input(1, 4), to=3), 0.03)), {}
    s = QdqBuilder(4)
    x = s.q(s.input(1, 4), 0.03)
    yield "arithmetic", s.model(s.node("Cast", s.node("Add", x, x), to=1), checked=False), {}
    s = QdqBuilder(5)
    s.node_of("DynamicQuantizeLinear", [s.input(1, 4)], ["steps", "scale", "zero"])
    x = s.node("DequantizeLinear", "steps", "scale", "zero")
    yield "at run time", s.model(x), {}


def inputs() -> Iterator[Case]:
    def sized(*shape: Any) -> onnx.ModelProto:
        s = ModelBuilder(3)
        return s.model(s.relu(s.input(*shape)), checked=False)

    yield "open", sized("N", 3, "height", None), {}
    yield "open channels", sized("N", "C", 4, 4), {}
    yield "open and long", sized("N", 3, 4, 4, "T"), {}
    yield "a batch of two", sized(2, 3), {}
    yield "settled", sized("N", 3, "height", None), {"input_shapes": {"input": (1, 3, 4, 5)}}
    yield "open batch", sized("N", 3), {}
    yield "nameless batch", sized(None, 3), {}
    yield "batch of two", sized("N", 3), {"input_shapes": {"input": (2, 3)}}
    yield "no axis", sized("N", 3), {"input_shapes": {"input": ()}}
    yield "negative", sized("N", "C"), {"input_shapes": {"input": (1, -1)}}
    yield "one element", sized("N", "C"), {"input_shapes": {"input": (1, 1)}}
    yield "axes", sized("N", 3), {"input_shapes": {"input": (1, 3, 1)}}
    yield "contradicted", sized("N", 3), {"input_shapes": {"input": (1, 4)}}
    yield "of eight", sized(8, 3), {"input_shapes": {"input": (1, 3)}}
    yield "names", sized("N", 3), {"input_shapes": {"a": (1, 4), "input": (1, 3), "b": (1,)}}
    s = ModelBuilder(4)
    x = s.node("Add", s.input("N", "C"), s.input("N", "C", name="other"))
    model = s.model(x, checked=False)
    yield "shared symbols", model, {"input_shapes": {"other": (1, 7)}}
    s = ModelBuilder(5)
    x = s.node("Add", s.input("N", "C"), s.input("N", "", name="other"))
    yield "nameless symbols", s.model(x, checked=False), {"input_shapes": {"input": (1, 7)}}
    s = ModelBuilder(6)
    s.input(1, 3, name="idle")
    yield "an idle input", s.model(s.relu(s.input(1, 3)), checked=False), {}
    shapeless = sized("N", 3)
    shapeless.graph.input[0].type.tensor_type.ClearField("shape")
    yield "no shape", shapeless, {}
    yield "shape given", shapeless, {"input_shapes": {"input": (1, 3)}}
    unknown = sized("N", 3)
    yield "softmax", unknown, {"softmax": "nobody"}


def ends() -> Iterator[Case]:
    yield "a tensor", conv_net(), {"cut": ["conv_0_out"]}
    yield "a node", conv_net(), {"cut": ["conv_2", "conv_2"]}
    yield "two ends", conv_net(), {"cut": ["flatten_5_out", "conv_0"]}
    yield "its own end", conv_net(), {"cut": ["output"]}
    yield "close names", conv_net(), {"cut": ["conv_9"]}
    yield "no close name", conv_net(), {"cut": ["x"]}
    yield "no name", conv_net(), {"cut": [""]}
    yield "the host's softmax", conv_net(), {"softmax": "host"}
    s = ModelBuilder(7)
    x = s.node("Softmax", s.gemm(s.input(1, 3), 3, 4))
    yield "one softmax of two ends", s.model(x, s.relu("input")), {"softmax": "host"}
    s = ModelBuilder(8)
    yield "only a softmax", s.model(s.node("Softmax", s.input(1, 3))), {"softmax": "host"}
    s = ModelBuilder(9)
    x = s.gemm(s.input(1, 3), 3, 4)
    yield "a softmax and its logits", s.model(s.node("Softmax", x), x), {"softmax": "host"}
    s = ModelBuilder(10)
    x = s.node("Softmax", s.gemm(s.input(1, 3), 3, 4))
    yield "a softmax read again", s.model(x, s.relu(x)), {"softmax": "host"}
    s = QdqBuilder(11)
    x = s.pair(s.node("Softmax", s.gemm(s.input(1, 3), 3, 4)), 1 / 256, -128)
    yield "a rounded softmax", s.model(x), {"softmax": "host"}
    s = QdqBuilder(12)
    x = s.relu6(s.pair(s.node("Softmax", s.gemm(s.input(1, 3), 3, 4)), 1 / 256, -128))
    yield "a bounded softmax", s.model(x), {"softmax": "host"}
    s = QdqBuilder(13)
    x = s.node("Softmax", s.gemm(s.input(1, 3), 3, 4))
    yield (
        "a softmax read by its rounding",
        s.model(s.pair(x, 1 / 256, -128), x),
        {"softmax": "host"},
    )


def changes() -> Iterator[Case]:
    model = dense_net()
    del model.opset_import[:]
    yield "no version", model, {}
    s = ModelBuilder(10)
    model = s.model(s.gemm(s.input(1, 3), 3, 2))
    for tensor, value in zip(model.graph.initializer, (np.nan, np.inf), strict=True):
        array = onnx.numpy_helper.to_array(tensor).copy()
        array.flat[1] = value
        tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    yield "no numbers", model, {}
    s = ModelBuilder(11)
    x = s.node("Clip", s.input(1, 3), s.constant(F32(-np.inf)), s.constant(F32(np.inf)))
    yield "endless bounds", s.model(x), {}
    for most in (3.4e38, 1e38):
        s = ModelBuilder(11)
        x = s.node("Clip", s.input(1, 3), s.constant(F32(-most)), s.constant(F32(most)))
        yield f"bounds of {most}", s.model(x), {}
    model = dense_net()
    del model.graph.output[:]
    yield "no outputs", model, {}
    model = dense_net()
    for tensor in model.graph.initializer[:2]:
        values = helper.make_tensor(tensor.name, TensorProto.FLOAT, [1], [1.0])
        index = helper.make_tensor("index", TensorProto.INT64, [1], [3])
        model.graph.sparse_initializer.append(
            helper.make_sparse_tensor(values, index, list(tensor.dims))
        )
    yield "sparse", model, {}
    model = dense_net()
    model.graph.output[0].CopyFrom(model.graph.input[0])
    yield "an input as output", model, {}
    s = ModelBuilder(12)
    s.input(1, 3)
    yield "a constant as output", s.model(s.node("Neg", s.weight(1, 3)), checked=False), {}
    s = ModelBuilder(13)
    model = s.model(s.relu(s.input(1, 3)))
    double = onnx.numpy_helper.from_array(np.ones(3), "double")
    model.graph.initializer.append(double)
    yield "an idle float64", model, {}
    s = ModelBuilder(14)
    x = s.node("Cast", s.constant(np.ones(3)), to=1)
    yield "a float64 that is cast", s.model(s.node("Add", s.input(1, 3), x)), {}
    s = ModelBuilder(15)
    fill = s.node("ConstantOfShape", s.constant([1 << 13, 1 << 12]))
    yield "a huge constant", s.model(s.node("Add", s.input(1, 3), fill), checked=False), {}


def newer() -> Iterator[Case]:
    """Nodes of an operator set that is not known, which say what a known one could not."""
    model = dense_net()
    model.opset_import[0].version = 28
    for node in model.graph.node:
        node.attribute.append(helper.make_attribute("later", 1))
    yield "later attributes", model, {}
    for count in (8, 9):
        s = ModelBuilder(9, opset=21)
        x = s.input(1, 4)
        for _ in range(count):
            x = s.relu(x)
        model = s.model(x)
        model.opset_import[0].version = 28
        for node in model.graph.node:
            node.input.append("")
        yield f"{count} of more inputs", model, {}
    s = ModelBuilder(9, opset=21)
    s.node_of("Relu", [s.input(1, 4)], ["first", "second"])
    model = s.model("first", checked=False)
    model.opset_import[0].version = 28
    yield "more outputs", model, {}


@pytest.mark.skipif(defs.onnx_opset_version() < NEWEST_OPSET, reason="knows less than deployer")
def test_newer_operators_are_refused_as_pinned(tmp_path: Path) -> None:
    lines = [told_or_refused(told, model, tmp_path, **more) for told, model, more in newer()]
    pinned(FOLDER / "refusals-newer.txt", "\n".join(lines))


@pytest.mark.parametrize("draw", [nodes, quantized, inputs, ends, changes])
def test_refusals_are_those_pinned(draw: Any, tmp_path: Path) -> None:
    lines = [told_or_refused(told, model, tmp_path, **more) for told, model, more in draw()]
    pinned(FOLDER / f"refusals-{draw.__name__}.txt", "\n".join(lines))
