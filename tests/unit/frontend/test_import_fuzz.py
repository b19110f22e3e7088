"""Damaged files give a ModelError or a graph, never another exception.

DEPLOYER_FUZZ=10000 sets how many files are tried; each has 10 s and all have 2 GiB.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from calls import calls
from deployer.errors import ModelError
from deployer.frontend.onnx_import import import_model
from exporters import tf2onnx, tflite, torch_dynamo, torch_legacy
from models import ModelBuilder, conv_net


def subject() -> bytes:
    """A small file with much structure and few weight bytes, so that mutations hit structure."""
    s = ModelBuilder(1)
    x = s.relu6(s.batch_norm(s.conv(s.input("N", 1, 6, 5), (2, 1, 2, 2), pads=[0, 0, 1, 1]), 2))
    x = s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 1], ceil_mode=1)
    x = s.node("Pad", x, s.constant([0, 0, 1, 0, 0, 0, 0, 1]))
    x = s.node("AveragePool", x, kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    x = s.node("Transpose", x, perm=[0, 1, 3, 2])
    batch = s.node("Slice", s.node("Shape", x), s.constant([0]), s.constant([1]))
    shape = s.node("Concat", batch, s.constant([-1]), axis=0)
    x = s.node("Reshape", x, shape)
    return s.model(s.node("Softmax", s.gemm(x, 40, 2))).SerializeToString()


def decoder() -> bytes:
    """What the second half of a U-Net is made of, and blocks, slopes, gates."""
    s = ModelBuilder(2)
    x = s.conv(s.input(1, 2, 6, 6), (4, 1, 3, 3), group=2, pads=[1, 1, 1, 1])
    y = s.node("ConvTranspose", x, s.weight(4, 2, 2, 2), strides=[2, 2], auto_pad="SAME_UPPER")
    z = s.node("Resize", x, "", s.constant(np.float32([1, 1, 2, 2])), mode="linear")
    x = s.node("PRelu", s.node("Concat", y, z, axis=1), s.weight(6, 1, 1))
    x = s.node("Slice", x, s.constant([1, 0]), s.constant([9, 4]), s.constant([2, 1]))
    s.node_of("Split", [x, s.constant([2, 2])], ["a", "b"], axis=1)
    gate = s.node("Sigmoid", s.node("GlobalAveragePool", "b"))
    x = s.node("Sub", s.node("Mul", "a", gate), s.node("LeakyRelu", "b", alpha=0.2))
    x = s.node(
        "SpaceToDepth", s.node("Pad", x, s.constant([0] * 3 + [1] + [0] * 3 + [3])), blocksize=2
    )
    x = s.node("DepthToSpace", x, blocksize=2, mode="CRD")
    return s.model(s.node("Elu", x)).SerializeToString()


def sequence() -> bytes:
    """One spatial axis."""
    s = ModelBuilder(3)
    x = s.relu(s.conv(s.input("N", 3, 16), (4, 3, 3), strides=[2], pads=[1, 1]))
    x = s.node("MaxPool", x, kernel_shape=[2], strides=[2])
    x = s.node("Mul", x, s.node("Tanh", s.node("Softplus", x)))
    x = s.node("Transpose", x, perm=[0, 2, 1])
    return s.model(s.node("Reshape", x, s.constant([1, -1]))).SerializeToString()


SUBJECTS = {
    "windows": subject(),
    "decoder": decoder(),
    "sequence": sequence(),
    "torch_legacy": torch_legacy().SerializeToString(),
    "torch_dynamo": torch_dynamo().SerializeToString(),
    "tf2onnx": tf2onnx(blocks=1).SerializeToString(),
    "tflite": tflite().SerializeToString(),
}
FILES = int(os.environ.get("DEPLOYER_FUZZ", "500"))
MOST, KIBIBYTES = 500_000, 2 << 20  # calls, many times those of a whole model


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
    *(
        "Concat",
        "Split",
        "Slice",
        "Resize",
        "ConvTranspose",
        "DepthToSpace",
        "PRelu",
        "HardSigmoid",
    ),
    *("Transpose", "LeakyRelu", "Max", "Erf", "TopK", "Gather", "SpaceToDepth", "Pad", "Gelu"),
    *("Sigmoid", "Squeeze", "Unsqueeze", "ReduceMean", "GlobalAveragePool", "Sub", "Div", "Mul"),
    *("Add", "MatMul", "Softmax", "Expand", "Tile", "Range", "ConstantOfShape", "Flatten"),
)


def rewired(data: bytes, rng: np.random.Generator) -> bytes:
    """A well-formed file with another operator, operand, attribute, dimension or version."""
    model = onnx.ModelProto.FromString(data)
    nodes = model.graph.node
    reading = [node for node in nodes if node.input]
    node = reading[rng.integers(len(reading))]
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
        array.flat[0] = (-5, 10**4, 0)[rng.integers(3)]
    elif array.ndim:
        array = array.reshape(-1) if kind else array[..., :0]
    tensor.CopyFrom(onnx.numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def truncated(data: bytes, rng: np.random.Generator) -> bytes:
    """A file that breaks off."""
    return data[: int(rng.integers(1, len(data)))]


def survives(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    try:
        calls(lambda: import_model(path), most=MOST)
    except ModelError:
        return False
    return True


def peak() -> int:
    """The most KiB that this process has had, with what ran in it before."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("damage", [mutated, rewired, truncated])
@pytest.mark.parametrize("name", SUBJECTS)
def test_damaged_models(
    name: str, damage: Callable[[bytes, np.random.Generator], bytes], tmp_path: Path
) -> None:
    data = SUBJECTS[name]
    rng, most = np.random.default_rng([len(data), len(damage.__name__)]), max(KIBIBYTES, peak())
    assert survives(tmp_path / "model.onnx", data)
    count = -(-FILES // (3 * len(SUBJECTS)))
    results = [survives(tmp_path / "model.onnx", damage(data, rng)) for _ in range(count)]
    print(f"{name}, {damage.__name__}: {count} files, {sum(results)} imported, the rest refused")
    assert not all(results)
    assert peak() <= most


def test_truncated_networks_are_never_imported(tmp_path: Path) -> None:
    data = conv_net().SerializeToString()
    for length in np.linspace(1, len(data) - 1, 60).astype(int):
        assert not survives(tmp_path / "model.onnx", data[:length])
