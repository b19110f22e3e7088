"""What rules share: replacing nodes, renaming values, and applying rules until none applies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.ir.graph import Graph, Node
from deployer.ir.types import Value

Rule = Callable[[Graph, Node], Graph | None]


@dataclass
class Edit:
    """New text for some nodes: ``nodes`` maps a node's name to what stands in its place."""

    nodes: dict[str, Sequence[Node]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)


def apply(graph: Graph, edit: Edit) -> Graph:
    """``graph`` with the edit made, and without what no output needs any more."""
    nodes = [new for node in graph.nodes for new in edit.nodes.get(node.name, (node,))]
    return _clean(
        replace(
            graph,
            nodes=tuple(nodes),
            values={**graph.values, **edit.values},
            constants={**graph.constants, **edit.constants},
        )
    )


def _clean(graph: Graph) -> Graph:
    needed = set(graph.outputs)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if needed & set(node.outputs):
            kept.append(node)
            needed.update(node.inputs)
    live = needed | set(graph.inputs)
    return replace(
        graph,
        nodes=tuple(reversed(kept)),
        values={name: value for name, value in graph.values.items() if name in live},
        constants={name: array for name, array in graph.constants.items() if name in live},
    )


def rewrite(graph: Graph, rules: Sequence[Rule]) -> Graph:
    """Apply ``rules`` until none applies."""
    changed = True
    while changed:
        changed = False
        for name in [node.name for node in graph.nodes]:
            new = _first(graph, name, rules)
            while new is not None:
                graph, changed = new, True
                new = _first(graph, name, rules)
    return graph


def _first(graph: Graph, name: str, rules: Sequence[Rule]) -> Graph | None:
    node = next((node for node in graph.nodes if node.name == name), None)
    if node is None:
        return None
    return next((new for rule in rules if (new := rule(graph, node)) is not None), None)


def drop(graph: Graph, node: Node) -> Graph | None:
    """``graph`` without ``node``, whose output equals its first input in shape and content.

    None when both are named outside, as inputs or outputs of the network.
    """
    source, result = node.inputs[0], node.output
    without = replace(graph, nodes=tuple(other for other in graph.nodes if other.name != node.name))
    if result not in graph.outputs:
        return rename(without, result, source, node.origin)
    if source in graph.inputs or source in graph.outputs:
        return None
    return rename(without, source, result, node.origin)


def rename(graph: Graph, old: str, new: str, origin: tuple[str, ...] = ()) -> Graph:
    """Every mention of value ``old`` made ``new``; its producer also stands for ``origin``."""
    names = {old: new}
    nodes = [_renamed(node, names, new, origin) for node in graph.nodes]
    values = dict(graph.values)
    if new not in values:
        values[new] = values[old]
    values[new] = replace(values[new], name=new)
    return _clean(replace(graph, nodes=tuple(nodes), values=values))


def _renamed(node: Node, names: Mapping[str, str], target: str, origin: tuple[str, ...]) -> Node:
    if names.keys().isdisjoint((*node.inputs, *node.outputs)) and target not in node.outputs:
        return node
    inputs = tuple(names.get(name, name) for name in node.inputs)
    outputs = tuple(names.get(name, name) for name in node.outputs)
    extra = tuple(item for item in origin if item not in node.origin) if target in outputs else ()
    return replace(node, inputs=inputs, outputs=outputs, origin=(*node.origin, *extra))


def only_reader(graph: Graph, name: str) -> bool:
    """Whether exactly one node reads the value and the network does not return it."""
    readers = graph.consumers.get(name, ())
    return len(readers) == 1 and name not in graph.outputs


def fresh(graph: Graph, stem: str) -> str:
    """``stem``, numbered if a node or value has that name."""
    taken = set(graph.values) | {node.name for node in graph.nodes}
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}_{count}"
    return name


def origins(*nodes: Node) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for node in nodes for item in node.origin))
