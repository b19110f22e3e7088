"""A final softmax left to the host: it cannot change the order of the classes."""

from __future__ import annotations

from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import apply, drop, only_reader
from deployer.ir.graph import Graph, Node


def leave_to_host(graph: Graph) -> tuple[Graph, bool]:
    """Without the final softmax of every output; unchanged unless all outputs end in one."""
    draft = Draft(graph)
    last = [draft.producer.get(name) for name in graph.outputs]
    final = [node for node in last if node is not None and _can_go(draft, node)]
    if len(final) != len(graph.outputs):
        return graph, False
    for node in final:
        edit = drop(draft, node)
        if edit is not None:
            apply(draft, edit)
    return draft.graph(), True


def _can_go(draft: Draft, node: Node) -> bool:
    logits = node.inputs[0]
    if node.op != "Softmax" or logits in draft.inputs or draft.readers(node.output):
        return False
    return only_reader(draft, logits)
