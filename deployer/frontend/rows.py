"""Rows in the batch axis: a dense layer over a sequence, as exporters of rank 2 write it.

tf2onnx flattens (1, T, C) to (T, C) before a MatMul and back behind it, PyTorch does so before a
Gemm, and has steps in front of the batch, (T, 1, C), in its attention and what it unrolls. Between
such Reshapes the batch of 1 is put back in front, to which all operators there are blind. What
chooses elements by indices has the rows as they were, between two Reshapes more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from deployer.frontend.attributes import concat_axis, transpose_perm
from deployer.frontend.growing import Growing
from deployer.frontend.lowering.curves import CURVES
from deployer.frontend.net import Net, Op
from deployer.frontend.quantized import PAIR
from deployer.frontend.recurrences import RECURRENT

_RESHAPES = frozenset({"Flatten", "Reshape", "Squeeze", "Unsqueeze"})
_DENSE = frozenset({"Gemm", "MatMul"})
# What they compute is the same with an axis of 1 in front, once their axes are counted so.
_BLIND = frozenset(
    {
        *("Add", "Cast", "Clip", "Concat", "Div", "Dropout", "Gelu", "Identity", "Max", "Min"),
        *("Mul", "Neg", "Pow", "Relu", "Softmax", "Sub", "Transpose", *CURVES, *PAIR, *_DENSE),
    }
)
# What they choose stays in its axes.
_CHOOSING = frozenset({"Gather", "Slice", "Split"})


def restore_batch(net: Net) -> Net:
    """``net`` with a batch of 1 before the rows that dense layers read or write; before all of a
    network with recurrent operators, whose steps stand where the batch does."""
    recurrent = any(op.type in RECURRENT for op in net.ops)
    if not recurrent and not any(_has_rows(net, op.output) for op in net.ops if op.type in _DENSE):
        return net
    net = _batch_moves(net)
    rows = _blind(net) if recurrent else _near_dense(net, _blind(net))
    more = Growing.of(net)
    more.shapes |= {name: (1, *net.shapes[name]) for name in rows}
    return more.with_ops(new for op in net.ops for new in _rewritten(more, op, rows))


def _batch_moves(net: Net) -> Net:
    """``net`` with Reshapes in place of what moves the batch of 1 alone."""
    more = Growing.of(net)
    return more.with_ops(
        new
        for op in net.ops
        for new in (_joined(more, op) if _joins(net, op) else [_as_reshape(net, op)])
    )


def _joins(net: Net, op: Op) -> bool:
    """Whether ``op`` is a Concat of activations along their batch."""
    if op.type != "Concat" or op.domain or not net.known(op) or concat_axis(net, op):
        return False
    shapes = [net.shapes[name] for name in op.inputs if name not in net.constants]
    alone = all(len(shape) > 1 and shape[0] == 1 for shape in shapes)
    return alone and len(shapes) == len(op.inputs) > 1


def _joined(more: Growing, op: Op) -> Iterator[Op]:
    """The same elements in the same order along the next axis."""
    count, first, *others = more.shapes[op.output]
    name = more.value(op, "joined", (1, count * first, *others))
    yield replace(op, name=name, outputs=(name,), attrs={"axis": 1})
    yield more.reshape(op, name, op.output)


def _as_reshape(net: Net, op: Op) -> Op:
    """A Transpose that moves the batch of 1 alone as what it is: all elements keep their order."""
    if op.type != "Transpose" or op.domain or not net.known(op):
        return op
    shape, target = net.shapes[op.first], net.shapes[op.output]
    moved = [axis for axis in transpose_perm(net, op) if shape[axis] != 1]
    if shape[0] == target[0] or moved != sorted(moved):
        return op
    return replace(op, type="Reshape", attrs={})


def _has_rows(net: Net, name: str) -> bool:
    """Whether axis 0 of an activation has another size than 1."""
    shape = net.shapes.get(name, ())
    return len(shape) > 1 and shape[0] > 1 and name not in net.constants


def _touched(net: Net, op: Op) -> set[str]:
    return {name for name in (*net.activations(op), *op.outputs) if name}


def _blind(net: Net) -> set[str]:
    """Values with rows that only blind operators and Reshapes touch."""
    names = {name for op in net.ops for name in op.outputs if _has_rows(net, name)}
    names -= {*net.inputs, *net.outputs}
    left = len(names) + 1
    while len(names) < left:
        left = len(names)
        for op in (*net.ops, *reversed(net.ops)):  # both ways, so that few rounds suffice
            if not _fits(net, op, names):
                names -= _touched(net, op)
    return names


def _fits(net: Net, op: Op, names: set[str]) -> bool:
    """Whether ``op`` is the same with a batch before those of its values that are among them."""
    touched = _touched(net, op)
    if op.domain or not touched & names:
        return not touched & names
    if op.type in _RESHAPES or op.type in _CHOOSING:
        return True
    constants = [net.constants[name] for name in op.inputs if name in net.constants]
    ranks = [len(net.shapes[name]) for name in touched & names]
    return op.type in _BLIND and touched <= names and _broadcasts(op, constants, ranks)


def _broadcasts(op: Op, constants: Iterable[np.ndarray], ranks: list[int]) -> bool:
    """Whether all activations and constants are aligned by their last axes."""
    small = all(array.ndim <= ranks[0] for array in constants)
    return small and len(set(ranks)) == 1


def _near_dense(net: Net, names: set[str]) -> set[str]:
    """Those of ``names`` that blind operators connect with a dense layer."""
    found = {op.output for op in net.ops if op.type in _DENSE} & names
    blind = [op for op in net.ops if op.type in _BLIND]
    size = 0
    while size < len(found):
        size = len(found)
        for op in (*blind, *reversed(blind)):
            touched = _touched(net, op)
            found |= touched & names if found & touched else set()
    return found


def _rewritten(more: Growing, op: Op, rows: set[str]) -> Iterator[Op]:
    """``op`` with a batch before what it touches of ``rows``."""
    if (op.type == "Reshape" and not op.input(1)) or (rows & _touched(more.net, op)):
        yield from _with_batch(more, op, rows)
    else:
        yield op


def _with_batch(more: Growing, op: Op, rows: set[str]) -> Iterator[Op]:
    if op.type in _RESHAPES:
        yield replace(more.reshape(op, op.first, op.output), name=op.name)
    elif op.type in _CHOOSING:
        yield from _among_rows(more, op, rows)
    else:
        yield replace(op, attrs=_shifted(op))


def _among_rows(more: Growing, op: Op, rows: set[str]) -> Iterator[Op]:
    """``op`` as it was, between Reshapes."""
    near, shapes = rows & _touched(more.net, op), more.net.shapes
    names = {name: more.value(op, "rows", shapes[name]) for name in near}
    if op.first in names:
        yield more.reshape(op, op.first, names[op.first])
    inputs = tuple(names.get(name, name) for name in op.inputs)
    yield replace(op, inputs=inputs, outputs=tuple(names.get(name, name) for name in op.outputs))
    for name in op.outputs:
        if name in names:
            yield more.reshape(op, names[name], name)


def _shifted(op: Op) -> Mapping[str, Any]:
    """The attributes of a blind operator with an axis more in front."""
    attrs = dict(op.attrs)
    if op.type == "Transpose" and "perm" in attrs:
        attrs["perm"] = [0, *(axis + 1 for axis in attrs["perm"])]
    if op.type in ("Concat", "Softmax") and attrs.get("axis", -1) >= 0:
        attrs["axis"] = attrs["axis"] + 1
    return MappingProxyType(attrs)
