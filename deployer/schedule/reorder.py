"""A graph with its steps in the order of the lowest peak."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from deployer.analysis import step_nodes
from deployer.ir import OPS, Graph, Node
from deployer.schedule.peak_order import MAX_STATES, best_order
from deployer.schedule.steps import steps_of


def reorder(graph: Graph, scratch: Mapping[str, int], *, states: int = MAX_STATES) -> Graph:
    """``graph`` itself unless another order of its nodes has a lower peak, ``scratch`` counted.

    Its shares count, but in another order they may no longer all be: they are to be sought again.
    """
    steps = steps_of(graph, scratch)
    order = best_order(steps, states=states).steps
    if order == tuple(range(steps.count)):
        return graph
    nodes = step_nodes(graph)
    return replace(graph, nodes=tuple(_with_aliases(graph, [nodes[n] for n in order])))


def _with_aliases(graph: Graph, steps: Sequence[Node]) -> Iterator[Node]:
    """``steps``, and after each the nodes without code that its values allow, as in ``graph``."""
    ready = {*graph.inputs, *graph.constants}
    waiting = [node for node in graph.nodes if OPS[node.op].alias]
    for step in (None, *steps):
        if step is not None:
            yield step
            ready.update(step.outputs)
        for node in list(waiting):
            if ready.issuperset(node.inputs):
                waiting.remove(node)
                ready.update(node.outputs)
                yield node
