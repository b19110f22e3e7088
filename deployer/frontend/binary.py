"""Arithmetic in the few forms that are lowered: two operands, no divisor that is computed.

Sum, Mean, Max and Min of many become chains; a division by an activation a product with its
reciprocal; Min of two activations the negative Max of their negatives. Sums along axes are means
times a number.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from deployer.frontend.attributes import reduced_axes
from deployer.frontend.growing import Growing
from deployer.frontend.net import Net, Op, Shape

# Reductions: what is summed of each element.
_SUMS = {"ReduceL1": "Abs", "ReduceL2": "Mul", "ReduceSum": "", "ReduceSumSquare": "Mul"}
_CHAINS = {"Sum": "Add", "Mean": "Add", "Max": "Max", "Min": "Min"}


def in_pairs(net: Net) -> Net:
    """``net`` with operators of two operands."""
    if not any(_many(net, op) for op in net.ops):
        return net
    more = Growing.of(net)
    return more.with_ops(new for op in net.ops for new in _spelled(more, op))


def _many(net: Net, op: Op) -> bool:
    """Whether ``op`` has another form."""
    if op.domain or not net.known(op):
        return False
    if op.type in ("Sum", "Mean") or (op.type in _CHAINS and len(op.inputs) > 2):
        return True
    if op.type == "Min":
        return len(net.activations(op)) == 2 or _large_bound(net, op)
    if op.type in _SUMS:
        return reduced_axes(net, op) is not None
    return op.type == "Div" and op.input(1) not in net.constants


def _large_bound(net: Net, op: Op) -> bool:
    """Whether one of two operands is a constant of several numbers."""
    return any(net.constants[name].size > 1 for name in op.inputs if name in net.constants)


def _spelled(more: Growing, op: Op) -> list[Op]:
    if not _many(more.net, op):
        return [op]
    if op.type == "Div":
        return _product(more, op)
    if op.type in _SUMS:
        return _sum(more, op)
    chain = _chain(more, op)
    return [
        new for part in chain for new in (_negated(more, part) if _least(more, part) else [part])
    ]


def _least(more: Growing, op: Op) -> bool:
    """Whether a Min has two operands of many numbers."""
    many = [more.constants[name].size > 1 for name in op.inputs if name in more.constants]
    return op.type == "Min" and len(op.inputs) == 2 and all(many)


def _product(more: Growing, op: Op) -> list[Op]:
    left, right = op.inputs
    name = more.value(op, "reciprocal", more.shapes[right])
    make = replace(op, name=name, type="Reciprocal", inputs=(right,), outputs=(name,), attrs={})
    return [make, replace(op, type="Mul", inputs=(left, name))]


def _chain(more: Growing, op: Op) -> list[Op]:
    """An operator of two operands after the other; of constants alone none is left here."""
    kind, (x, *rest) = _CHAINS[op.type], op.inputs
    if not rest:
        return [replace(op, type="Identity", attrs={})]
    ops = []
    for name in rest:
        shape = np.broadcast_shapes(more.shapes[x], more.shapes[name])
        if x in more.constants and name in more.constants:
            x = _folded(more, op, kind, x, name, shape)
            continue
        made = more.value(op, "part", shape)
        ops.append(replace(op, name=made, type=kind, inputs=(x, name), outputs=(made,), attrs={}))
        x = made
    if op.type == "Mean":
        return [*ops, _share(more, op, x)]
    return [*ops[:-1], replace(ops[-1], name=op.name, outputs=op.outputs)]


def _folded(more: Growing, op: Op, kind: str, left: str, right: str, shape: Shape) -> str:
    """Two constants as one."""
    functions = {"Add": np.add, "Max": np.maximum, "Min": np.minimum}
    name = more.value(op, "constant", shape)
    more.constants[name] = functions[kind](more.constants[left], more.constants[right])
    return name


def _share(more: Growing, op: Op, total: str) -> Op:
    """The mean, from the sum."""
    name = more.value(op, "share", ())
    more.constants[name] = np.array(1 / len(op.inputs), np.float32)
    return replace(op, type="Mul", inputs=(total, name), attrs={})


def _negated(more: Growing, op: Op) -> list[Op]:
    ops, negative = [], []
    for name in op.inputs:
        made = more.value(op, "negative", more.shapes[name])
        negative.append(made)
        if name in more.constants:
            more.constants[made] = -more.constants[name]
            continue
        ops.append(replace(op, name=made, type="Neg", inputs=(name,), outputs=(made,), attrs={}))
    most = more.value(op, "most", more.shapes[op.output])
    largest = replace(op, name=most, type="Max", inputs=tuple(negative), outputs=(most,), attrs={})
    return [*ops, largest, replace(op, type="Neg", inputs=(most,), attrs={})]


def _sum(more: Growing, op: Op) -> list[Op]:
    """A mean times the number of its elements, of absolute values or squares, maybe its root."""
    x, kind, ops = op.first, _SUMS[op.type], []
    if kind:
        name = more.value(op, "each", more.shapes[x])
        inputs = (x, x) if kind == "Mul" else (x,)
        ops.append(replace(op, name=name, type=kind, inputs=inputs, outputs=(name,), attrs={}))
        x = name
    shape = more.shapes[op.output]
    mean, count = more.value(op, "mean", shape), more.value(op, "count", ())
    number = math.prod(more.shapes[x]) // max(math.prod(shape), 1)
    more.constants[count] = np.array(number, np.float32)
    reduced = replace(op, name=mean, type="ReduceMean", outputs=(mean,))
    ops.append(replace(reduced, inputs=(x, *op.inputs[1:])))
    last = replace(op, type="Mul", inputs=(mean, count), attrs={})
    if op.type != "ReduceL2":
        return [*ops, last]
    total = more.value(op, "total", shape)
    root = replace(op, type="Sqrt", inputs=(total,), attrs={})
    return [*ops, replace(last, name=total, outputs=(total,)), root]
