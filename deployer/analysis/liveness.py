"""When each activation holds bytes: alias classes and lifetimes in steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.plan import Buffer


def step_nodes(graph: Graph) -> tuple[Node, ...]:
    """The nodes that run code, in order; step i is the i-th of them."""
    return tuple(node for node in graph.nodes if not OPS[node.op].alias)


def owners(graph: Graph) -> dict[str, str]:
    """Every activation to the one whose bytes it shares: itself, unless an alias made it."""
    owner = {name: name for name in graph.inputs}
    for node in graph.nodes:
        for name in node.outputs:
            source = node.inputs[0]
            owner[name] = owner.get(source, source) if OPS[node.op].alias else name
    return owner


def scratch_id(node: str) -> str:
    """The buffer that holds the scratch of ``node``'s kernel."""
    return f"{node}.scratch"


def lifetimes(graph: Graph, scratch: Mapping[str, int] | None = None) -> tuple[Buffer, ...]:
    """One buffer per alias class, then one per node with ``scratch`` bytes; half-open lifetimes.

    A value lives from the step that writes it until after the last step that reads it. Inputs are
    written before step 0, all of them, so they meet there. Outputs live to the end, since the host
    reads them after the last step. A value nobody reads still needs bytes while it is written.
    """
    owner = owners(graph)
    born, dies = _spans(graph, owner)
    buffers = [
        Buffer(name, born[name], dies[name], graph.values[name].bytes)
        for name in dict.fromkeys(owner.values())
        if name not in graph.constants
    ]
    return (*buffers, *_scratch_buffers(graph, scratch or {}))


def _spans(graph: Graph, owner: Mapping[str, str]) -> tuple[dict[str, int], dict[str, int]]:
    """First step and step after the last of every owner."""
    steps = step_nodes(graph)
    born = dict.fromkeys(owner.values(), 0)
    dies = dict.fromkeys(owner.values(), 1)
    for index, node in enumerate(steps):
        for name in node.outputs:
            born[name], dies[name] = index, index + 1
        for name in graph.activations(node):
            dies[owner[name]] = index + 1
    for name in graph.outputs:
        if name in owner:
            dies[owner[name]] = max(1, len(steps))
    return born, dies


def _scratch_buffers(graph: Graph, scratch: Mapping[str, int]) -> Iterator[Buffer]:
    for index, node in enumerate(step_nodes(graph)):
        if size := scratch.get(node.name, 0):
            yield Buffer(scratch_id(node.name), index, index + 1, size)
