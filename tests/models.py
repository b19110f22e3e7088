"""Small ONNX models with fixed seeds, for every test that needs a network.

Weights are scaled like a trained network's, so that activations keep a range near 1. The input is
named ``input``, the output ``output``; both are in ONNX layout (NCHW) with batch 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper, shape_inference

OPSET = 17


class ModelBuilder:
    """Writes a model line by line: each method returns the name of the value it adds."""

    def __init__(self, seed: int = 0, opset: int = OPSET):
        self.rng = np.random.default_rng(seed)
        self.opset = opset
        self._inputs: list[Any] = []
        self._weights: list[TensorProto] = []
        self._nodes: list[Any] = []

    def input(self, *shape: int | str, name: str = "input") -> str:
        self._inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, array: Any, name: str = "") -> str:
        name = name or f"constant_{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape: int) -> str:
        """Seeded normal weights; their size falls with the number of inputs of a channel."""
        spread = 1 / np.sqrt(max(1, np.prod(shape[1:])))
        return self.constant(self.rng.normal(0, spread, shape).astype(np.float32))

    def node(self, kind: str, *inputs: str, output: str = "", **attrs: Any) -> str:
        output = output or f"{kind.lower()}_{len(self._nodes)}_out"
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], name=name, **attrs))
        return output

    def node_of(self, kind: str, inputs: list[str], outputs: list[str], **attrs: Any) -> None:
        """A node with several outputs."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, outputs, name=name, **attrs))

    def conv(self, x: str, weights: tuple[int, ...], *, bias: bool = True, **attrs: Any) -> str:
        """Conv with seeded weights of shape OIHW."""
        inputs = [x, self.weight(*weights)] + ([self.weight(weights[0])] if bias else [])
        return self.node("Conv", *inputs, **attrs)

    def gemm(self, x: str, inputs: int, outputs: int) -> str:
        """What PyTorch writes for Linear."""
        return self.node("Gemm", x, self.weight(outputs, inputs), self.weight(outputs), transB=1)

    def batch_norm(self, x: str, channels: int) -> str:
        gamma, variance = (self.rng.uniform(0.5, 1.5, channels) for _ in range(2))
        beta, mean = (self.rng.normal(0, 0.5, channels) for _ in range(2))
        numbers = [self.constant(n.astype(np.float32)) for n in (gamma, beta, mean, variance)]
        return self.node("BatchNormalization", x, *numbers)

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def relu6(self, x: str) -> str:
        return self.node("Clip", x, self.constant(np.float32(0)), self.constant(np.float32(6)))

    def model(self, *results: str, checked: bool = True) -> ModelProto:
        """The finished model; a single result is renamed to ``output``."""
        if len(results) == 1:
            self._rename(results[0], "output")
            results = ("output",)
        outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in results]
        graph = helper.make_graph(self._nodes, "test", self._inputs, outputs, self._weights)
        opsets = [helper.make_opsetid("", self.opset)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        if checked:  # older releases of the library end the process over some that are broken
            model = shape_inference.infer_shapes(model)
            checker.check_model(model)
        return model

    def _rename(self, old: str, new: str) -> None:
        for node in self._nodes:
            for names in (node.input, node.output):
                names[:] = [new if name == old else name for name in names]


def conv_net(seed: int = 1) -> ModelProto:
    """Convolutions with asymmetric pads, a stride and ReLU6, global pooling, Gemm, Softmax."""
    s = ModelBuilder(seed)
    x = s.input(1, 3, 12, 11)
    x = s.relu(s.conv(x, (8, 3, 3, 3), strides=[2, 2], pads=[0, 0, 1, 1]))
    x = s.relu6(s.conv(x, (12, 8, 1, 1), bias=False))
    x = s.node("Flatten", s.node("GlobalAveragePool", x))
    return s.model(s.node("Softmax", s.gemm(x, 12, 5)))


def residual_net(seed: int = 2) -> ModelProto:
    """Two residual blocks, one of them with a strided shortcut; average pool; dense head."""
    s = ModelBuilder(seed)
    x = s.input(1, 3, 12, 12)
    x = s.relu(s.conv(x, (8, 3, 3, 3), pads=[1, 1, 1, 1]))
    y = s.conv(s.relu(s.conv(x, (8, 8, 3, 3), pads=[1, 1, 1, 1])), (8, 8, 3, 3), pads=[1] * 4)
    x = s.relu(s.node("Add", y, x))
    y = s.relu(s.conv(x, (12, 8, 3, 3), strides=[2, 2], pads=[0, 0, 1, 1]))
    y = s.conv(y, (12, 12, 3, 3), pads=[1, 1, 1, 1])
    x = s.relu(s.node("Add", s.conv(x, (12, 8, 1, 1), strides=[2, 2]), y))
    x = s.node("Flatten", s.node("AveragePool", x, kernel_shape=[6, 6]))
    return s.model(s.gemm(x, 12, 5))


def depthwise_net(seed: int = 3) -> ModelProto:
    """Depthwise separable blocks, one with two outputs per channel, and separate batch norm."""
    s = ModelBuilder(seed)
    x = s.input(1, 1, 13, 10)
    x = s.conv(x, (6, 1, 5, 4), strides=[2, 2], pads=[2, 1, 2, 2], bias=False)
    x = s.relu(s.batch_norm(x, 6))
    x = s.conv(x, (12, 1, 3, 3), group=6, pads=[1, 1, 1, 1])
    x = s.relu6(s.batch_norm(x, 12))
    x = s.relu(s.conv(x, (9, 12, 1, 1)))
    x = s.relu(s.conv(x, (9, 1, 3, 3), group=9, strides=[2, 2], pads=[1, 1, 1, 1]))
    x = s.node("ReduceMean", x, axes=[2, 3], keepdims=0)
    return s.model(s.gemm(x, 9, 4))


def dense_net(seed: int = 4) -> ModelProto:
    """A dense autoencoder with batch norm behind its first layer."""
    s = ModelBuilder(seed)
    x = s.input(1, 20)
    x = s.relu(s.batch_norm(s.gemm(x, 20, 16), 16))
    x = s.relu(s.gemm(x, 16, 4))
    x = s.relu(s.gemm(x, 4, 16))
    return s.model(s.gemm(x, 16, 20))


def pools_net(seed: int = 5) -> ModelProto:
    """Every kind of pool between convolutions, then a dense layer over the remaining image."""
    s = ModelBuilder(seed)
    x = s.relu(s.conv(s.input(1, 2, 15, 13), (5, 2, 3, 3)))
    x = s.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    x = s.conv(x, (6, 5, 3, 3), pads=[1, 1, 1, 1])
    x = s.node("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
    x = s.node("AveragePool", x, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1])
    x = s.relu(x)
    return s.model(s.gemm(s.node("Flatten", x), 6 * 4 * 3, 7))


def image_net(seed: int = 6) -> ModelProto:
    """An image in, an image out: rank 4 at both ends, grouped and dilated convolutions."""
    s = ModelBuilder(seed)
    x = s.relu(s.conv(s.input(1, 4, 9, 8), (8, 2, 3, 3), group=2, pads=[1, 1, 1, 1]))
    return s.model(s.conv(x, (3, 8, 3, 3), dilations=[2, 2], pads=[2, 2, 2, 2]))


def all_nets() -> dict[str, ModelProto]:
    """Every builder's model by name."""
    builders = (conv_net, residual_net, depthwise_net, dense_net, pools_net, image_net)
    return {builder.__name__: builder() for builder in builders}
