"""A final softmax left to the host: it cannot change the order of the classes."""

from __future__ import annotations

from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import apply, drop, only_reader
from deployer.ir import Graph, Node


def leave_to_host(graph: Graph) -> tuple[Graph, bool]:
    """Without the final softmax of every output; unchanged unless all outputs end in one."""
    draft = Draft(graph)
    chains = [_final(draft, name) for name in graph.outputs]
    if not all(chains):
        return graph, False
    for node in (node for chain in chains for node in chain):
        edit = drop(draft, draft.nodes[node])
        if edit is not None:
            apply(draft, edit)
    return draft.graph(), True


def _final(draft: Draft, name: str) -> list[str]:
    """The nodes to drop from the end of an output: its softmax, before it what only rounds that."""
    node, behind = draft.producer.get(name), []
    if node is not None and node.op == "Rescale" and _only_rounds(draft, node):
        behind, node = [node.name], draft.producer.get(node.first)
    can_go = node is not None and node.op == "Softmax" and _can_go(draft, node)
    return [*behind, node.name] if node is not None and can_go else []


def _only_rounds(draft: Draft, node: Node) -> bool:
    return not node.attrs.clamp.active and only_reader(draft, node.first)


def _can_go(draft: Draft, node: Node) -> bool:
    logits = node.first
    if logits in draft.inputs or len(draft.readers(node.output)) > 1:
        return False
    return only_reader(draft, logits)
