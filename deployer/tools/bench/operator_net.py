"""Float graphs of operators side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from deployer.ir import (
    OPS,
    Clamp,
    ConvAttrs,
    ConvTransposeAttrs,
    DType,
    Graph,
    Layout,
    Node,
    PointAttrs,
    PoolAttrs,
    Value,
    Window,
    verify,
)

RELU = Clamp(0.0)


class OperatorNet:
    """Collects float nodes side by side; every method returns the name of the value it made.
    ``told``: values that are outputs although others read them."""

    def __init__(self, name: str):
        self.name = name
        self.rng = np.random.default_rng(0)
        self.values: dict[str, Value] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self.inputs: list[str] = []
        self.told: list[str] = []

    def input(self, *shape: int) -> str:
        """An input of that shape, batch left out."""
        name = f"x{len(self.inputs)}"
        self._value(name, (1, *shape))
        self.inputs.append(name)
        return name

    def conv(self, x: str, channels: int, window: Window, groups: int = 1) -> str:
        depth = self.values[x].shape[3] // groups
        weights = self.weights((channels, *window.kernel, depth), Layout.OHWI, fan=0)
        return self._linear("Conv2d", x, ConvAttrs(window, groups, RELU), weights, channels)

    def depthwise(self, x: str, window: Window, multiplier: int = 1) -> str:
        depth = self.values[x].shape[3]
        channels = depth * multiplier
        weights = self.weights((*window.kernel, channels), Layout.HWC, fan=window.taps)
        attrs = ConvAttrs(window, depth, RELU)
        return self._linear("DepthwiseConv2d", x, attrs, weights, channels)

    def up(self, x: str, channels: int, window: Window) -> str:
        _, height, width, depth = self.values[x].shape
        tall, wide = window.stride
        attrs = ConvTransposeAttrs(window, (height * tall, width * wide))
        weights = self.weights((channels, *window.kernel, depth), Layout.OHWI, fan=0)
        return self._linear("ConvTranspose2d", x, attrs, weights, channels)

    def dense(self, x: str, outputs: int) -> str:
        weights = self.weights((outputs, self.values[x].shape[1]), Layout.OI, fan=0)
        return self._linear("FullyConnected", x, PointAttrs(), weights, outputs)

    def pool(self, op: str, x: str, window: Window) -> str:
        return self.node(op, x, attrs=PoolAttrs(window))

    def prelu(self, x: str) -> str:
        return self.node("PRelu", x, self.slopes(self.values[x].shape[3]), attrs=PointAttrs())

    def node(self, op: str, *inputs: str, attrs: Any) -> str:
        """Any operator whose constants are among its inputs."""
        name = f"{op.lower()}{len(self.nodes)}"
        output = f"{name}_out"
        self._value(output, OPS[op].shape(attrs, [self.values[one].shape for one in inputs]))
        self.nodes.append(Node(name, op, inputs, (output,), attrs))
        return output

    def slopes(self, channels: int) -> str:
        return self.constant(self.rng.uniform(0.1, 0.3, channels), Layout.VECTOR)

    def bias(self, channels: int) -> str:
        return self.constant(self.rng.normal(0, 0.1, channels), Layout.VECTOR)

    def weights(self, shape: tuple[int, ...], layout: Layout, *, fan: int) -> str:
        """``fan``: inputs summed for an output, 0 for all but the first axis."""
        spread = 1 / np.sqrt(fan or np.prod(shape[1:]))
        return self.constant(self.rng.normal(0, spread, shape), layout)

    def constant(self, array: np.ndarray, layout: Layout) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = array.astype(np.float32)
        self.values[name] = Value(name, array.shape, DType.F32, layout)
        return name

    def graph(self) -> Graph:
        """Values nobody reads are the outputs, and those to be told."""
        read = {name for node in self.nodes for name in node.inputs} - {*self.told}
        ends = tuple(node.output for node in self.nodes if node.output not in read)
        nodes, inputs = tuple(self.nodes), tuple(self.inputs)
        return verify(Graph(self.name, self.values, nodes, inputs, ends, self.constants))

    def _linear(self, op: str, x: str, attrs: Any, weights: str, channels: int) -> str:
        return self.node(op, x, weights, self.bias(channels), attrs=attrs)

    def _value(self, name: str, shape: tuple[int, ...]) -> None:
        layout = Layout.NHWC if len(shape) == 4 else Layout.NC
        self.values[name] = Value(name, shape, DType.F32, layout)
