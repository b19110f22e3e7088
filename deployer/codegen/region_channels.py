"""Functions and tables of a region in groups of channels: what dpl/channels.h runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deployer.analysis import ChannelLayout, sums_id
from deployer.codegen.arguments import arguments, stated
from deployer.codegen.call import Call, CallContext, Struct, Tensor, tensor
from deployer.codegen.names import plain_text
from deployer.codegen.region import PieceView
from deployer.codegen.statement import Share, Statement, Term, expression, statement
from deployer.errors import ModelError
from deployer.ir import OPS, ConvAttrs, Entries, Graph, Node, Step, channels_of
from deployer.kernelset import REQUANTIZE, SUMS, arguments_of, select_part

SOURCE = "kernels/runtime/region_channels.c"
HEADERS = ("dpl/channels.h", "dpl/sums.h")
_MAX_CHANNELS = 32767  # channels: the tables have int16


@dataclass(frozen=True)
class ChannelView:
    """A region's table: ``finish`` turns sums into the output, None if there are none."""

    pieces: tuple[PieceView, ...]
    finish: PieceView | None
    points: tuple[int, ...]
    groups: int
    buffers: tuple[tuple[Term, int], ...]


def channel_view(
    layout: ChannelLayout, steps: Sequence[Step], contexts: Sequence[CallContext]
) -> ChannelView:
    """The region of ``steps``; ``contexts`` are those of its nodes. Raises ModelError when it has
    more channels than the table can name."""
    _check_channels(layout)
    places = {name: slot.owner for name, slot in layout.slots.items()}
    pieces, finish = [], None
    for node, step, outer in zip(layout.steps, steps, contexts, strict=True):
        call = _inside(layout, node, outer, places)
        if node.output == layout.summed:
            pieces.append(_summing(layout, node, call))
            finish = _finishing(node, call)
        else:
            pieces.append(_piece(layout, node, call, step))
    arena, points = contexts[0].arena, layout.region.channels
    buffers = tuple((arena.address(name), s.bytes) for name, s in layout.stored.items())
    return ChannelView(tuple(pieces), finish, tuple(points), layout.groups, buffers)


def kernels_in_groups(layout: ChannelLayout) -> tuple[str, ...]:
    """Symbols of the kernels it runs in place of that of the layer it sums up."""
    if not layout.summed:
        return ()
    node, values = layout.steps[-1], layout.scope.graph.values
    source, target = (values[name].dtype.name.lower() for name in (node.inputs[0], node.output))
    return select_part(SUMS, source, "s32").symbol, select_part(REQUANTIZE, "s32", target).symbol


def weights_in_groups(layout: ChannelLayout, node: Node) -> np.ndarray | None:
    """A node's weights group after group, if those of a group are not neighbours as the IR has
    them."""
    if not _is_regrouped(layout, node):
        return None
    if node.output == layout.summed:
        return _regrouped(layout, layout.sum_weights, layout.sum_source)
    return _regrouped(layout, layout.scope.graph.constants[node.inputs[1]], node.output)


def group_constants(layout: ChannelLayout) -> Iterator[str]:
    """Names of the weights that are stored group after group."""
    return (group_weights(node) for node in layout.steps if _is_regrouped(layout, node))


def group_weights(node: Node) -> str:
    """What the weights of a node are called when they are stored group after group."""
    return f"{node.inputs[1]} of {node.name} in groups"


def _is_regrouped(layout: ChannelLayout, node: Node) -> bool:
    return node.output == layout.summed or _is_depthwise(node)


def _is_depthwise(node: Node) -> bool:
    return OPS[node.op].linear and OPS[node.op].channelwise


def _regrouped(layout: ChannelLayout, array: np.ndarray, value: str) -> np.ndarray:
    """The last axis of ``array`` cut as the channels of ``value`` are."""
    spans = (layout.span(value, group) for group in range(layout.groups))
    return np.concatenate([array[..., slice(*span)].ravel() for span in spans])


def _check_channels(layout: ChannelLayout) -> None:
    if layout.unit > _MAX_CHANNELS:
        raise ModelError(
            f"{layout.scope.graph.name} has tensors of more than {_MAX_CHANNELS:,} channels",
            why=["the tables of restructured layers cannot name them"],
            hints=["--restructure off"],
        )


