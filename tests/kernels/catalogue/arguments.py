"""Words and constants of each operator's arguments, as the driver reads them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from catalogue.problem import Problem
from catalogue.real import bits, bounds
from deployer.ir.attrs import Pads, Window
from deployer.ir.ops import OPS
from deployer.ir.rules import MEANS, PRODUCTS, RequantRule
from deployer.kernelset.arguments import REQUANTIZE, SUMS
from deployer.numerics import fraction_bits, integer_epsilon, norm_count
from deployer.numerics.functions import FUNCTIONS
from deployer.numerics.integer import pad_value
from deployer.numerics.interpolate import weight_bits

Words = tuple[int, ...]
Constants = tuple[Words, tuple[np.ndarray, ...]]


def arguments(problem: Problem, pads: Pads | None) -> Constants:
    """Everything but the tensors; ``pads`` are the window's beyond the part of the input, or top
    and left say where the output lies beside it."""
    window = getattr(problem.node.attrs, "window", None)
    op = problem.node.op
    name = OPS[op].arguments if op in OPS else op
    table = _REAL_ARGUMENTS if problem.expected.dtype.kind == "f" else _ARGUMENTS
    return table[name](problem, _window_words(window, pads))


def _window_words(window: Window | None, pads: Pads | None) -> Words:
    if window is None or pads is None:
        return (pads.top, pads.left) if pads else ()
    sides = (pads.top, pads.left, pads.bottom, pads.right)
    return (*window.kernel, *window.stride, *window.dilation, *sides)


def _requant(problem: Problem) -> Words:
    rq = problem.node.rq
    step = int(len(problem.tables[0]) > 1)
    return step, (*PRODUCTS, *MEANS).index(rq.rule), rq.low, rq.high


def _tables(problem: Problem) -> tuple[np.ndarray, ...]:
    """Of a layer with weights: by the rule q32 one zero point and no shift, as docs/arithmetic.md
    has it, so that a kernel that reads more reads what is not there."""
    multiplier, rounding, shift = problem.tables
    if problem.node.rq.rule == RequantRule.Q32:
        return multiplier, rounding[:1], shift[:0]
    return multiplier, rounding, shift


def _zero_in(problem: Problem) -> int:
    return problem.graph.values["x0"].q.zero_point


def _conv(problem: Problem, window: Words) -> Constants:
    words = (*window, problem.node.attrs.groups, _zero_in(problem), *_requant(problem))
    return words, (problem.constant(1), problem.constant(2), *_tables(problem))


def _sums(problem: Problem, window: Words) -> Constants:
    constants = problem.graph.constants
    return (*window, 1, _zero_in(problem)), (constants["w"], constants["b"])


def _depthwise(problem: Problem, window: Words) -> Constants:
    words = (*window, _zero_in(problem), *_requant(problem))
    return words, (problem.constant(1), problem.constant(2), *_tables(problem))


def _fully_connected(problem: Problem, window: Words) -> Constants:
    return _requant(problem), (problem.constant(1), problem.constant(2), *_tables(problem))


def _requant_only(problem: Problem, window: Words) -> Constants:
    return (*window, *_requant(problem)), problem.tables


def _add(problem: Problem, window: Words) -> Constants:
    numbers = [int(number) for table in problem.tables for number in table]
    names = (*problem.node.inputs, problem.node.output)
    zeros = (problem.graph.values[name].q.zero_point for name in names)
    return (*numbers, problem.node.rq.low, problem.node.rq.high, *zeros), ()


def _softmax(problem: Problem, window: Words) -> Constants:
    quant = problem.graph.values["y"].q
    return (round(1 / quant.tensor_scale), quant.zero_point), (problem.constant(1),)


def _transpose(problem: Problem, window: Words) -> Constants:
    x = np.ascontiguousarray(problem.inputs[0])
    pitches = [stride // x.itemsize for stride in x.strides]
    return (*problem.expected.shape, *(pitches[axis] for axis in problem.node.attrs.perm)), ()


def _mul(problem: Problem, window: Words) -> Constants:
    zeros = (problem.graph.values[name].q.zero_point for name in problem.node.inputs)
    return (*zeros, *_requant(problem)), problem.tables


def _norm(problem: Problem, window: Words) -> Constants:
    node, shape = problem.node, problem.inputs[0].shape
    count = norm_count(node, shape)
    epsilon = integer_epsilon(node.attrs.epsilon, count, 1.0)
    words = np.array([epsilon & 0xFFFFFFFF, epsilon >> 32], np.uint32).view(np.int32).tolist()
    before = (node.attrs.groups, fraction_bits(count), *words)
    constants = (problem.constant(1), problem.constant(2), *problem.tables)
    return (*before, *_requant(problem)), constants


def _prelu(problem: Problem, window: Words) -> Constants:
    """The tables are those of more channels than the tensor has, a number of which come before."""
    first = problem.inputs[0].shape[-1] % 4
    tables = tuple(np.insert(table, [1] * first, table[-1] ^ 1) for table in problem.tables)
    return (_zero_in(problem), first, *_requant(problem)), tables


def _concat(problem: Problem, window: Words) -> Constants:
    """The axis as one of height, width, channels."""
    axis = problem.node.attrs.axis + 3 - problem.expected.ndim
    return (axis, *_requant(problem)), problem.tables


def _pad(problem: Problem, start: Words) -> Constants:
    before = (0, 0, *problem.node.attrs.before[1:])[-3:]
    place = (*(start or before[:2]), before[2])
    return (*place, pad_value(problem.graph, problem.node)), ()


def _resize(problem: Problem, start: Words) -> Constants:
    attrs = problem.node.attrs
    begin = *(start or (0, 0)), *attrs.start
    return (*attrs.factors, *begin, int(attrs.half_pixel), weight_bits(attrs)), ()


def _resample(problem: Problem, window: Words) -> Constants:
    weights, starts = problem.constant(1), problem.constant(2)
    return (weights.shape[1], problem.node.attrs.axis - 1), (weights, starts)


def _block(problem: Problem, start: Words) -> Constants:
    attrs = problem.node.attrs
    return (attrs.block, *(start or (0, 0)), int(attrs.column_first)), ()


# by argument struct
_ARGUMENTS: dict[str, Callable[[Problem, Words], Constants]] = {
    "conv2d": _conv,
    "conv_transpose2d": _conv,
    "depthwise_conv2d": _depthwise,
    "fully_connected": _fully_connected,
    "add": _add,
    "mul": _mul,
    "matmul": _mul,
    "norm": _norm,
    "prelu": _prelu,
    "table": lambda problem, window: ((), (problem.constant(1),)),
    "concat": _concat,
    "copy": lambda problem, window: ((), ()),
    "pad": _pad,
    "resize": _resize,
    "resample": _resample,
    "block": _block,
    "rescale": _requant_only,
    "pool": _requant_only,
    "softmax": _softmax,
    "transpose": _transpose,
    SUMS: _sums,
    REQUANTIZE: _requant_only,
}


def _real_conv(problem: Problem, window: Words) -> Constants:
    return (*window, problem.node.attrs.groups, *bounds(problem)), _weights(problem)


def _real_depthwise(problem: Problem, window: Words) -> Constants:
    return (*window, *bounds(problem)), _weights(problem)


def _weights(problem: Problem) -> tuple[np.ndarray, ...]:
    return problem.constant(1), problem.constant(2)


def _real_function(problem: Problem, window: Words) -> Constants:
    attrs = problem.node.attrs
    return (list(FUNCTIONS).index(attrs.function), bits(attrs.alpha), bits(attrs.beta)), ()


def _real_concat(problem: Problem, window: Words) -> Constants:
    return (problem.node.attrs.axis + 3 - problem.expected.ndim,), ()


def _real_pad(problem: Problem, start: Words) -> Constants:
    before = (0, 0, *problem.node.attrs.before[1:])[-3:]
    return (*(start or before[:2]), before[2], bits(problem.node.attrs.value)), ()


def _real_pool(problem: Problem, window: Words) -> Constants:
    return (*window, int(problem.node.attrs.count_include_pad), *bounds(problem)), ()


def _real_matmul(problem: Problem, window: Words) -> Constants:
    return (bits(problem.node.attrs.scale), *bounds(problem)), ()


def _real_norm(problem: Problem, window: Words) -> Constants:
    attrs = problem.node.attrs
    words = (attrs.groups, bits(attrs.epsilon), *bounds(problem))
    return words, (problem.constant(1), problem.constant(2))


def _sign(problem: Problem) -> int:
    return bits(-1.0 if problem.node.op == "Sub" else 1.0)


_REAL_ARGUMENTS: dict[str, Callable[[Problem, Words], Constants]] = {
    "conv2d": _real_conv,
    "conv_transpose2d": _real_conv,
    "depthwise_conv2d": _real_depthwise,
    "fully_connected": lambda problem, window: (bounds(problem), _weights(problem)),
    "add": lambda problem, window: ((_sign(problem), *bounds(problem)), ()),
    "mul": lambda problem, window: (bounds(problem), ()),
    "prelu": lambda problem, window: (bounds(problem), (problem.constant(1),)),
    "matmul": _real_matmul,
    "norm": _real_norm,
    "table": _real_function,
    "concat": _real_concat,
    "copy": lambda problem, window: ((), ()),
    "pad": _real_pad,
    "resize": _resize,
    "resample": _resample,
    "block": _block,
    "rescale": lambda problem, window: (bounds(problem), ()),
    "pool": _real_pool,
    "softmax": lambda problem, window: ((), ()),
    "transpose": _transpose,
}
