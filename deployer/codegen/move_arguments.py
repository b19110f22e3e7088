"""Arguments of the operators that move elements."""

from __future__ import annotations

from deployer.codegen.call import CallContext, Struct, offsets, tensor, window
from deployer.ir import Node, ResizeMode, viewed
from deployer.numerics import pad_value, weight_bits


def transpose(call: CallContext, node: Node) -> Struct:
    shape = call.graph.values[node.inputs[0]].shape
    pitches = [1]
    for extent in reversed(shape[1:]):
        pitches.insert(0, pitches[0] * extent)
    missing = 4 - len(shape)
    out_shape = [1] * missing + list(call.graph.values[node.output].shape)
    out_pitch = [0] * missing + [pitches[axis] for axis in node.attrs.perm]
    return {
        "input": call.data(node.inputs[0]),
        "output": call.data(node.output),
        "shape": "{" + ", ".join(map(str, out_shape)) + "}",
        "input_pitch": "{" + ", ".join(map(str, out_pitch)) + "}",
    }


def concat_parts(call: CallContext, node: Node) -> tuple[Struct, ...]:
    """Each input that is not in its place yet, with the window of the output it fills."""
    shape, axis = call.graph.values[node.output].shape, node.attrs.axis
    parts: list[Struct] = []
    there, done = viewed(call.graph, node), 0
    for name in call.graph.activations(node):
        begin = tuple(done if i == axis else 0 for i in range(len(shape)))
        output = window(call, node.output, at=offsets(begin), size=call.hwc(name))
        if name not in there:
            parts.append({"input": tensor(call, name), "output": output})
        done += call.graph.values[name].shape[axis]
    return tuple(parts)


def copy(call: CallContext, node: Node) -> Struct:
    """A Slice: the input is a window of its source."""
    begin = offsets(node.attrs.begin)
    return {
        "input": window(call, node.inputs[0], at=begin, size=call.hwc(node.output)),
        "output": tensor(call, node.output),
    }


def pad(call: CallContext, node: Node) -> Struct:
    return {**placed(call, node), "value": str(pad_value(call.graph, node))}


def placed(call: CallContext, node: Node) -> Struct:
    """Of a Pad: where its input lies in the output."""
    top, left, channel = offsets(node.attrs.before)
    return {**pair(call, node), "top": str(top), "left": str(left), "channel": str(channel)}


def resize(call: CallContext, node: Node) -> Struct:
    attrs = node.attrs
    return {
        **pair(call, node),
        "factor_height": str(attrs.factors[0]),
        "factor_width": str(attrs.factors[1]),
        "top": "0",
        "left": "0",
        "start_height": str(attrs.start[0]),
        "start_width": str(attrs.start[1]),
        "half_pixel": str(int(attrs.half_pixel)),
        "shift": str(weight_bits(attrs)) if attrs.mode == ResizeMode.LINEAR else "0",
    }


def resample(call: CallContext, node: Node) -> Struct:
    weights, starts = node.inputs[1:3]
    return {
        **pair(call, node),
        "weights": call.symbol(weights),
        "starts": call.symbol(starts),
        "taps": str(call.graph.values[weights].shape[1]),
        "axis": str(node.attrs.axis - 1),
    }


def blocks(call: CallContext, node: Node) -> Struct:
    start: Struct = {"top": "0", "left": "0"} if node.op == "DepthToSpace" else {}
    return {
        **pair(call, node),
        "block": str(node.attrs.block),
        **start,
        "column_first": str(int(node.attrs.column_first)),
    }


def pair(call: CallContext, node: Node) -> Struct:
    """First input and output, whole."""
    return {"input": tensor(call, node.inputs[0]), "output": tensor(call, node.output)}
