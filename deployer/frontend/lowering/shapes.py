"""Operators that move elements."""

from __future__ import annotations

from deployer.frontend.attributes import (
    concat_axis,
    padding,
    slice_ranges,
    split_ranges,
    transpose_perm,
)
from deployer.frontend.builder import Builder
from deployer.frontend.net import Op, Shape
from deployer.ir import PadAttrs, SliceAttrs


def alias(b: Builder, op: Op) -> None:
    """Identity, Dropout, Cast: the same bytes."""
    b.reshape(op, op.first, b.shape(op.first), output=op.output)


def reshape(b: Builder, op: Op) -> None:
    reorder(b, op, op.first, b.order(op.first))


def reorder(b: Builder, op: Op, x: str, order: Shape) -> None:
    """Reshape ``x``, whose stored axes are the ONNX axes ``order``, to the ONNX output shape."""
    shape, out_order = b.net.shapes[op.output], b.order(op.output)
    x = b.transpose(op, x, tuple(order.index(axis) for axis in range(len(order))))
    x = b.reshape(op, x, shape)
    b.transpose(op, x, out_order, output=op.output)


def transpose(b: Builder, op: Op) -> None:
    x, perm = op.first, transpose_perm(b.net, op)
    source = b.order(x)
    stored = tuple(source.index(perm[axis]) for axis in b.order(op.output))
    b.transpose(op, x, stored, output=op.output)


def pad(b: Builder, op: Op) -> None:
    sides, value = padding(b.net, op), b.net.constant(op, 2)
    assert sides is not None
    before, after = (_stored(b, op, side) for side in sides)
    fill = 0.0 if value is None else float(value.item())
    b.emit(op, "Pad", [op.first], PadAttrs(before, after, fill))


def crop(b: Builder, op: Op) -> None:
    """Slice."""
    ranges = slice_ranges(b.net, op)
    assert ranges is not None
    begin, end = (_stored(b, op, side) for side in ranges[:2])
    b.emit(op, "Slice", [op.first], SliceAttrs(begin, end))


def split(b: Builder, op: Op) -> None:
    """One Slice for every output in use."""
    axis, shape = concat_axis(b.net, op), b.net.shapes[op.first]
    for output, (first, last) in zip(op.outputs, split_ranges(b.net, op), strict=True):
        if output not in b.net.readers and output not in b.net.outputs:
            continue
        begin = tuple(first if i == axis else 0 for i in range(len(shape)))
        end = tuple(last if i == axis else size for i, size in enumerate(shape))
        attrs = SliceAttrs(_stored(b, op, begin), _stored(b, op, end))
        b.emit(op, "Slice", [op.first], attrs, output=output, name=b.fresh(f"{op.name}/part"))


def _stored(b: Builder, op: Op, numbers: Shape) -> Shape:
    """One number per ONNX axis, in the order in which the operand is stored."""
    return tuple(numbers[axis] for axis in b.order(op.first))
