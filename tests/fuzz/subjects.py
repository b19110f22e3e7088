"""What is mutated: small models with much structure, of every exporter, format and operator.

The bytes of each by name. The zoo's are narrow and of low resolution, so that a mutation hits
structure and a run takes a second.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from onnx import ModelProto

import exporters
import models
import qdq
from deployer.tools.zoo.build import draw, save
from deployer.tools.zoo.catalog import find
from models import ModelBuilder

_ROOT = Path(__file__).resolve().parents[2]
# Name, width, resolution and style.
_ZOO = (
    ("ds-cnn", 0.25, None, "dynamo"),
    ("resnet8", 0.25, (16, 16), "torchscript"),
    ("mobilenetv1", 0.1, (32, 32), "plain"),
    ("mobilenetv2", 0.1, (32, 32), "torchscript"),
    ("mobilenetv3-small", 0.1, (32, 32), "dynamo"),
    ("squeezenet1.1", 0.1, (48, 48), "plain"),
    ("unet", 0.1, (32, 32), "plain"),
    ("upydnet", 0.5, (32, 32), "plain"),
)


def subjects() -> dict[str, bytes]:
    """Every model's file by name."""
    made = {**dict(_small()), **dict(_zoo())}
    made["mnist"] = (_ROOT / "docs" / "examples" / "mnist" / "mnist_dscnn.onnx").read_bytes()
    return made


def _small() -> Iterator[tuple[str, bytes]]:
    yield from ((name, _bytes(model)) for name, model in models.all_nets().items())
    for export in (exporters.torch_legacy, exporters.torch_dynamo, exporters.paddle):
        yield export.__name__, _bytes(export())
    yield "tf2onnx", _bytes(exporters.tf2onnx(blocks=1))
    yield "tflite", _bytes(exporters.tflite())
    yield "qdq_int8", _bytes(qdq.small_conv_net())
    yield "qdq_uint8", _bytes(qdq.small_conv_net(kind=np.uint8))
    yield "brevitas", _bytes(qdq.brevitas_net(lambda power: 2.0**-power))
    yield "windows", _bytes(_windows())
    yield "decoder", _bytes(_decoder())
    yield "sequence", _bytes(_sequence())
    yield "movers", _bytes(_movers())


def _bytes(model: ModelProto) -> bytes:
    return model.SerializeToString(deterministic=True)


def _zoo() -> Iterator[tuple[str, bytes]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, width, resolution, style in _ZOO:
            path = Path(folder) / "net.onnx"
            save(
                draw(name, width=width, resolution=resolution, classes=_classes(name)),
                path,
                style=style,
            )
            yield f"{name}-{style}", path.read_bytes()


def _classes(name: str) -> int | None:
    return 10 if find(name).classes else None


def _windows() -> ModelProto:
    """Every attribute of windows, and shape arithmetic."""
    s = ModelBuilder(1)
    x = s.relu6(s.batch_norm(s.conv(s.input("N", 1, 6, 5), (2, 1, 2, 2), pads=[0, 0, 1, 1]), 2))
    x = s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 1], ceil_mode=1)
    x = s.node("Pad", x, s.constant([0, 0, 1, 0, 0, 0, 0, 1]))
    x = s.node("AveragePool", x, kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    x = s.node("Transpose", x, perm=[0, 1, 3, 2])
    batch = s.node("Slice", s.node("Shape", x), s.constant([0]), s.constant([1]))
    x = s.node("Reshape", x, s.node("Concat", batch, s.constant([-1]), axis=0))
    return s.model(s.node("Softmax", s.gemm(x, 40, 2)))


def _decoder() -> ModelProto:
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
    x = s.node("Pad", x, s.constant([0] * 3 + [1] + [0] * 3 + [3]))
    x = s.node("DepthToSpace", s.node("SpaceToDepth", x, blocksize=2), blocksize=2, mode="CRD")
    return s.model(s.node("Elu", x))


def _sequence() -> ModelProto:
    """One spatial axis."""
    s = ModelBuilder(3)
    x = s.relu(s.conv(s.input("N", 3, 16), (4, 3, 3), strides=[2], pads=[1, 1]))
    x = s.node("MaxPool", x, kernel_shape=[2], strides=[2])
    x = s.node("Mul", x, s.node("Tanh", s.node("Softplus", x)))
    x = s.node("Transpose", x, perm=[0, 2, 1])
    return s.model(s.node("Reshape", x, s.constant([1, -1])))


def _movers() -> ModelProto:
    """Elements picked and turned: Gather, GatherND, steps, a flat view and back."""
    s = ModelBuilder(4)
    x = s.relu(s.conv(s.input(1, 3, 8, 8), (8, 3, 3, 3), pads=[1, 1, 1, 1]))
    x = s.node("Gather", x, s.constant(np.int64([0, 4, 1, 5, 2, 6, 3, 7])), axis=1)
    steps = (np.int64([-1, 0]), np.int64([-(2**62), 8]), np.int64([2, 3]), np.int64([-1, 2]))
    x = s.node("Slice", x, *(s.constant(numbers) for numbers in steps))
    x = s.node("Transpose", x, perm=[1, 0, 2, 3])
    x = s.node("GatherND", x, s.constant(np.int64([[2], [3], [4], [5]])))
    x = s.node("Transpose", x, perm=[1, 0, 2, 3])
    x = s.node("GlobalAveragePool", x)
    x = s.node("Gather", s.node("Reshape", x, s.constant(np.int64([-1]))), s.constant(np.arange(4)))
    return s.model(s.gemm(s.node("Reshape", x, s.constant(np.int64([1, 4]))), 4, 3))
