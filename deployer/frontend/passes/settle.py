"""Stated quantizations: from Rescales of their own to the layers that compute the values.

A QuantizeLinear is first a Rescale whose output states a quantization; no other value but an input
states one. Such a Rescale is a wall to the other passes, since what stands on its two sides is
rounded between. Where the layer before can round so itself the Rescale goes in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from deployer.frontend.passes.affine import join
from deployer.frontend.passes.draft import Draft
from deployer.frontend.passes.edit import Edit, drop, fresh, only_reader, origins, states
from deployer.ir import OPS, Node, QuantParams, ResizeMode

_MAX_LEVELS = 1 << 15  # of a Softmax, in unsigned 32 bits
_TOLERANCE = 1e-6  # how far 1 / scale may be from an integer


def drop_repeated(graph: Draft, node: Node) -> Edit | None:
    """A Rescale to the quantization that its input has already."""
    if not _plain(graph, node):
        return None
    same = _effective(graph, node.first) == graph.values[node.output].quant
    return drop(graph, node) if same else None


def state_input(graph: Draft, node: Node) -> Edit | None:
    """An input states the quantization that it gets first."""
    return state_source(graph, node) if node.first in graph.inputs else None


def state_source(graph: Draft, node: Node) -> Edit | None:
    """The value before a Rescale states the quantization itself; of several the widest."""
    source = node.first
    if not _is_wall(graph, node) or states(graph, source):
        return None
    if node.attrs.clamp.active and source not in graph.inputs and only_reader(graph, source):
        return None  # the layer before takes the clamp too
    quant = graph.values[node.output].quant
    walls = [graph.values[r.output].quant for r in graph.readers(source) if _is_wall(graph, r)]
    if quant is None or quant != _widest(walls) or not _can_state(graph, source, quant):
        return None
    return Edit({}, {source: replace(graph.values[source], quant=quant)})


def fuse_stated(graph: Draft, node: Node) -> Edit | None:
    """A Rescale that also clamps becomes part of the layer that it alone reads."""
    before = graph.producer.get(node.first)
    if not _is_wall(graph, node) or not node.attrs.clamp.active:
        return None
    if before is None or not _takes_clamp(before) or states(graph, before.output):
        return None
    if not only_reader(graph, before.output):
        return None
    attrs = replace(before.attrs, clamp=join(before.attrs.clamp, node.attrs.clamp))
    fused = replace(before, attrs=attrs, outputs=node.outputs, origin=origins(before, node))
    return Edit({before.name: (fused,), node.name: ()})


def hoist_stated(graph: Draft, node: Node) -> Edit | None:
    """A Rescale behind what only moves elements or takes the largest goes before it: rounding keeps
    the order of numbers."""
    before = graph.producer.get(node.first)
    if not _plain(graph, node) or before is None:
        return None
    if not OPS[before.op].keeps_quantization:
        return None
    clamp = getattr(before.attrs, "clamp", None)
    linear = before.op == "Resize" and before.attrs.mode == ResizeMode.LINEAR
    if linear or (clamp is not None and clamp.active):
        return None
    source = graph.values[before.first]
    if states(graph, source.name) or not only_reader(graph, source.name):
        return None
    if not only_reader(graph, node.first):
        return None
    name, result = fresh(graph, f"{node.name}/moved"), graph.values[node.output]
    moved = replace(node, inputs=(source.name,), outputs=(name,))
    after = replace(before, inputs=(name,), outputs=node.outputs)
    values = {
        name: replace(source, name=name, quant=result.quant),
        node.output: replace(result, quant=None),
    }
    return Edit({before.name: (moved, after), node.name: ()}, values)


def keep_in_clamp(graph: Draft, node: Node) -> Edit | None:
    """A clamp of integers gives some of them: its output has their quantization."""
    if node.op != "Rescale" or states(graph, node.output):
        return None
    quant = _effective(graph, node.first)
    if quant is None or any(_is_wall(graph, reader) for reader in graph.readers(node.output)):
        return None
    return Edit({}, {node.output: replace(graph.values[node.output], quant=quant)})


def _is_wall(graph: Draft, node: Node) -> bool:
    """A Rescale that states a quantization."""
    return node.op == "Rescale" and states(graph, node.output)


def _takes_clamp(node: Node) -> bool:
    """Whether a layer can both clamp and have the scale of what it clamps."""
    return OPS[node.op].clamps and OPS[node.op].own_range


def _plain(graph: Draft, node: Node) -> bool:
    """One that does nothing else."""
    return _is_wall(graph, node) and not node.attrs.clamp.active


def _effective(graph: Draft, name: str) -> QuantParams | None:
    """The quantization that a value has because it or what it is made of states one."""
    node = graph.producer.get(name)
    if states(graph, name) or node is None:
        return graph.values[name].quant
    if OPS[node.op].keeps_quantization:
        return _effective(graph, node.first)
    if node.op != "Concat":
        return None
    found = {_effective(graph, item) for item in dict.fromkeys(node.inputs)}
    return found.pop() if len(found) == 1 else None


def _widest(quants: Sequence[QuantParams | None]) -> QuantParams | None:
    """The one of the widest range, the first of equals."""
    known = [quant for quant in quants if quant is not None]
    return max(known, key=lambda quant: quant.tensor_scale, default=None)


def _can_state(graph: Draft, name: str, quant: QuantParams) -> bool:
    """Whether the value's quantization is free to choose."""
    node = graph.producer.get(name)
    if node is None:
        return name in graph.inputs
    if node.op == "Softmax":
        return _has_levels(quant)
    return OPS[node.op].own_range


def _has_levels(quant: QuantParams) -> bool:
    """Whether a Softmax can give the quantization: 1.0 is a whole number of steps."""
    levels = 1 / quant.tensor_scale
    return round(levels) <= _MAX_LEVELS and abs(levels - round(levels)) <= _TOLERANCE * levels


FIRST = (drop_repeated, state_input)
LAST = (drop_repeated, state_source, fuse_stated, hoist_stated, keep_in_clamp)
