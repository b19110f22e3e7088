"""The argument structs of float kernels: bounds of fused activations in place of requantization."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deployer.codegen import move_arguments
from deployer.codegen.call import CallContext, Struct, tensor
from deployer.codegen.literals import float_literal
from deployer.codegen.move_arguments import pair
from deployer.codegen.statement import expression
from deployer.ir import OPS, Clamp, Node, Window, copied


def window_fields(window: Window) -> Struct:
    """The fields of a dpl_window."""
    pads = window.pads
    pairs = {"kernel": window.kernel, "stride": window.stride, "dilation": window.dilation}
    fields: Struct = {}
    for name, (height, width) in pairs.items():
        fields[f"{name}_height"] = str(height)
        fields[f"{name}_width"] = str(width)
    fields["pads"] = expression("pads", pads.top, pads.left, pads.bottom, pads.right)
    return fields


def _bounds(clamp: Clamp) -> Struct:
    return {
        "low": float_literal("-inf" if clamp.low is None else clamp.low),
        "high": float_literal("inf" if clamp.high is None else clamp.high),
    }


def _dense(call: CallContext, node: Node) -> Struct:
    return {
        **pair(call, node),
        "weights": call.weights(node),
        "bias": call.symbol(node.inputs[2]),
        **_bounds(node.attrs.clamp),
        "scratch": call.scratch,
    }


def _depthwise(call: CallContext, node: Node) -> Struct:
    return {**_dense(call, node), "window": window_fields(node.attrs.window)}


def _conv(call: CallContext, node: Node) -> Struct:
    return {**_depthwise(call, node), "groups": str(node.attrs.groups)}


def _two(call: CallContext, left: str, right: str, node: Node) -> Struct:
    return {
        "left": tensor(call, left),
        "right": tensor(call, right),
        "output": tensor(call, node.output),
        **_bounds(node.attrs.clamp),
    }


def _add(call: CallContext, node: Node) -> Struct:
    sign = float_literal(-1.0 if node.op == "Sub" else 1.0)
    left, right = node.inputs
    return {**_two(call, left, right, node), "sign": sign}


def _mul(call: CallContext, node: Node) -> Struct:
    """The larger input is the kernel's left one."""
    left, right = node.inputs
    if call.hwc(left) != call.hwc(node.output):
        left, right = right, left
    return _two(call, left, right, node)


def _matmul(call: CallContext, node: Node) -> Struct:
    left, right = node.inputs
    fields = _two(call, left, right, node)
    return {**fields, "scale": float_literal(node.attrs.scale), "scratch": call.scratch}


def _norm(call: CallContext, node: Node) -> Struct:
    return {
        **_bounded(call, node),
        "scale": call.symbol(node.inputs[1]),
        "offset": call.symbol(node.inputs[2]),
        "groups": str(node.attrs.groups),
        "epsilon": float_literal(node.attrs.epsilon),
    }


def _bounded(call: CallContext, node: Node) -> Struct:
    return {**pair(call, node), **_bounds(node.attrs.clamp)}


def _prelu(call: CallContext, node: Node) -> Struct:
    return {**_bounded(call, node), "slopes": call.symbol(node.inputs[1])}


def _function(call: CallContext, node: Node) -> Struct:
    attrs = node.attrs
    return {
        **pair(call, node),
        "function": f"DPL_{attrs.function.upper()}",
        "alpha": float_literal(attrs.alpha),
        "beta": float_literal(attrs.beta),
    }


def _pool(call: CallContext, node: Node) -> Struct:
    return {
        **_bounded(call, node),
        "window": window_fields(node.attrs.window),
        "all_taps": str(int(node.attrs.count_include_pad)),
        "scratch": call.scratch,
    }


def _concat(call: CallContext, node: Node) -> Struct:
    return {"parts": f"{call.function}_parts", "count": str(len(copied(call.graph, node)))}


def _pad(call: CallContext, node: Node) -> Struct:
    return {**move_arguments.placed(call, node), "value": float_literal(node.attrs.value)}


_BUILDERS: Mapping[str, Callable[[CallContext, Node], Struct]] = {
    "conv2d": _conv,
    "depthwise_conv2d": _depthwise,
    "conv_transpose2d": _conv,
    "fully_connected": _dense,
    "add": _add,
    "mul": _mul,
    "matmul": _matmul,
    "norm": _norm,
    "prelu": _prelu,
    "table": _function,
    "pool": _pool,
    "rescale": _bounded,
    "softmax": pair,
    "concat": _concat,
    "copy": move_arguments.copy,
    "pad": _pad,
    "resize": move_arguments.resize,
    "resample": move_arguments.resample,
    "block": move_arguments.blocks,
    "transpose": move_arguments.transpose,
}
# An operator without an entry has no kernel of floats, which selection refuses by name.
REAL_BUILDER_OF: Mapping[str, Callable[[CallContext, Node], Struct]] = {
    op: _BUILDERS[spec.arguments] for op, spec in OPS.items() if spec.arguments in _BUILDERS
}
