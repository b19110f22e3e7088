"""Inside a region the inputs of a Concat often lie in their part of its output already."""

from __future__ import annotations

from deployer.analysis import RegionLayout, Slot
from deployer.ir import Graph, Node, RequantRule


def parts_to_make(layout: RegionLayout, node: Node) -> tuple[int, ...]:
    """The inputs of a Concat that its kernel has to copy, or to bring to the output's scale."""
    graph, place, made, channel = layout.scope.graph, layout.slots[node.output], [], 0
    for index, name in enumerate(graph.activations(node)):
        there = layout.slots.get(name) == Slot(place.owner, place.channel + channel)
        if not (there and _keeps_elements(graph, node, index)):
            made.append(index)
        channel += graph.values[name].shape[3]
    return tuple(made)


def _keeps_elements(graph: Graph, node: Node, index: int) -> bool:
    """Whether requantization changes no element of an input: ``same`` of body/concat.h."""
    rq, bits = node.rq, 8 * graph.values[node.output].dtype.bytes
    names = (rq.multiplier, rq.rounding, rq.shift)
    multiplier, rounding, shift = (int(graph.constants[name][index]) for name in names)
    once = rq.rule == RequantRule.SHIFT or (rq.rule == RequantRule.I32 and multiplier == 1)
    whole = (rq.low, rq.high) == (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    return once and whole and rounding == shift == 0
