"""The argument struct of every kernel call, as nested names and C expressions.

A struct is a dict from field to value; a value is a C expression or another struct. Templates turn
it into a designated initializer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from deployer.codegen import move_arguments
from deployer.codegen.call import Call, CallContext, Struct, tensor
from deployer.codegen.move_arguments import pair
from deployer.codegen.real_arguments import REAL_BUILDER_OF, window_fields
from deployer.ir import OPS, InvariantError, Node, RequantRule, copied, operator_table
from deployer.kernelset import REAL, Arguments, arguments_of, case_of
from deployer.numerics import fraction_bits, integer_epsilon, norm_count
from deployer.schedule import RequantTables, requant_tables

_WORD = (1 << 32) - 1
_RULES: dict[str, str] = {rule: f"DPL_{rule.upper()}" for rule in RequantRule}


def arguments(call: CallContext, node: Node) -> Call:
    """The argument struct of ``node``'s kernel."""
    case, given = case_of(call.graph, node), arguments_of(node.op)
    types = "_".join(filter(None, (case.act, case.out_act)))
    build = REAL_BUILDER_OF if types == REAL else _BUILDER_OF
    fields = stated(given, build[node.op](call, node), types)
    parts = move_arguments.concat_parts(call, node) if given.part else ()
    return Call(given.struct(types), fields, parts, given.part_struct(types))


def stated(given: Arguments, fields: Struct, types: str) -> Struct:
    """``fields``, which are those of ``given`` for ``types``: C would take a missing one for 0.
    Raises InvariantError when one is missing or has another name."""
    names = given.names(types)
    found = fields.keys() | names.intersection(given.optional)
    if found != names:
        wrong = ", ".join(sorted(names ^ found))
        raise InvariantError(f"arguments {given.name}: {wrong}")
    return fields


def _conv(call: CallContext, node: Node) -> Struct:
    return {
        **_linear(call, node),
        "window": window_fields(node.attrs.window),
        "groups": str(node.attrs.groups),
        "input_zero": call.zero(node.inputs[0]),
        "requant": _requant(call, node),
        "scratch": call.scratch,
    }


def _depthwise(call: CallContext, node: Node) -> Struct:
    fields = _conv(call, node)
    del fields["groups"]
    return fields


def _fully_connected(call: CallContext, node: Node) -> Struct:
    return {**_linear(call, node), "requant": _requant(call, node), "scratch": call.scratch}


def _linear(call: CallContext, node: Node) -> Struct:
    return {
        **pair(call, node),
        "weights": call.weights(node),
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
        "left_zero": call.zero(node.inputs[0]),
        "right_zero": call.zero(node.inputs[1]),
        "output_zero": call.zero(node.output),
    }


def _unary(call: CallContext, node: Node) -> Struct:
    return {**pair(call, node), "requant": _requant(call, node)}


def _pool(call: CallContext, node: Node) -> Struct:
    fields = _unary(call, node)
    return {**fields, "window": window_fields(node.attrs.window), "scratch": call.scratch}


def _softmax(call: CallContext, node: Node) -> Struct:
    quant = call.graph.values[node.output].q
    return {
        **pair(call, node),
        "table": call.symbol(node.inputs[1]),
        "levels": str(round(1 / quant.tensor_scale)),
        "output_zero": str(quant.zero_point),
    }


def _mul(call: CallContext, node: Node) -> Struct:
    """The larger input is the kernel's left one."""
    left, right = node.inputs
    if call.hwc(left) != call.hwc(node.output):
        left, right = right, left
    return _product(call, left, right, node)


def _matmul(call: CallContext, node: Node) -> Struct:
    left, right = node.inputs
    return {**_product(call, left, right, node), "scratch": call.scratch}


def _product(call: CallContext, left: str, right: str, node: Node) -> Struct:
    return {
        "left": tensor(call, left),
        "right": tensor(call, right),
        "output": tensor(call, node.output),
        "left_zero": call.zero(left),
        "right_zero": call.zero(right),
        "requant": _requant(call, node),
    }


def _norm(call: CallContext, node: Node) -> Struct:
    value = call.graph.values[node.first]
    count = norm_count(node, value.shape)
    epsilon = integer_epsilon(node.attrs.epsilon, count, value.q.tensor_scale)
    return {
        **pair(call, node),
        "scale": call.symbol(node.inputs[1]),
        "offset": call.symbol(node.inputs[2]),
        "groups": str(node.attrs.groups),
        "fraction": str(fraction_bits(count)),
        "epsilon": f"{{{epsilon & _WORD}u, {epsilon >> 32}u}}",
        "requant": _requant(call, node),
    }


def _prelu(call: CallContext, node: Node) -> Struct:
    fields = pair(call, node)
    return {**fields, "input_zero": call.zero(node.inputs[0]), "requant": _requant(call, node)}


def _table(call: CallContext, node: Node) -> Struct:
    return {**pair(call, node), "table": call.symbol(node.inputs[1])}


def _concat(call: CallContext, node: Node) -> Struct:
    return {
        "parts": f"{call.function}_parts",
        "count": str(len(copied(call.graph, node))),
        "requant": _requant(call, node),
    }


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


_BUILDERS: Mapping[str, Callable[[CallContext, Node], Struct]] = {
    "conv2d": _conv,
    "depthwise_conv2d": _depthwise,
    "conv_transpose2d": _conv,
    "fully_connected": _fully_connected,
    "add": _add,
    "mul": _mul,
    "matmul": _matmul,
    "norm": _norm,
    "prelu": _prelu,
    "table": _table,
    "pool": _pool,
    "rescale": _unary,
    "softmax": _softmax,
    "concat": _concat,
    "copy": move_arguments.copy,
    "pad": move_arguments.pad,
    "resize": move_arguments.resize,
    "resample": move_arguments.resample,
    "block": move_arguments.blocks,
    "transpose": move_arguments.transpose,
}
_BUILDER_OF = operator_table(
    "argument structs (codegen.arguments)",
    {op: _BUILDERS[spec.arguments] for op, spec in OPS.items() if spec.arguments in _BUILDERS},
    without=[op for op, spec in OPS.items() if spec.alias],
)
