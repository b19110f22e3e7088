"""Rows in the batch axis: a dense layer over a sequence, as exporters of rank 2 write it.

tf2onnx flattens (1, T, C) to (T, C) before a MatMul and back behind it, PyTorch does so before a
Gemm. Between such Reshapes the batch of 1 is put back in front, to which all operators there are
blind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

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
_INT64 = 7  # ONNX element type


def restore_batch(net: Net) -> Net:
    """``net`` with a batch of 1 before the rows that dense layers read or write; before all of a
    network with recurrent operators, whose steps stand where the batch does."""
    recurrent = any(op.type in RECURRENT for op in net.ops)
    if not recurrent and not any(_has_rows(net, op.output) for op in net.ops if op.type in _DENSE):
        return net
    rows = _blind(net) if recurrent else _near_dense(net, _blind(net))
    shapes = {**net.shapes, **{name: (1, *net.shapes[name]) for name in rows}}
    constants, elements = dict(net.constants), dict(net.elements)
    view = replace(net, shapes=shapes, constants=constants, elements=elements)
    ops = [_rewritten(view, op, constants) if rows & _touched(net, op) else op for op in net.ops]
    targets = constants.keys() - net.constants.keys()
    shapes |= {name: constants[name].shape for name in targets}
    elements |= dict.fromkeys(targets, _INT64)
    return replace(view, ops=tuple(ops))


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
    if op.type in _RESHAPES:
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


def _rewritten(net: Net, op: Op, constants: dict[str, np.ndarray]) -> Op:
    if op.type not in _RESHAPES:
        return replace(op, attrs=_shifted(op))
    target = f"{op.name}/rows"
    constants[target] = np.array(net.shapes[op.output], np.int64)
    return replace(op, type="Reshape", inputs=(op.first, target), attrs={})


def _shifted(op: Op) -> Mapping[str, Any]:
    """The attributes of a blind operator with an axis more in front."""
    attrs = dict(op.attrs)
    if op.type == "Transpose" and "perm" in attrs:
        attrs["perm"] = [0, *(axis + 1 for axis in attrs["perm"])]
    if op.type in ("Concat", "Softmax") and attrs.get("axis", -1) >= 0:
        attrs["axis"] = attrs["axis"] + 1
    return MappingProxyType(attrs)
