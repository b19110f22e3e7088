"""What the operands of an integer node must be for its kernel to stay inside of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    ConvAttrs,
    ConvTransposeAttrs,
    PadAttrs,
    PoolAttrs,
    ReshapeAttrs,
    ResizeAttrs,
    ResizeMode,
    SliceAttrs,
    TransposeAttrs,
    Window,
)
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS, Entries, same_shape
from deployer.ir.rules import MEANS, RequantRule
from deployer.ir.types import DType, Value

_MAX_STEP = 1 << 20  # of a kernel, stride, dilation or pad
_TABLES = (DType.S32, DType.S32, DType.U8)


def operand_faults(graph: Graph, node: Node) -> Iterator[str]:
    """What is wrong with the operands of ``node``, whose shapes follow the operator table."""
    values = [graph.values[name] for name in node.inputs]
    if len(node.outputs) != 1:
        yield "it has not one output"
    own, spec = len(graph.activations(node)), OPS[node.op]
    wrong = spec.activations not in (0, own) or not own
    if wrong or len(values) != own + spec.constants:
        yield f"it reads {own} activations and {len(values) - own} constants"
        return
    yield from _window_faults(node)
    yield from _move_faults(node, values)
    yield from _type_faults(graph, node, values[:own])
    yield from _constant_faults(node, values)
    if node.requant is not None:
        yield from _requant_faults(graph, node, values)


def _window_faults(node: Node) -> Iterator[str]:
    if not isinstance(node.attrs, ConvAttrs | ConvTransposeAttrs | PoolAttrs):
        return
    window: Window = node.attrs.window
    sides = chain(window.kernel, window.stride, window.dilation)
    pads = (window.pads.top, window.pads.left, window.pads.bottom, window.pads.right)
    if not all(0 < side < _MAX_STEP for side in sides) or not all(0 <= p < _MAX_STEP for p in pads):
        yield f"a window {window}"


def _move_faults(node: Node, values: list[Value]) -> Iterator[str]:
    """Of operators that move elements: all they read is there, once."""
    attrs, shape = node.attrs, values[0].shape
    for kind, check in _MOVES.items():
        if isinstance(attrs, kind) and not check(attrs, values):
            yield f"{attrs} of {shape}"
    if isinstance(attrs, BlockAttrs | ResizeAttrs) and len(shape) != 4:
        yield f"an image of shape {shape}"


def _slices(attrs: SliceAttrs, values: list[Value]) -> bool:
    ends = zip(attrs.begin, attrs.end, values[0].shape, strict=True)
    return all(0 <= begin < end <= extent for begin, end, extent in ends)


def _joins(attrs: ConcatAttrs, values: list[Value]) -> bool:
    axis = attrs.axis
    rest = {value.shape[:axis] + value.shape[axis + 1 :] for value in values}
    return 0 <= axis < len(values[0].shape) and len(rest) == 1


def _magnifies(attrs: ResizeAttrs) -> bool:
    """A start within a copy; samples of a linear one lie where its attributes say."""
    near = all(abs(s) <= factor for s, factor in zip(attrs.start, attrs.factors, strict=True))
    return (
        min(attrs.factors) >= 1
        and near
        and (attrs.mode == ResizeMode.NEAREST or not any(attrs.start))
    )


_MOVES: dict[type, Callable[[Any, list[Value]], bool]] = {
    SliceAttrs: _slices,
    ConcatAttrs: _joins,
    PadAttrs: lambda attrs, values: min(*attrs.before, *attrs.after) >= 0,
    TransposeAttrs: lambda attrs, values: sorted(attrs.perm) == list(range(len(values[0].shape))),
    ResizeAttrs: lambda attrs, values: _magnifies(attrs),
    BlockAttrs: lambda attrs, values: attrs.block >= 1,
}


def _type_faults(graph: Graph, node: Node, values: list[Value]) -> Iterator[str]:
    output, spec = graph.values[node.output], OPS[node.op]
    types = {value.dtype for value in values}
    if len(types) > 1 or not (spec.changes_type or output.dtype in types):
        yield "activations of different types"
    if isinstance(node.attrs, ReshapeAttrs) and output.elements != values[0].elements:
        yield f"{values[0].shape} as {output.shape}"
    same = spec.shape is same_shape
    if same and any(value.shape != output.shape for value in values):
        yield "activations of different shapes"
    if node.op == "MatMul" and not _multiply(values[0].shape, values[1].shape):
        yield f"a product of {values[0].shape} and {values[1].shape}"
    spreads = spec.elementwise and not same
    if spreads and any(not _spreads(value.shape, output.shape) for value in values):
        yield "activations whose shapes do not go together"


def _multiply(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether each row of pixels of one meets one of the other, of as many channels."""
    same = (left[1], left[-1]) == (right[1], right[-1]) if len(left) == len(right) else False
    return len(left) == 4 and same


