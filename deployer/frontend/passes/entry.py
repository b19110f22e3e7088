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


def transpose_inputs(graph: Graph) -> tuple[Graph, dict[str, str]]:
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
        _transpose(draft, name, perm)
    return draft.graph(), layouts


def _transpose(draft: Draft, name: str, perm: tuple[int, ...]) -> None:
    value, transposes = draft.values[name], draft.readers(name)
    names = {transpose.output: name for transpose in transposes}
    readers = [node for transpose in transposes for node in draft.readers(transpose.output)]
    edit = Edit({node.name: (renamed(node, names),) for node in readers})
    edit.nodes |= {transpose.name: () for transpose in transposes}
    edit.values[name] = replace(value, shape=tuple(value.shape[axis] for axis in perm))
    apply(draft, edit)
