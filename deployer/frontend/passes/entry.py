"""Inputs taken in the layout in which the network's first layers want them."""

from __future__ import annotations

from dataclasses import replace

from deployer.frontend.builder import TO_NCHW, TO_NLC
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, apply, renamed
from deployer.ir import Graph

# By the transpose behind an input: what the model's own layout then is beside the device's.
# Of rank 4: the graph holds a model's NHWC input, taken for NCHW, with its axes turned once more.
_LAYOUTS = {TO_NCHW: "NHWC", TO_NLC: "NCL"}


def turn_inputs(graph: Graph) -> tuple[Graph, dict[str, str]]:
    """Without transposes that are all that reads an input; the model's layout of those inputs.

    "NHWC": the device takes a rank 4 as the model has it. "NCL": it takes a rank 3 with its
    channels last.
    """
    draft = Draft(graph)
    layouts: dict[str, str] = {}
    for name in graph.inputs:
        perms = {
            node.attrs.perm if node.op == "Transpose" else None for node in draft.readers(name)
        }
        (perm,) = perms if len(perms) == 1 else (None,)
        returned = any(node.output in graph.outputs for node in draft.readers(name))
        if perm not in _LAYOUTS or returned:
            continue
        layouts[name] = _LAYOUTS[perm]
        _turn(draft, name, perm)
    return draft.graph(), layouts


def _turn(draft: Draft, name: str, perm: tuple[int, ...]) -> None:
    value, turns = draft.values[name], draft.readers(name)
    names = {turn.output: name for turn in turns}
    readers = [node for turn in turns for node in draft.readers(turn.output)]
    edit = Edit({node.name: (renamed(node, names),) for node in readers})
    edit.nodes |= {turn.name: () for turn in turns}
    edit.values[name] = replace(value, shape=tuple(value.shape[axis] for axis in perm))
    apply(draft, edit)
