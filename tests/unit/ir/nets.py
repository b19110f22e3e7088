"""Integer graphs built by hand: a small builder, and the shapes of the reference networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deployer.ir.attrs import (
    Clamp,
    ConvAttrs,
    ConvTransposeAttrs,
    Pads,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    SoftmaxAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node, Requant
from deployer.ir.ops import OPS
from deployer.ir.types import DType, Layout, QuantParams, Value

QUANT = QuantParams((0.5,), -3)


class Net:
    """Collects nodes; every method returns the name of the value it made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: dict[str, Value] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self.inputs: list[str] = []

    def input(self, *shape: int, name: str = "") -> str:
        name = name or f"in{len(self.inputs)}"
        self._activation(name, shape)
        self.inputs.append(name)
        return name

    def conv(
        self,
        x: str,
        channels: int,
        kernel: Any = 1,
        *,
        stride: int = 1,
        groups: int = 1,
        name: str = "",
    ) -> str:
        attrs = ConvAttrs(self._window(x, kernel, stride), groups, clamp=Clamp(0, None))
        weights = (channels, *attrs.window.kernel, self.values[x].shape[3] // groups)
        return self._linear("Conv2d", x, attrs, weights, Layout.OHWI, channels, name)

    def depthwise(self, x: str, kernel: Any = 3, *, stride: int = 1, name: str = "") -> str:
        attrs = ConvAttrs(self._window(x, kernel, stride), clamp=Clamp(0, None))
        channels = self.values[x].shape[3]
        weights = (*attrs.window.kernel, channels)
        return self._linear("DepthwiseConv2d", x, attrs, weights, Layout.HWC, channels, name)

    def up(self, x: str, channels: int, kernel: int, stride: int, *, name: str = "") -> str:
        """Output extents are those of the input times the stride; what is too much is cropped."""
        _, height, width, depth = self.values[x].shape
        crop = kernel - stride
        pads = Pads(crop // 2, crop // 2, crop - crop // 2, crop - crop // 2)
        window = Window((kernel, kernel), (stride, stride), pads=pads)
        attrs = ConvTransposeAttrs(window, (height * stride, width * stride))
        weights = (channels, kernel, kernel, depth)
        return self._linear("ConvTranspose2d", x, attrs, weights, Layout.OHWI, channels, name)

    def dense(self, x: str, channels: int, *, name: str = "") -> str:
        weights = (channels, self.values[x].shape[1])
        return self._linear("FullyConnected", x, PointAttrs(), weights, Layout.OI, channels, name)

    def add(self, a: str, b: str, *, name: str = "") -> str:
        name = self._name("add", name)
        requant = self._requant(name, (2, 1, 1))
        return self._node(Node(name, "Add", (a, b), (f"{name}_out",), PointAttrs(), requant))

    def mul(self, a: str, b: str, *, name: str = "") -> str:
        name = self._name("mul", name)
        requant = self._requant(name, (1, 1, 1))
        return self._node(Node(name, "Mul", (a, b), (f"{name}_out",), PointAttrs(), requant))

    def pool(self, x: str, op: str = "AveragePool", kernel: Any = 0, *, name: str = "") -> str:
        """Global without ``kernel``."""
        name = self._name("pool", name)
        kernel = kernel or self.values[x].shape[1:3]
        window = Window(kernel, kernel)
        requant = self._requant(name, (window.taps,) * 3)
        return self._node(Node(name, op, (x,), (f"{name}_out",), PoolAttrs(window), requant))

    def reshape(self, x: str, *shape: int, name: str = "") -> str:
        """Flatten without ``shape``."""
        name = self._name("reshape", name)
        attrs = ReshapeAttrs(shape or (1, self.values[x].elements))
        return self._node(Node(name, "Reshape", (x,), (f"{name}_out",), attrs))

    def transpose(self, x: str, *perm: int, name: str = "") -> str:
        name = self._name("transpose", name)
        return self._node(Node(name, "Transpose", (x,), (f"{name}_out",), TransposeAttrs(perm)))

    def softmax(self, x: str, *, name: str = "") -> str:
        name = self._name("softmax", name)
        table = self._constant(f"{name}_table", np.zeros(256, np.int32))
        return self._node(Node(name, "Softmax", (x, table), (f"{name}_out",), SoftmaxAttrs()))

    def graph(self, *outputs: str, notes: tuple[str, ...] = ()) -> Graph:
        return Graph(
            self.name,
            self.values,
            tuple(self.nodes),
            tuple(self.inputs),
            outputs,
            self.constants,
            notes,
            {"origin": "test"},
        )

    def _window(self, x: str, kernel: Any, stride: int) -> Window:
        """Output extent is input over stride, rounded up; the odd pad is below and right."""
        kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
        if min(kernel) == 1:
            return Window(kernel, (stride, stride))
        pads = []
        for extent, k in zip(self.values[x].shape[1:3], kernel, strict=True):
            missing = max((-(-extent // stride) - 1) * stride + k - extent, 0)
            pads.append((missing // 2, missing - missing // 2))
        (top, bottom), (left, right) = pads
        return Window(kernel, (stride, stride), pads=Pads(top, left, bottom, right))

    def _linear(
        self,
        op: str,
        x: str,
        attrs: Any,
        weights: Sequence[int],
        layout: Layout,
        channels: int,
        name: str,
    ) -> str:
        name = self._name(op.lower(), name)
        w = self._constant(f"{name}_w", np.ones(weights, np.int8), layout)
        b = self._constant(f"{name}_b", np.zeros(channels, np.int32))
        requant = self._requant(name, (channels,) * 3)
        return self._node(Node(name, op, (x, w, b), (f"{name}_out",), attrs, requant))

    def _requant(self, name: str, counts: tuple[int, int, int]) -> Requant:
        kinds = {"multiplier": np.int32, "rounding": np.int32, "shift": np.uint8}
        names = [
            self._constant(f"{name}_{kind}", np.ones(count, dtype))
            for (kind, dtype), count in zip(kinds.items(), counts, strict=True)
        ]
        return Requant("i32", *names, -128, 127)

    def _constant(self, name: str, array: np.ndarray, layout: Layout = Layout.VECTOR) -> str:
        self.constants[name] = array
        self.values[name] = Value(name, array.shape, DType(array.dtype.name), layout)
        return name

    def _activation(self, name: str, shape: tuple[int, ...]) -> None:
        layout = Layout.NHWC if len(shape) == 4 else Layout.NC
        self.values[name] = Value(name, shape, DType.S8, layout, QUANT)

    def _node(self, node: Node) -> str:
        shapes = [self.values[name].shape for name in node.inputs]
        self._activation(node.output, OPS[node.op].shape(node.attrs, shapes))
        self.nodes.append(node)
        return node.output

    def _name(self, kind: str, name: str) -> str:
        return name or f"{kind}{len(self.nodes)}"


def vww() -> Graph:
    """MobileNetV1 0.25 at 96x96: 55,296 B, where a ping-pong of two buffers needs 73,728 B."""
    net = Net("vww")
    x = net.conv(net.input(1, 96, 96, 3), 8, 3, stride=2)
    widths = [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)]
    for channels, stride in [*widths, *[(128, 1)] * 5, (256, 2), (256, 1)]:
        x = net.conv(net.depthwise(x, stride=stride), channels)
    return net.graph(net.dense(net.reshape(net.pool(x)), 2))


def resnet8() -> Graph:
    net = Net("resnet8")
    x = net.conv(net.input(1, 32, 32, 3), 16, 3)
    x = net.add(x, net.conv(net.conv(x, 16, 3), 16, 3))
    for channels in (32, 64):
        main = net.conv(net.conv(x, channels, 3, stride=2), channels, 3)
        x = net.add(main, net.conv(x, channels, 1, stride=2))
    return net.graph(net.softmax(net.dense(net.reshape(net.pool(x)), 10)))


def kws() -> Graph:
    net = Net("kws")
    x = net.conv(net.input(1, 49, 10, 1), 64, (10, 4), stride=2)
    for _ in range(4):
        x = net.conv(net.depthwise(x), 64)
    return net.graph(net.softmax(net.dense(net.reshape(net.pool(x)), 12)))


def ad() -> Graph:
    net = Net("ad")
    x = net.input(1, 640)
    for width in (128, 128, 128, 128, 8, 128, 128, 128, 128, 640):
        x = net.dense(x, width)
    return net.graph(x)


def sww() -> Graph:
    net = Net("sww")
    x = net.input(1, 30, 1, 40)
    for tall, channels in ((3, 128), (5, 128), (10, 128), (15, 32)):
        x = net.conv(net.depthwise(x, (tall, 1)), channels)
    return net.graph(net.softmax(net.dense(net.reshape(x), 3)))


def mnist() -> Graph:
    net = Net("mnist")
    x = net.conv(net.input(1, 28, 28, 1), 16, 3)
    x = net.conv(net.depthwise(x, stride=2), 32)
    x = net.add(x, net.conv(net.depthwise(x), 32))
    x = net.conv(net.depthwise(x, stride=2), 64)
    for _ in range(2):
        x = net.add(x, net.conv(net.depthwise(x), 64))
    return net.graph(net.dense(net.reshape(net.pool(x)), 10))


PEAKS = {vww: 55_296, resnet8: 49_152, kws: 16_000, ad: 768, sww: 6_656, mnist: 18_816}


def filled(graph: Graph, seed: int) -> Graph:
    """Weights and tables that differ from channel to channel."""
    rng = np.random.default_rng(seed)
    for array in graph.constants.values():
        low, high = (0, 9) if array.dtype == np.uint8 else (-90, 91)
        array[...] = rng.integers(low, high, array.shape)
    return graph
