"""int8 TensorFlow Lite networks as QDQ ONNX, spelled as tf2onnx spells them.

Weights stand behind DequantizeLinear (and a Transpose), Relu between a layer and its
QuantizeLinear, fully connected layers are MatMul and Add; reshapes and pools have pairs of their
own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from flatbuffer import Model, Step, Tensor

OPSET = 13
_KINDS = {"i1": TensorProto.INT8, "u1": TensorProto.UINT8, "<i4": TensorProto.INT32}


class _Writer:
    def __init__(self, model: Model):
        self.model = model
        self.nodes: list[Any] = []
        self.constants: dict[str, TensorProto] = {}
        self.names = {i: f"t{i}" for i in range(len(model.tensors))}

    def node(self, kind: str, *inputs: str, output: str = "", **attrs: Any) -> str:
        output = output or f"n{len(self.nodes)}_{kind.lower()}"
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=name, **attrs))
        return output

    def constant(self, name: str, array: Any) -> str:
        self.constants.setdefault(name, numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def pair(self, index: int) -> list[str]:
        """Scale and zero point of a tensor, as constants."""
        tensor = self.model.tensors[index]
        single = len(tensor.scales) == 1
        kind = tensor.kind
        scale = tensor.scales.reshape(()) if single else tensor.scales
        zero = tensor.zeros.astype(kind)
        return [
            self.constant(f"t{index}_scale", scale.astype(np.float32)),
            self.constant(f"t{index}_zero", zero.reshape(()) if single else zero),
        ]

    def real(self, index: int) -> str:
        """A tensor behind a DequantizeLinear of its own."""
        tensor = self.model.tensors[index]
        if tensor.data is not None:
            self.constant(self.names[index], tensor.data)
        axis = {"axis": tensor.axis} if len(tensor.scales) > 1 else {}
        return self.node("DequantizeLinear", self.names[index], *self.pair(index), **axis)

    def quantized(self, step: Step, x: str, activation: int) -> None:
        index = step.outputs[0]
        if activation == 1:
            x = self.node("Relu", x)
        if activation == 3:
            bounds = [self.constant(f"bound{n}", np.float32(n)) for n in (0, 6)]
            x = self.node("Clip", x, *bounds)
        self.node("QuantizeLinear", x, *self.pair(index), output=self.names[index])

    def shape(self, index: int) -> tuple[int, ...]:
        return self.model.tensors[index].shape


def _pads(w: _Writer, step: Step, kernel: Sequence[int], strides: Sequence[int]) -> list[int]:
    """Explicit pads: SAME puts the odd one at the end."""
    if step.option(0, "<b") == 1:
        return [0, 0, 0, 0]
    before, after = [], []
    for axis in (0, 1):
        size, out = (w.shape(i)[1 + axis] for i in (step.inputs[0], step.outputs[0]))
        total = max((out - 1) * strides[axis] + kernel[axis] - size, 0)
        before.append(total // 2)
        after.append(total - total // 2)
    return [*before, *after]


def _conv(w: _Writer, step: Step) -> None:
    depthwise = step.kind == "DEPTHWISE_CONV_2D"
    strides = [step.option(2), step.option(1)]
    shape = w.shape(step.inputs[1])
    perm = [3, 0, 1, 2] if depthwise else [0, 3, 1, 2]
    weights = w.node("Transpose", w.real(step.inputs[1]), perm=perm)
    attrs = {"pads": _pads(w, step, shape[1:3], strides), "strides": strides}
    group = w.shape(step.inputs[0])[3] if depthwise else 1
    x = w.node(
        "Conv", w.real(step.inputs[0]), weights, w.real(step.inputs[2]), group=group, **attrs
    )
    w.quantized(step, x, step.option(4 if depthwise else 3, "<b"))


def _dense(w: _Writer, step: Step) -> None:
    weights = w.node("Transpose", w.real(step.inputs[1]), perm=[1, 0])
    x = w.node("MatMul", w.real(step.inputs[0]), weights)
    w.quantized(step, w.node("Add", x, w.real(step.inputs[2])), step.option(0, "<b"))


def _add(w: _Writer, step: Step) -> None:
    x = w.node("Add", *(w.real(index) for index in step.inputs))
    w.quantized(step, x, step.option(0, "<b"))


def _average(w: _Writer, step: Step) -> None:
    kernel, strides = [step.option(4), step.option(3)], [step.option(2), step.option(1)]
    pads = _pads(w, step, kernel, strides)
    x = w.real(step.inputs[0])
    x = w.node("AveragePool", x, kernel_shape=kernel, strides=strides, pads=pads)
    w.quantized(step, x, step.option(5, "<b"))


def _reshape(w: _Writer, step: Step) -> None:
    """Of a single pixel, so that the order of axes does not matter."""
    assert w.shape(step.inputs[0])[1:3] == (1, 1)
    target = w.constant(f"shape{step.outputs[0]}", np.int64(w.shape(step.outputs[0])))
    w.quantized(step, w.node("Reshape", w.real(step.inputs[0]), target), 0)


def _softmax(w: _Writer, step: Step) -> None:
    w.quantized(step, w.node("Softmax", w.real(step.inputs[0])), 0)


_STEPS: dict[str, Callable[[_Writer, Step], None]] = {
    "ADD": _add,
    "AVERAGE_POOL_2D": _average,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _conv,
    "FULLY_CONNECTED": _dense,
    "RESHAPE": _reshape,
    "SOFTMAX": _softmax,
}


def to_onnx(path: Path) -> ModelProto:
    """The network in ``path``: int8 at both ends, images as NHWC at its input."""
    model = Model(path)
    w = _Writer(model)
    (entry,), (end,) = model.inputs, model.outputs
    shape = model.tensors[entry].shape
    first = helper.make_tensor_value_info("input", TensorProto.INT8, shape)
    w.names[entry] = "input"
    if len(shape) == 4:
        w.names[entry] = w.node("Transpose", "input", perm=[0, 3, 1, 2])
    for step in model.steps:
        _STEPS[step.kind](w, step)
    last = helper.make_tensor_value_info(w.names[end], TensorProto.INT8, model.tensors[end].shape)
    constants = list(w.constants.values())
    graph = helper.make_graph(w.nodes, path.stem, [first], [last], constants)
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    checker.check_model(result)
    return result


def layer_constants(path: Path) -> list[tuple[Tensor, Tensor]]:
    """Weights and bias of every layer that has some, in order."""
    model = Model(path)
    return [
        (model.tensors[step.inputs[1]], model.tensors[step.inputs[2]])
        for step in model.steps
        if step.kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
    ]
