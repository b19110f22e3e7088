"""Quantized networks of five kinds: the integers are ONNX Runtime's.

The runtime computes pair by pair in float (``qdq.runtime``): its optimized kernels saturate on some
processors. What a rounding to the nearest leaves open, ties and the last bits of float sums, is
what the shares allow for.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import synthetic_samples
from models import ModelBuilder
from qdq import QdqBuilder, expected, integer_steps, samples_for, save
from runtime_quantizer import quantized_by_runtime


def prelu_heads_net() -> onnx.ModelProto:
    """MTCNN's style: PReLU, max-pools, dense layers, a softmax beside a second head."""
    s = ModelBuilder(11)
    x = s.conv(s.input(1, 3, 14, 14), (8, 3, 3, 3))
    x = s.node("PRelu", x, s.constant(s.rng.uniform(0, 0.4, (8, 1, 1)).astype(np.float32)))
    x = s.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])
    x = s.conv(x, (12, 8, 3, 3))
    x = s.node("PRelu", x, s.constant(s.rng.uniform(0, 0.4, (12, 1, 1)).astype(np.float32)))
    x = s.relu(s.gemm(s.node("Flatten", x), 108, 16))
    return s.model(s.node("Softmax", s.gemm(x, 16, 2), axis=1), s.gemm(x, 16, 4))


def _filters(s: ModelBuilder, *shape: int) -> tuple[str, str]:
    """Weights and bias behind a batch norm with channels that hardly matter and some that grow:
    multipliers from far below 2^-16 to above 1/2."""
    size = np.exp(s.rng.normal(0, 0.5, shape[0]))
    size[::5] = [10.0 ** -(2 + n) for n in range(len(size[::5]))]
    size[1::5] *= 6
    weights = s.rng.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape)
    bias = s.rng.normal(0, 0.4, shape[0]).astype(np.float32)
    scaled = weights * size.reshape(-1, *[1] * (len(shape) - 1))
    return s.constant(scaled.astype(np.float32)), s.constant(bias)


def inverted_residual_net() -> onnx.ModelProto:
    """EfficientNet-lite's blocks, ReLU6, with the batch norms of trained networks."""
    s = ModelBuilder(12)
    x = s.relu6(s.conv(s.input(1, 3, 16, 16), (8, 3, 3, 3), strides=[2, 2], pads=[1] * 4))
    for _ in range(2):
        y = s.relu6(s.node("Conv", x, *_filters(s, 24, 8, 1, 1)))
        y = s.relu6(s.node("Conv", y, *_filters(s, 24, 1, 3, 3), group=24, pads=[1] * 4))
        x = s.node("Add", x, s.conv(y, (8, 24, 1, 1)))
    x = s.node("Flatten", s.node("GlobalAveragePool", s.relu6(s.conv(x, (32, 8, 1, 1)))))
    return s.model(s.gemm(x, 32, 10))


def detector_net() -> onnx.ModelProto:
    """Swish, an upsampled branch joined with another at another scale, sigmoid heads."""
    s = ModelBuilder(13)
    x = s.conv(s.input(1, 3, 16, 16), (8, 3, 3, 3), strides=[2, 2], pads=[1] * 4)
    x = s.node("Mul", x, s.node("Sigmoid", x))
    y = s.node("LeakyRelu", s.conv(x, (12, 8, 3, 3), strides=[2, 2], pads=[1] * 4), alpha=0.1)
    scales = s.constant(np.float32([1, 1, 2, 2]))
    grid = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    up = s.node("Resize", y, "", scales, mode="nearest", **grid)
    x = s.node("Concat", x, up, axis=1)
    x = s.relu(s.conv(x, (8, 20, 3, 3), pads=[1] * 4))
    return s.model(s.node("Sigmoid", s.conv(x, (5, 8, 1, 1))))


def sequence_net() -> onnx.ModelProto:
    """One axis, depthwise and pointwise, dense layers."""
    s = ModelBuilder(14)
    x = s.relu(s.conv(s.input(1, 4, 32), (8, 4, 5), strides=[2], pads=[2, 2]))
    x = s.relu(s.conv(x, (8, 1, 3), group=8, pads=[1, 1]))
    x = s.relu(s.conv(x, (12, 8, 1)))
    x = s.relu(s.gemm(s.node("Flatten", x), 192, 16))
    return s.model(s.gemm(x, 16, 6))


def torch_net() -> onnx.ModelProto:
    """As PyTorch writes fake quantization: uint8, zero points behind Identity, float weights
    behind a pair that is not folded, float biases; a transposed convolution."""
    s = QdqBuilder(15, kind=np.uint8)

    def fake(x: str, scale: float, zero: int) -> str:
        step, number = s.numbers(scale, zero)
        numbers = (step, s.node("Identity", number))
        return s.node("DequantizeLinear", s.node("QuantizeLinear", x, *numbers), *numbers)

    def weights(*shape: int, axis: int = 0) -> str:
        real = s.rng.normal(0, 0.1, shape).astype(np.float32)
        others = tuple(i for i in range(len(shape)) if i != axis)
        scales = (np.abs(real).max(axis=others) / 127).astype(np.float32)
        numbers = s.numbers(scales, np.zeros(len(scales)), np.int8)
        held = s.node("QuantizeLinear", s.constant(real), *numbers, axis=axis)
        return s.node("DequantizeLinear", held, *numbers, axis=axis)

    def bias(channels: int) -> str:
        return s.constant(s.rng.normal(0, 0.1, channels).astype(np.float32))

    x = fake(s.input(1, 3, 12, 12), 0.0271, 121)
    x = s.relu(s.node("Conv", x, weights(8, 3, 3, 3), bias(8), strides=[2, 2], pads=[1] * 4))
    x = fake(x, 0.0093, 0)
    y = fake(s.node("Conv", x, weights(8, 8, 3, 3), bias(8), pads=[1] * 4), 0.0117, 96)
    x = fake(s.node("Add", x, y), 0.0163, 71)
    x = s.node("ConvTranspose", x, weights(8, 6, 2, 2, axis=1), bias(6), strides=[2, 2])
    x = fake(s.relu(x), 0.0081, 0)
    return s.model(fake(s.node("Conv", x, weights(2, 6, 1, 1), bias(2)), 0.0052, 140))


RUNTIME = {
    net.__name__: net
    for net in (prelu_heads_net, inverted_residual_net, detector_net, sequence_net)
}
STYLES = ("qdq per channel", "qdq uint8")


def agreement(path: Path, count: int = 48) -> list[tuple[float, float]]:
    """Of each output the share of elements that equal the runtime's and that are within a step."""
    graph = import_model(path, softmax="device")
    integer = quantize(graph, synthetic_samples(graph), QuantOptions()).graph
    feeds = samples_for(graph, count)
    wanted, found = expected(path, feeds), integer_steps(integer, feeds)
    shares = []
    for mine, theirs in zip(graph.outputs, wanted.values(), strict=True):
        step = integer.values[mine].q.tensor_scale
        away = np.abs(found[mine] - theirs.reshape(found[mine].shape)) / step
        shares.append((float((away < 0.5).mean()), float((away < 1.5).mean())))
    return shares


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", RUNTIME)
def test_networks_of_the_runtimes_quantizer(name: str, style: str, tmp_path: Path) -> None:
    for equal, near in agreement(quantized_by_runtime(RUNTIME[name](), style, tmp_path)):
        assert equal >= 0.99
        assert near >= 0.999


def test_a_network_as_pytorch_writes_it(tmp_path: Path) -> None:
    ((equal, near),) = agreement(save(torch_net(), tmp_path))
    assert equal >= 0.99
    assert near >= 0.999
