"""What rules share: edits, and applying rules until none applies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deployer.frontend.passes.draft import Draft
from deployer.ir import Graph, Node, Value


@dataclass
class Edit:
    """New text for some nodes: ``nodes`` maps a node's name to what stands in its place."""

    nodes: dict[str, Sequence[Node]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    constants: dict[str, np.ndarray] = field(default_factory=dict)


Rule = Callable[[Draft, Node], Edit | None]


def apply(draft: Draft, edit: Edit) -> None:
    """Make the edit; what no output needs any more goes."""
    draft.change(edit.nodes, edit.values, edit.constants)


def rewrite(graph: Graph, rules: Sequence[Rule]) -> Graph:
    """Apply ``rules`` until none applies."""
    draft = Draft(graph)
    changed = True
    while changed:
        changed = False
        for name in list(draft.nodes):
            while _first(draft, name, rules):
                changed = True
    return draft.graph()


def _first(draft: Draft, name: str, rules: Sequence[Rule]) -> bool:
    """Whether a rule applied to the node of that name."""
    node = draft.nodes.get(name)
    if node is None:
        return False
    edit = next((edit for rule in rules if (edit := rule(draft, node)) is not None), None)
    if edit is None:
        return False
    apply(draft, edit)
    return True


def drop(draft: Draft, node: Node) -> Edit | None:
    """Without ``node``, whose output equals its first input in shape and content.

    None when both are named outside, as inputs or outputs of the network.
    """
    source, result = node.first, node.output
    if result not in draft.outputs:
        edit = _rename(draft, {result: source}, draft.readers(result))
    elif source in draft.inputs or source in draft.outputs:
        return None
    else:
        edit = _rename(draft, {source: result}, draft.readers(source))
        stated = draft.values[source].quant
        edit.values[result] = replace(draft.values[result], quant=stated)
    edit.nodes[node.name] = ()
    before = draft.producer.get(source)
    if before is not None:
        kept = result if result in draft.outputs else source
        edit.nodes[before.name] = (replace(before, outputs=(kept,), origin=origins(before, node)),)
    return edit


def _rename(draft: Draft, names: Mapping[str, str], readers: Sequence[Node]) -> Edit:
    return Edit({node.name: (renamed(node, names),) for node in readers})


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """``node`` reading other values."""
    return replace(node, inputs=tuple(names.get(name, name) for name in node.inputs))


def states(draft: Draft, name: str) -> bool:
    """Whether the model itself says how the value is quantized."""
    return draft.values[name].quant is not None


def only_reader(draft: Draft, name: str) -> bool:
    """Whether exactly one node reads the value and the network does not return it."""
    return len(draft.readers(name)) == 1 and name not in draft.outputs


def fresh(draft: Draft, stem: str) -> str:
    """``stem``, numbered if a node or value has that name."""
    name, count = stem, 1
    while name in draft.values or name in draft.nodes:
        count += 1
        name = f"{stem}_{count}"
    return name


def origins(*nodes: Node) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for node in nodes for item in node.origin))
