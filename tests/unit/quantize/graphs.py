"""Small float graphs by hand, for tests that should not depend on the importer."""

from __future__ import annotations

from typing import Any

import numpy as np

from deployer.ir.attrs import (
    Clamp,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PointAttrs,
    PoolAttrs,
    ReshapeAttrs,
    SoftmaxAttrs,
    TableAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.types import DType, Layout, Value
from deployer.ir.verify import verify
from deployer.quantize.samples import Samples

RELU = Clamp(0.0)


class Draft:
    """Adds one node a call and returns its output's name; weights are seeded normal numbers."""

    def __init__(self, *shape: int, seed: int = 0, name: str = "x"):
        self.rng = np.random.default_rng(seed)
        self.values: dict[str, Value] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        self.inputs = [self.input(*shape, name=name)]

    def input(self, *shape: int, name: str) -> str:
        self._value(name, shape)
        return name

    def second_input(self, *shape: int, name: str) -> str:
        self.inputs.append(self.input(*shape, name=name))
        return name

    def conv(
        self,
        x: str,
        out: int,
        window: Window,
        *,
        clamp: Clamp = RELU,
        groups: int = 1,
        weights: np.ndarray | None = None,
        bias: np.ndarray | None = None,
    ) -> str:
        depth = self.values[x].shape[3] // groups
        shape = (out, *window.kernel, depth)
        w = self._normal(shape, depth * window.taps) if weights is None else weights
        return self._linear("Conv2d", x, ConvAttrs(window, groups, clamp), (w, bias), Layout.OHWI)

    def depthwise(self, x: str, window: Window, *, clamp: Clamp = RELU, multiplier: int = 1) -> str:
        channels = self.values[x].shape[3]
        w = self._normal((*window.kernel, channels * multiplier), window.taps)
        attrs = ConvAttrs(window, channels, clamp)
        return self._linear("DepthwiseConv2d", x, attrs, (w, None), Layout.HWC)

    def dense(
        self,
        x: str,
        out: int,
        *,
        clamp: Clamp = Clamp(),  # noqa: B008 - frozen
        weights: np.ndarray | None = None,
        bias: np.ndarray | None = None,
    ) -> str:
        features = self.values[x].shape[1]
        w = self._normal((out, features), features) if weights is None else weights
        return self._linear("FullyConnected", x, PointAttrs(clamp), (w, bias), Layout.OI)

    def add(self, left: str, right: str, *, clamp: Clamp = RELU) -> str:
        return self._node("Add", (left, right), PointAttrs(clamp))

    def average(self, x: str, window: Window, *, counted: bool = False) -> str:
        return self._node("AveragePool", (x,), PoolAttrs(window, counted))

    def largest(self, x: str, window: Window, *, clamp: Clamp = Clamp()) -> str:  # noqa: B008
        return self._node("MaxPool", (x,), PoolAttrs(window, clamp=clamp))

    def rescale(self, x: str, *, clamp: Clamp = RELU) -> str:
        return self._node("Rescale", (x,), PointAttrs(clamp))

    def softmax(self, x: str) -> str:
        return self._node("Softmax", (x,), SoftmaxAttrs())

    def reshape(self, x: str, *shape: int) -> str:
        return self._node("Reshape", (x,), ReshapeAttrs(shape))

    def transpose(self, x: str, *perm: int) -> str:
        return self._node("Transpose", (x,), TransposeAttrs(perm))

    def node(self, op: str, *inputs: str, attrs: Any) -> str:
        """Any operator without constants."""
        return self._node(op, inputs, attrs)

    def deconv(
        self,
        x: str,
        out: int,
        window: Window,
        output: tuple[int, int],
        *,
        groups: int = 1,
        clamp: Clamp = Clamp(),  # noqa: B008
    ) -> str:
        depth = self.values[x].shape[3] // groups
        w = self._normal((out, *window.kernel, depth), depth * window.taps)
        attrs = ConvTransposeAttrs(window, output, groups, clamp)
        return self._linear("ConvTranspose2d", x, attrs, (w, None), Layout.OHWI)

    def prelu(self, x: str, slopes: np.ndarray) -> str:
        name = f"slope{len(self.nodes)}"
        self.constants[name] = np.asarray(slopes, dtype=np.float32)
        self.values[name] = Value(name, slopes.shape, DType.F32, Layout.VECTOR)
        return self._node("PRelu", (x, name), PointAttrs())

    def table(self, x: str, function: str, alpha: float = 0.0, beta: float = 0.0) -> str:
        return self._node("Table", (x,), TableAttrs(function, alpha, beta))

    def concat(self, *parts: str, axis: int) -> str:
        return self._node("Concat", parts, ConcatAttrs(axis))

    def graph(self, *outputs: str, meta: dict[str, str] | None = None) -> Graph:
        return verify(
            Graph(
                "net",
                self.values,
                tuple(self.nodes),
                tuple(self.inputs),
                outputs,
                self.constants,
                notes=("kept",),
                meta=meta or {"model": "kept"},
            )
        )

    def _linear(
        self,
        op: str,
        x: str,
        attrs: Any,
        arrays: tuple[np.ndarray, np.ndarray | None],
        layout: Layout,
    ) -> str:
        weights, bias = arrays
        channels = weights.shape[2] if layout is Layout.HWC else weights.shape[0]
        if bias is None:
            bias = self.rng.normal(0, 0.1, channels)
        names = (f"w{len(self.nodes)}", f"b{len(self.nodes)}")
        for name, array, kind in zip(names, (weights, bias), (layout, Layout.VECTOR), strict=True):
            self.constants[name] = np.asarray(array, dtype=np.float32)
            self.values[name] = Value(name, array.shape, DType.F32, kind)
        return self._node(op, (x, *names), attrs)

    def _node(self, op: str, inputs: tuple[str, ...], attrs: Any) -> str:
        name = f"{op.lower()}_{len(self.nodes)}"
        output = f"{name}_out"
        shape = OPS[op].shape(attrs, [self.values[source].shape for source in inputs])
        self._value(output, shape)
        self.nodes.append(Node(name, op, inputs, (output,), attrs, origin=(f"onnx {name}",)))
        return output

    def _value(self, name: str, shape: tuple[int, ...]) -> None:
        layout = Layout.NHWC if len(shape) == 4 else Layout.NC
        self.values[name] = Value(name, shape, DType.F32, layout)

    def _normal(self, shape: tuple[int, ...], fan_in: int) -> np.ndarray:
        return self.rng.normal(0, 1 / np.sqrt(fan_in), shape).astype(np.float32)


def every_operator(seed: int = 0) -> Graph:
    """A network with each operator of the IR, asymmetric pads, strides, a residual, two clamps."""
    from deployer.ir.attrs import Pads

    draft = Draft(1, 9, 8, 3, seed=seed)
    stem = draft.conv("x", 8, Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1)))
    deep = draft.depthwise(stem, Window((3, 3), pads=Pads(1, 1, 1, 1)), clamp=Clamp(0.0, 6.0))
    point = draft.conv(deep, 8, Window((1, 1)), clamp=Clamp())
    joined = draft.add(stem, point)
    small = draft.largest(joined, Window((2, 2), (1, 1), pads=Pads(0, 0, 1, 1)))
    grouped = draft.conv(small, 6, Window((2, 1)), groups=2, clamp=Clamp())
    smooth = draft.average(grouped, Window((3, 2), pads=Pads(1, 0, 1, 1)), counted=True)
    scaled = draft.rescale(smooth)
    turned = draft.transpose(scaled, 0, 3, 1, 2)
    shape = draft.values[turned].shape
    flat = draft.reshape(turned, 1, int(np.prod(shape)))
    logits = draft.dense(flat, 5)
    return draft.graph(draft.softmax(logits), logits)


def noise(graph: Graph, *, count: int = 24, seed: int = 1, spread: float = 1.0) -> Samples:
    """Normal samples for every input."""
    rng = np.random.default_rng(seed)
    arrays = {
        name: rng.normal(0, spread, (count, *graph.values[name].shape[1:])).astype(np.float32)
        for name in graph.inputs
    }
    return Samples(arrays, "test", None)
