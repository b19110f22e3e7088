"""Collects the nodes, values and constants of the graph that lowering makes.

A value of rank 4 is stored as NHWC under its ONNX name, one of rank 3 with its channels last too; a
value of another rank is stored in ONNX order, and so is a rank 3 at the network's ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from deployer.frontend.net import Net, Op, Shape, real
from deployer.ir import (
    OPS,
    DType,
    Graph,
    Layout,
    Node,
    QuantParams,
    ReshapeAttrs,
    Tie,
    TransposeAttrs,
    Value,
)

TO_NHWC = (0, 2, 3, 1)
TO_NCHW = (0, 3, 1, 2)
TO_NLC = (0, 2, 1)  # its own inverse
_ORDERS = MappingProxyType({4: TO_NHWC, 3: TO_NLC})


def order_of(rank: int) -> Shape:
    """The ONNX axis behind each stored axis of a value of that rank."""
    return _ORDERS.get(rank, tuple(range(rank)))


class Builder:
    """Grows a Graph in execution order."""

    def __init__(self, net: Net):
        self.net = net
        self._values: dict[str, Value] = {}
        self._constants: dict[str, np.ndarray] = {}
        self._nodes: list[Node] = []
        self.notes: list[str] = list(net.notes)
        self.ties: list[Tie] = []
        self._taken = {op.name for op in net.ops} | set(net.shapes)
        self._stored: dict[str, str] = {}
        for name in net.inputs:
            self._declare_input(name)

    def order(self, name: str) -> Shape:
        """The ONNX axis behind each stored axis of a value."""
        return order_of(len(self.net.shapes[name]))

    def shape(self, name: str) -> Shape:
        """The stored shape of an ONNX value."""
        return tuple(self.net.shapes[name][axis] for axis in self.order(name))

    def elements(self, name: str) -> int:
        """Of any value that was added."""
        return self._values[self._stored.get(name, name)].elements

    def fresh(self, stem: str) -> str:
        """``stem``, numbered if the name is taken; the name is then taken."""
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

    def weight(
        self,
        op: Op,
        kind: str,
        array: np.ndarray,
        layout: Layout,
        *,
        quant: QuantParams | None = None,
    ) -> str:
        """Add a constant of ``op`` as float32, with the quantization it states; its name."""
        name = self.fresh(f"{op.name}/{kind}")
        self._constants[name] = real(array)
        self._values[name] = Value(name, array.shape, DType.F32, layout, quant)
        return name

    def emit(
        self,
        op: Op,
        kind: str,
        inputs: Sequence[str],
        attrs: Any,
        *,
        output: str = "",
        name: str = "",
        quant: QuantParams | None = None,
        part: str = "",
    ) -> str:
        """Add a node for ``op``; the name of its output, by default the ONNX output.

        ``quant`` is the quantization that the model states for it, ``part`` which part of ``op``
        it computes where that has several.
        """
        out = output or op.output
        inner = self._inner(out)
        read = [self._stored.get(item, item) for item in inputs]
        origin = (op.name, part) if part else (op.name,)
        node = Node(name or op.name, kind, tuple(read), (inner,), attrs, origin=origin)
        self._add(node, quant)
        if inner != out:
            attrs = TransposeAttrs(TO_NLC)
            transposed = self.fresh(f"{op.name}/transpose")
            self._add(Node(transposed, "Transpose", (inner,), (out,), attrs, origin=(op.name,)))
            self._stored[out] = inner
        return out

    def layer(
        self,
        op: Op,
        kind: str,
        inputs: Sequence[str],
        attrs: Any,
        *,
        output: str = "",
    ) -> str:
        """As ``emit``, for a layer over images whose activations may have another rank."""
        images = [self.image(op, name) for name in inputs]
        if images == list(inputs):
            return self.emit(op, kind, inputs, attrs, output=output)
        inner = self.fresh(f"{op.name}/image")
        out = output or op.output
        self.emit(op, kind, images, attrs, output=inner)
        source = self._values[inner].shape
        shape = self.shape(out) if out in self.net.shapes else self._flat(inputs[0], source)
        return self.reshape(op, inner, shape, output=out)

    def pointwise(self, op: Op, kind: str, inputs: Sequence[str], attrs: Any) -> None:
        """As ``emit``, for what works on single elements; more axes than 4 are joined."""
        many = len(self.net.shapes[inputs[0]]) > 4
        (self.layer if many else self.emit)(op, kind, inputs, attrs)

    def image(self, op: Op, name: str) -> str:
        """An activation as an image, its stored last axis the channels; constants stay."""
        shape = self._values[self._stored.get(name, name)].shape
        if name in self._constants or len(shape) == 4:
            return name
        return self.reshape(op, name, (1, 1, math.prod(shape[1:-1]), shape[-1]))

    def channels_last(self, op: Op, name: str, axis: int) -> tuple[str, Shape | None]:
        """A value with ONNX axis ``axis`` stored last, and the permutation that undoes it."""
        order = self.order(name)
        if order[-1] == axis:
            return name, None
        rest = [i for i in range(len(order)) if i != axis]
        perm = tuple(order.index(i) for i in (*rest, axis))
        return self.transpose(op, name, perm), tuple(perm.index(i) for i in range(len(perm)))

    def along(self, op: Op, kind: str, inputs: Sequence[str], attrs: Any, *, axis: int) -> None:
        """A pointwise layer of ``op`` whose channels are ONNX axis ``axis`` of its activations."""
        moved = [
            (name, None) if name in self._constants else self.channels_last(op, name, axis)
            for name in inputs
        ]
        names, back = [name for name, _ in moved], moved[0][1]
        if back is None:
            self.layer(op, kind, names, attrs)
            return
        inner = self.layer(op, kind, names, attrs, output=self.fresh(f"{op.name}/channels_last"))
        self.transpose(op, inner, back, output=op.output)

    def reshape(self, op: Op, x: str, shape: Shape, *, output: str = "") -> str:
        """A value with the same bytes and a new stored shape."""
        name = self.fresh(f"{op.name}/reshape")
        return self.emit(op, "Reshape", [x], ReshapeAttrs(shape), output=output or name, name=name)

    def transpose(self, op: Op, x: str, perm: Shape, *, output: str = "") -> str:
        """A value with its stored axes permuted."""
        name = self.fresh(f"{op.name}/transpose")
        return self.emit(
            op, "Transpose", [x], TransposeAttrs(perm), output=output or name, name=name
        )

    def graph(self) -> Graph:
        return Graph(
            name=self.net.name,
            values=self._values,
            nodes=tuple(self._nodes),
            inputs=self.net.inputs,
            outputs=self.net.outputs,
            constants=self._constants,
            notes=tuple(self.notes),
            ties=tuple(self.ties),
        )

    def _flat(self, name: str, source: Shape) -> Shape:
        """The stored shape of a pointwise layer's result, from that of its image."""
        return (*self._values[self._stored.get(name, name)].shape[:-1], source[-1])

    def _inner(self, name: str) -> str:
        """What a value is stored as: another one where the network returns ONNX order."""
        if name not in self.net.outputs or len(self.net.shapes[name]) != 3:
            return name
        return self.fresh(f"{name}/channels_last")

    def _declare_input(self, name: str) -> None:
        shape = self.net.shapes[name]
        if len(shape) != 3:
            self._declare(name, self.shape(name), self.net.quants.get(name))
            return
        self._declare(name, shape, self.net.quants.get(name))
        inner = self.fresh(f"{name}/channels_last")
        self._add(Node(inner, "Transpose", (name,), (inner,), TransposeAttrs(TO_NLC)))
        self._stored[name] = inner

    def _add(self, node: Node, quant: QuantParams | None = None) -> None:
        shapes = [self._values[item].shape for item in node.inputs]
        self._declare(node.output, OPS[node.op].shape(node.attrs, shapes), quant)
        self._nodes.append(node)

    def _declare(self, name: str, shape: Shape, quant: QuantParams | None = None) -> None:
        layout = Layout.NHWC if len(shape) == 4 else Layout.NC
        self._values[name] = Value(name, tuple(shape), DType.F32, layout, quant)
