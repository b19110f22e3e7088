"""The argument struct of every kernel call, as nested names and C expressions.

A struct is a dict from field to value; a value is a C expression or another struct. Templates turn
it into a designated initializer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deployer.codegen.layout import ArenaMap
from deployer.codegen.pack import RequantTables, requant_tables
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Step

Struct = dict[str, "str | Struct"]

_RULES = {"shift": "DPL_SHIFT", "i32": "DPL_I32", "q16": "DPL_Q16"}


@dataclass(frozen=True, eq=False)
class CallContext:
    """What an argument builder may look at. ``symbol`` names the C array of a constant."""

    graph: Graph
    arena: ArenaMap
    symbol: Callable[[str], str]
    step: Step

    @property
    def scratch(self) -> str:
        return self.arena.address(f"{self.step.node}.scratch") if self.step.scratch else "0"


def arguments(call: CallContext, node: Node) -> tuple[str, Struct]:
    """The struct type of ``node``'s kernel and its fields."""
    struct, build = _BUILDERS[node.op]
    return struct, build(call, node)


def tensor(call: CallContext, value: str) -> Struct:
    """A whole dense tensor; rank 2 is one pixel of channels."""
    height, width, channels = hwc(call.graph.values[value].shape)
    return {
        "data": call.arena.address(value),
        "height": str(height),
        "width": str(width),
        "channels": str(channels),
        "row_pitch": str(width * channels),
        "pixel_pitch": str(channels),
    }


def hwc(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Height, width and channels of an activation of rank 2 to 4, batch first."""
    height, width, channels = (1, 1, *shape[1:])[-3:]
    return height, width, channels


def _conv(call: CallContext, node: Node) -> Struct:
    return {
        **_linear(call, node),
        "window": _window(node.attrs.window),
        "groups": str(node.attrs.groups),
        "input_zero": str(call.graph.values[node.inputs[0]].q.zero_point),
        "requant": _requant(call, node),
        "scratch": call.scratch,
    }


def _depthwise(call: CallContext, node: Node) -> Struct:
    fields = _conv(call, node)
    del fields["groups"]
    return fields


def _dense(call: CallContext, node: Node) -> Struct:
    return {**_linear(call, node), "requant": _requant(call, node), "scratch": call.scratch}


def _linear(call: CallContext, node: Node) -> Struct:
    return {
        "input": tensor(call, node.inputs[0]),
        "output": tensor(call, node.output),
        "weights": call.symbol(node.inputs[1]),
        "bias": call.symbol(node.inputs[2]),
    }


def _add(call: CallContext, node: Node) -> Struct:
    constants = call.graph.constants
    left, right = constants[node.rq.multiplier].tolist()
    return {
        "left": tensor(call, node.inputs[0]),
        "right": tensor(call, node.inputs[1]),
        "output": tensor(call, node.output),
        "multiplier": f"{{{left}, {right}}}",
        "rounding": str(constants[node.rq.rounding][0]),
        "shift": str(constants[node.rq.shift][0]),
        "low": str(node.rq.low),
        "high": str(node.rq.high),
    }


def _unary(call: CallContext, node: Node) -> Struct:
    return {
        "input": tensor(call, node.inputs[0]),
        "output": tensor(call, node.output),
        "requant": _requant(call, node),
    }


def _pool(call: CallContext, node: Node) -> Struct:
    fields = _unary(call, node)
    return {**fields, "window": _window(node.attrs.window)}


def _softmax(call: CallContext, node: Node) -> Struct:
    quant = call.graph.values[node.output].q
    return {
        "input": tensor(call, node.inputs[0]),
        "output": tensor(call, node.output),
        "table": call.symbol(node.inputs[1]),
        "levels": str(round(1 / quant.tensor_scale)),
        "output_zero": str(quant.zero_point),
    }


def _transpose(call: CallContext, node: Node) -> Struct:
    shape = call.graph.values[node.inputs[0]].shape
    pitches = [1]
    for extent in reversed(shape[1:]):
        pitches.insert(0, pitches[0] * extent)
    missing = 4 - len(shape)
    out_shape = [1] * missing + list(call.graph.values[node.output].shape)
    out_pitch = [0] * missing + [pitches[axis] for axis in node.attrs.perm]
    return {
        "input": call.arena.address(node.inputs[0]),
        "output": call.arena.address(node.output),
        "shape": "{" + ", ".join(map(str, out_shape)) + "}",
        "input_pitch": "{" + ", ".join(map(str, out_pitch)) + "}",
    }


def _window(window: Window) -> Struct:
    pads = window.pads
    pairs = {"kernel": window.kernel, "stride": window.stride, "dilation": window.dilation}
    fields: Struct = {}
    for name, (height, width) in pairs.items():
        fields[f"{name}_height"] = str(height)
        fields[f"{name}_width"] = str(width)
    fields["pads"] = f"{{{pads.top}, {pads.left}, {pads.bottom}, {pads.right}}}"
    return fields


def _requant(call: CallContext, node: Node) -> Struct:
    tables: RequantTables = requant_tables(call.graph, node)
    return {
        "multiplier": call.symbol(node.rq.multiplier),
        "rounding": call.symbol(node.rq.rounding),
        "shift": call.symbol(node.rq.shift),
        "channel_step": str(tables.step),
        "rule": _RULES[node.rq.rule],
        "low": str(node.rq.low),
        "high": str(node.rq.high),
    }


_BUILDERS: dict[str, tuple[str, Callable[[CallContext, Node], Struct]]] = {
    "Conv2d": ("dpl_conv2d_s8_args", _conv),
    "DepthwiseConv2d": ("dpl_depthwise_conv2d_s8_args", _depthwise),
    "FullyConnected": ("dpl_fully_connected_s8_args", _dense),
    "Add": ("dpl_add_s8_args", _add),
    "AveragePool": ("dpl_pool_s8_args", _pool),
    "MaxPool": ("dpl_pool_s8_args", _pool),
    "Rescale": ("dpl_rescale_s8_args", _unary),
    "Softmax": ("dpl_softmax_s8_args", _softmax),
    "Transpose": ("dpl_transpose_s8_args", _transpose),
}
