"""Damaged files give a ModelError or a graph, never another exception."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.errors import ModelError
from deployer.frontend.onnx_import import import_model
from models import Sketch, conv_net


def subject() -> bytes:
    """A small file with much structure and few weight bytes, so that mutations hit structure."""
    s = Sketch(1)
    x = s.relu6(s.batch_norm(s.conv(s.input("N", 1, 6, 5), (2, 1, 2, 2), pads=[0, 0, 1, 1]), 2))
    x = s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 1], ceil_mode=1)
    x = s.node("Pad", x, s.constant([0, 0, 1, 0, 0, 0, 0, 1]))
    x = s.node("AveragePool", x, kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    x = s.node("Transpose", x, perm=[0, 1, 3, 2])
    batch = s.node("Slice", s.node("Shape", x), s.constant([0]), s.constant([1]))
    shape = s.node("Concat", batch, s.constant([-1]), axis=0)
    x = s.node("Reshape", x, shape)
    return s.model(s.node("Softmax", s.gemm(x, 40, 2))).SerializeToString()


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """One to three changed, removed, inserted or repeated stretches of ``data``."""
    body = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        where, length = int(rng.integers(len(body))), int(rng.integers(1, 9))
        kind = rng.integers(4)
        if kind == 0:
            body[where] = int(rng.integers(256))
        elif kind == 1:
            del body[where : where + length]
        elif kind == 2:
            body[where:where] = rng.bytes(length)
        else:
            body[where] ^= 1 << int(rng.integers(8))
    return bytes(body)


NUMBERS = (-(2**62), -2, -1, 0, 1, 2, 3, 5, 100, 2**20, 2**31, 2**62)
KINDS = (
    *("Sigmoid", "Squeeze", "Unsqueeze", "ReduceMean", "GlobalAveragePool", "Sub", "Div", "Mul"),
    *("Add", "MatMul", "Softmax", "Expand", "Tile", "Range", "ConstantOfShape", "Flatten"),
)


def rewired(data: bytes, rng: np.random.Generator) -> bytes:
    """A well-formed file with another operator, operand, attribute, dimension or version."""
    model = onnx.ModelProto.FromString(data)
    nodes = model.graph.node
    node = nodes[rng.integers(len(nodes))]
    kind = rng.integers(6)
    if kind == 0:
        change_attribute(node, rng)
    elif kind == 1:
        values = [*(name for other in nodes for name in other.output), "input", ""]
        values += [tensor.name for tensor in model.graph.initializer]
        node.input[rng.integers(len(node.input))] = values[rng.integers(len(values))]
    elif kind == 2:
        node.op_type = KINDS[rng.integers(len(KINDS))]
    elif kind == 3:
        reshape_tensor(model.graph.initializer, rng)
    elif kind == 4:
        dims = model.graph.input[0].type.tensor_type.shape.dim
        dims[rng.integers(len(dims))].dim_value = NUMBERS[rng.integers(len(NUMBERS))]
    else:
        model.opset_import[0].version = int(rng.integers(5, 25))
    return model.SerializeToString()


def change_attribute(node: onnx.NodeProto, rng: np.random.Generator) -> None:
    number = NUMBERS[rng.integers(len(NUMBERS))]
    for attribute in node.attribute:
        attribute.i = number
        if attribute.ints:
            attribute.ints[rng.integers(len(attribute.ints))] = number


def reshape_tensor(tensors: Any, rng: np.random.Generator) -> None:
    """Another shape, no elements, or one wild number."""
    tensor = tensors[rng.integers(len(tensors))]
    array = onnx.numpy_helper.to_array(tensor).copy()
    kind = rng.integers(3)
    if kind == 2 and array.size:
        array.flat[0] = (-5, 10**9, 0)[rng.integers(3)]
    elif array.ndim:
        array = array.reshape(-1) if kind else array[..., :0]
    tensor.CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def survives(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    try:
        import_model(path)
    except ModelError:
        return False
    return True


@pytest.mark.filterwarnings("error")
def test_mutated_models(tmp_path: Path) -> None:
    rng, data = np.random.default_rng(5), subject()
    assert survives(tmp_path / "model.onnx", data)
    results = [survives(tmp_path / "model.onnx", mutated(data, rng)) for _ in range(300)]
    assert any(results)
    assert not all(results)


@pytest.mark.filterwarnings("error")
def test_rewired_models(tmp_path: Path) -> None:
    rng, data = np.random.default_rng(6), subject()
    results = [survives(tmp_path / "model.onnx", rewired(data, rng)) for _ in range(300)]
    assert any(results)
    assert not all(results)


def test_truncated_models(tmp_path: Path) -> None:
    data = conv_net().SerializeToString()
    for length in np.linspace(1, len(data) - 1, 60).astype(int):
        assert not survives(tmp_path / "model.onnx", data[:length])