def _spreads(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether it is that shape, or one pixel of it."""
    return shape == whole or shape == (1,) * (len(whole) - 1) + whole[-1:]


def _constant_faults(node: Node, values: list[Value]) -> Iterator[str]:
    spec = OPS[node.op]
    if spec.channel_axis is not None:
        yield from _weight_faults(node, values, spec.channel_axis)
    elif spec.arguments == "norm":
        yield from _norm_faults(node, values)
    elif node.op == "Resample":
        yield from _resample_faults(node, values)
    elif spec.constants:
        found = values[1].shape, values[1].dtype
        if found != spec.lookup.get(values[0].dtype):
            yield f"a table of {found[0]} {found[1].value}"


def _weight_faults(node: Node, values: list[Value], axis: int) -> Iterator[str]:
    x, weights, bias = (value.shape for value in values)
    if (values[1].dtype, values[2].dtype) != (DType.S8, DType.S32):
        yield f"weights of {values[1].dtype.value}, biases of {values[2].dtype.value}"
    if bias != (weights[axis],):
        yield f"biases {bias} for {weights[axis]} channels"
    if node.op == "FullyConnected" and (len(x), *weights[1:]) != (2, x[-1]):
        yield f"weights {weights} for {x}"
    if isinstance(node.attrs, ConvAttrs | ConvTransposeAttrs):
        yield from _kernel_faults(node, x, weights)


def _norm_faults(node: Node, values: list[Value]) -> Iterator[str]:
    channels = values[0].shape[-1]
    found = [(value.shape, value.dtype) for value in values[1:]]
    if found != [((channels,), DType.S16), ((channels,), DType.S32)]:
        yield f"scales and offsets {found} for {channels} channels"
    if node.attrs.groups < 1 or channels % node.attrs.groups:
        yield f"{node.attrs.groups} groups of {channels} channels"


def _resample_faults(node: Node, values: list[Value]) -> Iterator[str]:
    """Whether the inputs of an output are there is the importer's to see: ``starts`` is data."""
    weights, starts = values[1:]
    found = (weights.dtype, starts.dtype)
    if found != (DType.S16, DType.S32) or len(weights.shape) != 2:
        yield f"weights and starts of {[kind.value for kind in found]}"
    elif starts.shape != weights.shape[:1]:
        yield f"{starts.shape} starts for weights {weights.shape}"
    elif len(values[0].shape) != 4 or node.attrs.axis not in (1, 2):
        yield f"axis {node.attrs.axis} of {values[0].shape}"
    elif weights.shape[1] > values[0].shape[node.attrs.axis]:
        yield f"weights {weights.shape} for {values[0].shape}"


def _kernel_faults(node: Node, x: tuple[int, ...], weights: tuple[int, ...]) -> Iterator[str]:
    kernel, groups, channels = node.attrs.window.kernel, node.attrs.groups, x[-1]
    if OPS[node.op].channelwise:
        fits = weights[:2] == kernel and weights[2] % channels == 0
    else:
        fits = groups >= 1 and weights[1:3] == kernel and weights[3] * groups == channels
        fits = fits and weights[0] % groups == 0
    if not fits:
        yield f"weights {weights} for a window {kernel} and {channels} channels in {groups} groups"


def _requant_faults(graph: Graph, node: Node, values: list[Value]) -> Iterator[str]:
    rq, output = node.rq, graph.values[node.output]
    tables = [graph.values[name] for name in (rq.multiplier, rq.rounding, rq.shift)]
    means = rq.rule in MEANS
    if rq.rule not in tuple(RequantRule) or (means and OPS[node.op].entries is not Entries.TAPS):
        yield f"a requantization rule {rq.rule!r}"
    if means and (graph.constants[rq.multiplier] < 1).any():
        yield "a mean of less than one tap"
    low, high = (-(1 << (8 * output.dtype.bytes - 1)), (1 << (8 * output.dtype.bytes - 1)) - 1)
    if not low <= rq.low <= rq.high <= high:
        yield f"bounds {rq.low} to {rq.high}"
    if tuple(table.dtype for table in tables) != _TABLES:
        yield "requantization tables of other types"
    counts = [table.elements for table in tables]
    if any(len(table.shape) != 1 for table in tables) or not _enough(node, values, counts, output):
        yield f"requantization tables of {counts} entries"
    yield from _entry_faults(graph, node)


def _entry_faults(graph: Graph, node: Node) -> Iterator[str]:
    zeros = graph.constants[node.rq.rounding]
    if (graph.constants[node.rq.shift] > 62).any():
        yield "a shift of more than 62"
    if node.rq.rule == RequantRule.Q32 and OPS[node.op].linear and (zeros != zeros[:1]).any():
        yield "zero points of channels that differ"


def _enough(node: Node, values: list[Value], counts: list[int], output: Value) -> bool:
    """Whether each table has the entries that the operator reads."""
    wanted = _COUNTS.get(OPS[node.op].entries)
    if wanted is not None:
        return counts == wanted(node, values, output)
    return len(set(counts)) == 1 and counts[0] in (1, output.shape[-1])


_COUNTS: dict[Entries, Callable[[Node, list[Value], Value], list[int]]] = {
    Entries.PAIR: lambda node, values, output: [2, 1, 1],
    Entries.TAPS: lambda node, values, output: [node.attrs.window.taps] * 3,
    Entries.SLOPES: lambda node, values, output: [1 + output.shape[-1]] * 3,
    Entries.INPUTS: lambda node, values, output: [len(values)] * 3,
}
