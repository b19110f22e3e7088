"""The constants of a schedule: which arrays each step reads, in the layout its kernel wants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deployer.analysis import ChannelLayout, layout_of
from deployer.ir import (
    OPS,
    ConcatAttrs,
    Entries,
    Graph,
    Node,
    RequantRule,
    Schedule,
    Step,
    copied,
    copies_nothing,
)
from deployer.kernelset import Parameters, WeightLayout, by_symbol, case_of, packed

_INT8 = -128, 127


def constant_arrays(schedule: Schedule) -> Iterator[tuple[Step, str, np.ndarray]]:
    """What each step reads of the constants, as C arrays by the names ``MemoryPlan.constants``
    has; steps in groups of channels, which lay weights out anew, are left out."""
    graph = schedule.graph
    nodes = {node.name: node for node in graph.nodes}
    regrouped = {node.name for layout in channel_layouts(graph) for node in layout.steps}
    for step in schedule.steps:
        node = nodes[step.node]
        if step.node not in regrouped and not copies_nothing(graph, node):
            for key, array in step_arrays(graph, node, weight_layout(step)):
                yield step, key, array


def step_arrays(
    graph: Graph, node: Node, layout: WeightLayout = WeightLayout.IR
) -> Iterator[tuple[str, np.ndarray]]:
    """The constants a step needs as C arrays, by their graph names, or those of their layouts."""
    unread = unread_constants(graph, node, layout)
    for name in node.inputs:
        if name not in graph.constants or name in unread:
            continue
        key = array_key(node, name, layout)
        yield (
            key,
            graph.constants[name] if key == name else packed(layout, _parameters(graph, node)),
        )
    if not has_tables(node):
        return
    tables = requant_tables(graph, node)
    named = (
        (node.rq.multiplier, tables.multiplier),
        (node.rq.rounding, tables.rounding),
        (node.rq.shift, tables.shift),
    )
    yield from ((name, table) for name, table in named if name not in unread)


def unread_constants(graph: Graph, node: Node, layout: WeightLayout) -> frozenset[str]:
    """Biases and requantization tables that the kernel of ``node`` does not read: its weights, in
    ``layout``, bring them along, or the rule has no use for them."""
    biases, requant = node.inputs[2:], node.requant
    if requant is None:
        return frozenset(biases if layout.has_floats else ())
    if layout.has_all(requant.rule):
        return frozenset((*biases, requant.multiplier, requant.rounding, requant.shift))
    found = {*biases} if layout.has_multipliers else set()
    if has_zero_alone(node):
        found.add(requant.shift)
        if (requant.low, requant.high) == _INT8 and layout.finishes(_channels(graph, node)):
            found.add(requant.multiplier)
    return frozenset(found)


def has_zero_alone(node: Node) -> bool:
    """Whether requantization has no shifts, and one zero point for all channels of a layer with
    weights: the rule Q32."""
    return OPS[node.op].linear and node.rq.rule == RequantRule.Q32


def _channels(graph: Graph, node: Node) -> int:
    return graph.values[node.output].shape[-1]


def _parameters(graph: Graph, node: Node) -> Parameters:
    weights, bias = (graph.constants[name] for name in node.inputs[1:3])
    case = case_of(graph, node)
    if node.requant is None:
        return Parameters(weights, bias, stride=case.stride, groups=case.groups)
    tables = requant_tables(graph, node)
    return Parameters(
        weights,
        bias,
        tables.multiplier,
        case.stride,
        graph.values[node.inputs[0]].q.zero_point,
        node.rq.rule,
        tables.rounding,
        tables.shift,
        case.groups,
        case.dilation,
    )


def array_key(node: Node, name: str, layout: WeightLayout) -> str:
    """What the constant ``name`` of ``node`` is known by; its weights may lie in a ``layout``."""
    return f"{name}.{layout}" if layout and name == node.inputs[1] else name


def weight_layout(step: Step) -> WeightLayout:
    """The order its kernel wants weights in."""
    return by_symbol(step.kernel).weight_layout if step.kernel else WeightLayout.IR


def channel_layouts(graph: Graph) -> list[ChannelLayout]:
    """The regions in groups of channels."""
    layouts = (layout_of(graph, region) for region in graph.regions)
    return [layout for layout in layouts if isinstance(layout, ChannelLayout)]


@dataclass(frozen=True, eq=False)
class RequantTables:
    """The three tables of a node, cut to what its kernel can reach.

    ``step`` is the kernel's channel_step: 0 when one entry serves every index.
    """

    multiplier: np.ndarray
    rounding: np.ndarray
    shift: np.ndarray
    step: int


def has_tables(node: Node) -> bool:
    """Whether the node's kernel reads requantization tables."""
    return node.requant is not None and OPS[node.op].entries is not Entries.PAIR


def requant_tables(graph: Graph, node: Node) -> RequantTables:
    """Tables of ``node``; equal entries become one, an unpadded pool keeps the full window's, a
    Concat those of what it copies; a zero point alone is one. Those of a PRelu stay: its kernel
    reads the entries behind the first whatever the step."""
    names = (node.rq.multiplier, node.rq.rounding, node.rq.shift)
    columns = [graph.constants[name] for name in names]
    entries = OPS[node.op].entries
    if entries is Entries.TAPS and not node.attrs.window.pads.any:
        columns = [column[-1:] for column in columns]
    if entries is Entries.INPUTS and isinstance(node.attrs, ConcatAttrs):
        columns = [column[list(copied(graph, node))] for column in columns]
    uniform = entries is not Entries.SLOPES and all(
        (column == column[0]).all() for column in columns
    )
    multiplier, rounding, shift = (column[:1] if uniform else column for column in columns)
    if has_zero_alone(node):
        rounding = rounding[:1]
    return RequantTables(multiplier, rounding, shift, step=0 if uniform else 1)