def _inside(
    layout: ChannelLayout, node: Node, call: CallContext, places: dict[str, str]
) -> CallContext:
    """Values lie where the region has them, weights are those in groups where there are such."""

    def symbol(name: str) -> str:
        moved = _is_regrouped(layout, node) and name == node.inputs[1]
        return call.symbol(group_weights(node) if moved else name)

    return replace(call, arena=replace(call.arena, inside=places), symbol=symbol, layout=None)


def _piece(layout: ChannelLayout, node: Node, call: CallContext, step: Step) -> PieceView:
    built = arguments(call, node)
    setting = (*_tensors(layout, node, built.fields), *_constants(layout, node))
    return PieceView(call.function, _title(node), step.kernel, built, setting)


def _title(node: Node) -> str:
    return f"{plain_text(node.name)}: {node.op}"


def _tensors(layout: ChannelLayout, node: Node, fields: Struct) -> Iterator[Statement]:
    """One for every tensor that is there, or read, a group at a time."""
    graph = layout.scope.graph
    for field, value in fields.items():
        if not isinstance(value, Tensor) or not layout.in_groups(node, value.value):
            continue
        kind = graph.values[value.value].dtype.name.lower()
        first, count = (_share(layout, name, value.value) for name in ("first", "count"))
        slot = layout.slots.get(value.value)
        if slot and slot.owner in layout.stored:
            yield statement("group_tile", kind, field, count)
        else:
            yield statement("group_part", kind, field, first, count)


def _constants(layout: ChannelLayout, node: Node) -> Iterator[Statement]:
    """Where the constants of the group's channels begin."""
    graph = layout.scope.graph
    first = _share(layout, "first", node.output)
    if OPS[node.op].entries is Entries.SLOPES:
        yield statement("group_first", first)
    if not OPS[node.op].linear:
        return
    each = graph.constants[node.inputs[1]].size // channels_of(graph, node.output)
    yield statement("group_weights", first, each)
    yield statement("group_bias", first)
    yield statement("group_requant", first)


def _share(layout: ChannelLayout, field: str, value: str) -> Share:
    """The group's ``field`` in channels of ``value``, of which split points fall on whole ones."""
    return Share(field, channels_of(layout.scope.graph, value), layout.unit)


def _summing(layout: ChannelLayout, node: Node, call: CallContext) -> PieceView:
    """A fully connected layer is a convolution that covers the value it was flattened from."""
    graph, source = layout.scope.graph, layout.sum_source
    conv = replace(node, op="Conv2d", attrs=ConvAttrs(layout.sum_window))
    whole, sums = arguments(call, conv).fields, _sums(graph, node, call)
    fields: Struct = {"input": tensor(call, source), "start": sums, "output": sums}
    names = ("weights", "bias", "window", "groups", "input_zero")
    fields.update((name, whole[name]) for name in names)
    each = layout.sum_weights.size // channels_of(graph, source)
    setting = (
        *_tensors(layout, node, fields),
        statement("group_weights", _share(layout, "first", source), each),
        statement("group_start"),
    )
    kind = graph.values[source].dtype.name.lower()
    given, types = arguments_of(SUMS), f"{kind}_s32"
    built = Call(given.struct(types), stated(given, fields, types))
    return PieceView(call.function, _title(node), kernels_in_groups(layout)[0], built, setting)


def _finishing(node: Node, call: CallContext) -> PieceView:
    graph = call.graph
    kind = graph.values[node.output].dtype.name.lower()
    fields: Struct = {
        "input": _sums(graph, node, call),
        "output": tensor(call, node.output),
        "requant": arguments(call, node).fields["requant"],
    }
    given, types = arguments_of(REQUANTIZE), f"s32_{kind}"
    built = Call(given.struct(types), stated(given, fields, types))
    kernel = select_part(REQUANTIZE, "s32", kind).symbol
    return PieceView(f"{call.function}_sums", f"{plain_text(node.name)}: sums", kernel, built, ())


def _sums(graph: Graph, node: Node, call: CallContext) -> Struct:
    fields = dict(tensor(call, node.output))
    return {**fields, "data": expression("untyped", call.arena.address(sums_id(node.output)))}
