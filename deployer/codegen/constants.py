"""The constants of a network as C arrays: which each step reads, what they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.analysis import ChannelLayout, layout_of
from deployer.codegen.call import array_key
from deployer.codegen.names import unique_names
from deployer.codegen.pack import PackedArray, has_tables, pack, requant_tables
from deployer.codegen.region_channels import group_constants, group_weights, weights_in_groups
from deployer.ir import Graph, Node, Schedule, Step, copies_nothing
from deployer.kernelset import Parameters, by_symbol, case_of, has_all, packed


@dataclass(frozen=True)
class Constants:
    """C names of constants, and the memories of those that start-up copies."""

    names: Mapping[str, str]
    copied: Mapping[str, str]

    def read_by(self, node: Node, layout: str) -> Callable[[str], str]:
        """The C name of each constant that ``node`` reads, 0 for what its weights bring along."""
        unread = dict.fromkeys(unread_constants(node, layout), "0")
        return {**self.names, **unread}.__getitem__

    def packed(self, key: str, array: np.ndarray) -> PackedArray:
        return pack(self.names[key], array, self.copied.get(key, ""))


def constant_arrays(schedule: Schedule) -> Iterator[tuple[Step, str, np.ndarray]]:
    """What each step reads of the constants, as C arrays by the names ``MemoryPlan.constants``
    has; steps in groups of channels, which lay weights out anew, are left out."""
    graph = schedule.graph
    nodes = {node.name: node for node in graph.nodes}
    regrouped = {node.name for layout in in_groups(graph) for node in layout.steps}
    for step in schedule.steps:
        node = nodes[step.node]
        if step.node not in regrouped and not copies_nothing(graph, node):
            for key, array in step_arrays(graph, node, weight_layout(step)):
                yield step, key, array


def step_arrays(graph: Graph, node: Node, layout: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The constants a step needs as C arrays, by their graph names, or those of their layouts."""
    unread = unread_constants(node, layout)
    for name in node.inputs:
        if name not in graph.constants or name in unread:
            continue
        key = array_key(node, name, layout)
        yield (
            key,
            graph.constants[name] if key == name else packed(layout, _parameters(graph, node)),
        )
    if not has_tables(node) or unread:
        return
    tables = requant_tables(graph, node)
    yield node.rq.multiplier, tables.multiplier
    yield node.rq.rounding, tables.rounding
    yield node.rq.shift, tables.shift


def unread_constants(node: Node, layout: str) -> frozenset[str]:
    """Biases and requantization tables that the weights of ``node`` bring along."""
    if node.requant is None or not has_all(layout, node.rq.rule):
        return frozenset()
    return frozenset((*node.inputs[2:], node.rq.multiplier, node.rq.rounding, node.rq.shift))


def _parameters(graph: Graph, node: Node) -> Parameters:
    weights, bias = (graph.constants[name] for name in node.inputs[1:3])
    tables = requant_tables(graph, node)
    return Parameters(
        weights,
        bias,
        tables.multiplier,
        case_of(graph, node).stride,
        graph.values[node.inputs[0]].q.zero_point,
        node.rq.rule,
        tables.rounding,
        tables.shift,
    )


def arrays_in_groups(layout: ChannelLayout) -> Iterator[tuple[str, np.ndarray]]:
    """The same for a region in groups of channels, some weights in its order."""
    for node in layout.steps:
        arrays = dict(step_arrays(layout.scope.graph, node))
        regrouped = weights_in_groups(layout, node)
        if regrouped is not None:
            del arrays[node.inputs[1]]
            yield group_weights(node), regrouped
        yield from arrays.items()


def array_names(schedule: Schedule, cname: str) -> dict[str, str]:
    """C names of all constants, and of weights in other orders than the graph's."""
    nodes = {node.name: node for node in schedule.graph.nodes}
    layouts = in_groups(schedule.graph)
    keys = dict.fromkeys(schedule.graph.constants)
    keys.update(dict.fromkeys(name for layout in layouts for name in group_constants(layout)))
    for step in schedule.steps:
        node, order = nodes[step.node], weight_layout(step)
        keys.update(dict.fromkeys(array_key(node, name, order) for name in node.inputs))
    return {key: f"{cname}_{name}" for key, name in unique_names(keys).items()}


def weight_layout(step: Step) -> str:
    """The order its kernel wants weights in."""
    return by_symbol(step.kernel).weight_layout if step.kernel else ""


def in_groups(graph: Graph) -> list[ChannelLayout]:
    """The regions in groups of channels."""
    layouts = (layout_of(graph, region) for region in graph.regions)
    return [layout for layout in layouts if isinstance(layout, ChannelLayout)]
