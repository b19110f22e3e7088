"""Float definitions against ONNX Runtime, whose tensors are NCHW."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from deployer.ir.attrs import (
    BlockAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    Pads,
    PointAttrs,
    ResizeAttrs,
    TableAttrs,
    Window,
)
from deployer.ir.graph import Node
from deployer.numerics import floating

OPSET = 18
SHAPE = (2, 3, 4, 4)  # NCHW


def in_onnx(op: str, *inputs: np.ndarray, **attributes: Any) -> np.ndarray:
    """The output of one ONNX node; inputs of size zero are left out."""
    names = [f"x{i}" if array.size else "" for i, array in enumerate(inputs)]
    feeds = {name: array for name, array in zip(names, inputs, strict=True) if name}
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)],
        "one",
        [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in feeds.items()
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, feeds)[0]


def ours(op: str, attrs: Any, x: np.ndarray, *constants: np.ndarray) -> np.ndarray:
    """NCHW in, NCHW out."""
    names = tuple(f"x{i}" for i in range(1 + len(constants)))
    node = Node("n", op, names, ("y",), attrs)
    return floating.evaluate(node, [x.transpose(0, 2, 3, 1), *constants]).transpose(0, 3, 1, 2)


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def check(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("kernel", "stride", "dilation", "pads", "extra", "groups"),
    [
        ((2, 2), (2, 2), (1, 1), (0, 0, 0, 0), (0, 0), 1),
        ((3, 3), (2, 2), (1, 1), (1, 1, 1, 1), (1, 1), 1),
        ((4, 4), (2, 2), (1, 1), (1, 1, 1, 1), (0, 0), 2),
        ((3, 2), (1, 3), (2, 1), (2, 0, 0, 1), (0, 2), 1),
        ((1, 5), (3, 1), (1, 2), (0, 3, 0, 2), (2, 0), 4),
        ((3, 3), (3, 2), (3, 3), (4, 0, 1, 3), (2, 1), 2),
    ],
)
def test_transposed_convolution(
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    pads: tuple[int, int, int, int],
    extra: tuple[int, int],
    groups: int,
) -> None:
    x, bias = noise(2, 8, 5, 4), noise(4 * groups, seed=1)
    weights = noise(8, 4, *kernel, seed=2)  # input channels, output channels of a group
    expected = in_onnx(
        "ConvTranspose",
        *(x, weights, bias),
        strides=stride,
        dilations=dilation,
        pads=pads,
        output_padding=extra,
        group=groups,
    )
    window = Window(kernel, stride, dilation, Pads(*pads))
    attrs = ConvTransposeAttrs(window, expected.shape[2:], groups)
    split = weights.reshape(groups, 8 // groups, 4, *kernel).transpose(0, 2, 3, 4, 1)
    ohwi = split.reshape(4 * groups, *kernel, 8 // groups)
    check(ours("ConvTranspose2d", attrs, x, ohwi, bias), expected)


@pytest.mark.parametrize("placement", ["half_pixel", "asymmetric"])
@pytest.mark.parametrize("factors", [(1, 2), (2, 2), (4, 1), (8, 4)])
def test_linear_resize(factors: tuple[int, int], placement: str) -> None:
    x, none = noise(*SHAPE), np.empty(0, dtype=np.float32)
    scales = np.array([1, 1, *factors], dtype=np.float32)
    expected = in_onnx(
        "Resize", x, none, scales, mode="linear", coordinate_transformation_mode=placement
    )
    attrs = ResizeAttrs(factors, "linear", half_pixel=placement == "half_pixel")
    check(ours("Resize", attrs, x), expected)


@pytest.mark.parametrize("factors", [(1, 2), (3, 2), (5, 4)])
@pytest.mark.parametrize(
    ("placement", "rounding"),
    [("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"), ("half_pixel", "floor")],
)
def test_nearest_resize(factors: tuple[int, int], placement: str, rounding: str) -> None:
    """Whole factors: only half_pixel with floor means other pixels."""
    x, none = noise(*SHAPE), np.empty(0, dtype=np.float32)
    expected = in_onnx(
        "Resize",
        *(x, none, np.array([1, 1, *factors], dtype=np.float32)),
        mode="nearest",
        coordinate_transformation_mode=placement,
        nearest_mode=rounding,
    )
    same = np.array_equal(ours("Resize", ResizeAttrs(factors), x), expected)
    assert same == (rounding != "floor" or placement == "asymmetric")


@pytest.mark.parametrize("order", ["DCR", "CRD"])
def test_depth_to_space(order: str) -> None:
    x = noise(2, 18, 2, 3)
    expected = in_onnx("DepthToSpace", x, blocksize=3, mode=order)
    found = ours("DepthToSpace", BlockAttrs(3, column_first=order == "CRD"), x)
    assert np.array_equal(found, expected)


def test_space_to_depth() -> None:
    x = noise(*SHAPE)
    expected = in_onnx("SpaceToDepth", x, blocksize=2)
    assert np.array_equal(ours("SpaceToDepth", BlockAttrs(2), x), expected)


@pytest.mark.parametrize(
    ("op", "function", "attributes"),
    [
        ("Sigmoid", "sigmoid", {}),
        ("HardSigmoid", "hard_sigmoid", {"alpha": 0.3, "beta": 0.4}),
        ("Tanh", "tanh", {}),
        ("HardSwish", "hard_swish", {}),
        ("LeakyRelu", "leaky_relu", {"alpha": 0.1}),
        ("Elu", "elu", {"alpha": 1.5}),
        ("Exp", "exp", {}),
        ("Abs", "abs", {}),
    ],
)
def test_functions(op: str, function: str, attributes: dict[str, float]) -> None:
    x = noise(*SHAPE) * 4
    check(ours("Table", TableAttrs(function, **attributes), x), in_onnx(op, x, **attributes))


def test_prelu() -> None:
    x, slope = noise(*SHAPE), noise(3, 1, 1, seed=3)
    check(ours("PRelu", PointAttrs(), x, slope.ravel()), in_onnx("PRelu", x, slope))


def test_multiplication_by_a_pixel() -> None:
    x, pixel = noise(*SHAPE), noise(2, 3, 1, 1, seed=4)
    found = ours("Mul", PointAttrs(), x, pixel.transpose(0, 2, 3, 1))
    check(found, in_onnx("Mul", x, pixel))


def test_pad() -> None:
    x = noise(*SHAPE)
    pads = np.array([0, 1, 2, 0, 0, 0, 1, 3], dtype=np.int64)
    expected = in_onnx("Pad", x, pads, np.array(-1.5, dtype=np.float32))
    assert np.array_equal(ours("Pad", PadAttrs((0, 2, 0, 1), (0, 1, 3, 0), -1.5), x), expected)
