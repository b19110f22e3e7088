"""Products of two activations: matrices side by side, each times its own."""

from __future__ import annotations

import math

from deployer.frontend.builder import Builder, order_of
from deployer.frontend.net import Op, Shape
from deployer.frontend.operands import product_rows
from deployer.ir import MatMulAttrs


def product(b: Builder, op: Op) -> None:
    """Matrices are rows of pixels, those of the right operand turned: each sum goes along the
    channels of both. One matrix meets many as one of more pixels."""
    sides = [b.net.shapes[name] for name in op.inputs]
    counts = product_rows(*sides)
    assert counts is not None
    left = _matrices(b, op, op.first, turned=False)
    right = _matrices(b, op, op.input(1), turned=True)
    if counts[0] < counts[1]:
        _one_by_many(b, op, left, right, counts[1])
        return
    if counts[1] < counts[0]:
        left = b.reshape(op, left, (1, 1, counts[0] * sides[0][-2], sides[0][-1]))
    out = _emit(b, op, left, right)
    _back(b, op, out, b.net.shapes[op.output])


def _one_by_many(b: Builder, op: Op, left: str, right: str, count: int) -> None:
    """The products of the many with the one, turned."""
    shape = b.net.shapes[op.output]
    depth = b.net.shapes[op.first][-1]
    many = b.reshape(op, right, (1, 1, count * shape[-1], depth))
    out = b.reshape(op, _emit(b, op, many, left), (1, count, shape[-1], shape[-2]))
    _back(b, op, b.transpose(op, out, (0, 1, 3, 2)), shape)


def _emit(b: Builder, op: Op, left: str, right: str) -> str:
    out = b.fresh(f"{op.name}/product")
    return b.emit(op, "MatMul", [left, right], MatMulAttrs(), output=out)


def _matrices(b: Builder, op: Op, name: str, *, turned: bool) -> str:
    """An activation as (1, matrices, rows, columns); ``turned``: columns and rows."""
    shape, order = b.net.shapes[name], b.order(name)
    wanted = list(range(len(shape)))
    if turned:
        wanted[-2:] = wanted[:-3:-1]
    perm = tuple(order.index(axis) for axis in wanted)
    x = b.transpose(op, name, perm) if perm != tuple(range(len(perm))) else name
    sizes = [shape[axis] for axis in wanted]
    return b.reshape(op, x, (1, math.prod(sizes[:-2]), *sizes[-2:]))


def _back(b: Builder, op: Op, out: str, shape: Shape) -> None:
    """What was computed as the output, in the order it is stored in."""
    order = order_of(len(shape))
    if order == tuple(range(len(shape))):
        b.reshape(op, out, shape, output=op.output)
    else:
        b.transpose(op, b.reshape(op, out, shape), order, output=op.output)
