"""A final softmax left to the host: it cannot change the order of the classes."""

from __future__ import annotations

from deployer.frontend.passes.edit import drop, only_reader
from deployer.ir.graph import Graph, Node


def leave_to_host(graph: Graph) -> tuple[Graph, bool]:
    """Without the final softmax of every output; unchanged unless all outputs end in one."""
    last = [graph.producer.get(name) for name in graph.outputs]
    final = [node for node in last if node is not None and _can_go(graph, node)]
    if len(final) != len(graph.outputs):
        return graph, False
    for node in final:
        graph = drop(graph, node) or graph
    return graph, True


def _can_go(graph: Graph, node: Node) -> bool:
    logits = node.inputs[0]
    if node.op != "Softmax" or logits in graph.inputs or node.output in graph.consumers:
        return False
    return only_reader(graph, logits)
