"""The constants of a network as C arrays: which each step reads, what they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.analysis import ChannelLayout
from deployer.codegen.names import unique_names
from deployer.codegen.pack import PackedArray, pack
from deployer.codegen.region_channels import group_constants, group_weights, weights_in_groups
from deployer.ir import Graph, Node, Schedule
from deployer.kernelset import WeightLayout
from deployer.schedule import (
    array_key,
    channel_layouts,
    step_arrays,
    unread_constants,
    weight_layout,
)


@dataclass(frozen=True)
class Constants:
    """C names of constants, and the memories of those that start-up copies."""

    names: Mapping[str, str]
    copied: Mapping[str, str]

    def read_by(self, graph: Graph, node: Node, layout: WeightLayout) -> Callable[[str], str]:
        """The C name of each constant that ``node`` reads, 0 for those it does not."""
        unread = dict.fromkeys(unread_constants(graph, node, layout), "0")
        return {**self.names, **unread}.__getitem__

    def packed(self, key: str, array: np.ndarray, alignment: int) -> PackedArray:
        return pack(self.names[key], array, self.copied.get(key, ""), alignment)


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
    layouts = channel_layouts(schedule.graph)
    keys = dict.fromkeys(schedule.graph.constants)
    keys.update(dict.fromkeys(name for layout in layouts for name in group_constants(layout)))
    for step in schedule.steps:
        node, order = nodes[step.node], weight_layout(step)
        keys.update(dict.fromkeys(array_key(node, name, order) for name in node.inputs))
    return {key: f"{cname}_{name}" for key, name in unique_names(keys).items()}
