"""A network ended before its last nodes: ``--cut``, and where to apply it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from deployer.errors import UsageError
from deployer.frontend.advice import HEADS
from deployer.frontend.net import Net, Op

if TYPE_CHECKING:
    from onnx import ModelProto


def cut(model: ModelProto, names: Sequence[str]) -> None:
    """End ``model`` at the named tensors, or at the first outputs of the named nodes.

    They become its outputs, before those of its own outputs that do not lie behind them. Raises
    UsageError for a name that the model does not have.
    """
    if not names:
        return
    from onnx import helper

    ends = list(dict.fromkeys(_tensor(model, name) for name in names))
    behind = _behind(model, set(ends))
    kept = [item for item in model.graph.output if item.name not in behind]
    del model.graph.output[:]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in ends)
    model.graph.output.extend(item for item in kept if item.name not in ends)


def _tensor(model: ModelProto, name: str) -> str:
    """The tensor of that name, else the first output of the node of that name."""
    tensors = [output for node in model.graph.node for output in node.output if output]
    if name in tensors:
        return name
    nodes = reversed(model.graph.node)
    named: dict[str, str] = {node.name: node.output[0] for node in nodes if node.output}
    if name and name in named:
        return named[name]
    close = get_close_matches(name, [*named, *tensors], n=3)
    raise UsageError(
        f"--cut {name}: the model has no node or tensor of that name",
        why=["names are those of the ONNX file"],
        hints=[f"close: {', '.join(dict.fromkeys(close))}"] if close else [],
    )


def _behind(model: ModelProto, ends: set[str]) -> set[str]:
    """All tensors that are computed from the ends."""
    found = set(ends)
    for node in model.graph.node:
        if found & set(node.input):
            found.update(node.output)
    return found - ends


def proposal(net: Net, refused: Sequence[Op]) -> str:
    """The options that leave out the refused nodes, where those only come behind the heads.

    Empty when another node than one of the usual post-processing is in the way, or when nothing
    would be left.
    """
    lost: set[str] = set()
    ends: dict[str, None] = {}
    bad = {op.name for op in refused}
    for op in net.ops:
        if op.name not in bad and lost.isdisjoint(op.inputs):
            continue
        first = lost.isdisjoint(op.inputs)
        if first and (op.domain or op.type not in HEADS):
            return ""
        lost.update(op.outputs)
        ends |= dict.fromkeys(name for name in net.activations(op) if name not in net.inputs)
    left = [name for name in ends if name not in lost]
    return " ".join(f"--cut {_quoted(name)}" for name in left)


def _quoted(name: str) -> str:
    return (
        name if name.replace("/", "").replace(".", "").replace("_", "").isalnum() else f"'{name}'"
    )
