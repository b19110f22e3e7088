"""Collects the nodes, values and constants of the graph that lowering makes.

A value of rank 4 is stored as NHWC under its ONNX name; a value of another rank is stored in
ONNX order. ``native`` names values of rank 4 that the model itself holds as NHWC.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deployer.frontend.net import Net, Op, Shape, real
from deployer.ir.attrs import ReshapeAttrs, TransposeAttrs
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.types import DType, Layout, Value

TO_NHWC = (0, 2, 3, 1)
TO_NCHW = (0, 3, 1, 2)


class Builder:
    """Grows a Graph in execution order."""

    def __init__(self, net: Net):
        self.net = net
        self._values: dict[str, Value] = {}
        self._constants: dict[str, np.ndarray] = {}
        self._nodes: list[Node] = []
        self._taken = {op.name for op in net.ops} | set(net.shapes)
        for name in net.inputs:
            self._declare(name, tuple(net.shapes[name][axis] for axis in self.order(name)))

    def order(self, name: str) -> Shape:
        """The ONNX axis behind each stored axis of a value."""
        rank = len(self.net.shapes[name])
        return TO_NHWC if rank == 4 else tuple(range(rank))

    def shape(self, name: str) -> Shape:
        """The stored shape of a value that exists already."""
        return self._values[name].shape

    def fresh(self, stem: str) -> str:
        """``stem``, numbered if the name is taken; the name is then taken."""
        name, count = stem, 1
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

    def weight(self, op: Op, kind: str, array: np.ndarray, layout: Layout) -> str:
        """Add a constant of ``op`` as float32; its name."""
        name = self.fresh(f"{op.name}/{kind}")
        self._constants[name] = real(array)
        self._values[name] = Value(name, array.shape, DType.F32, layout)
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
    ) -> str:
        """Add a node for ``op``; the name of its output, by default the ONNX output."""
        out = output or op.output
        node = Node(name or op.name, kind, tuple(inputs), (out,), attrs, origin=(op.name,))
        shapes = [self._values[item].shape for item in inputs]
        self._declare(out, OPS[kind].shape(attrs, shapes))
        self._nodes.append(node)
        return out

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

    def graph(self, notes: Sequence[str]) -> Graph:
        return Graph(
            name=self.net.name,
            values=self._values,
            nodes=tuple(self._nodes),
            inputs=self.net.inputs,
            outputs=self.net.outputs,
            constants=self._constants,
            notes=tuple(notes),
        )

    def _declare(self, name: str, shape: Shape) -> None:
        layout = Layout.NHWC if len(shape) == 4 else Layout.NC
        self._values[name] = Value(name, tuple(shape), DType.F32, layout)
