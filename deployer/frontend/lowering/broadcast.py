"""Operands of other shapes than the result: repeated activations, constants of many axes."""

from __future__ import annotations

import math

import numpy as np

from deployer.frontend.attributes import concat_axis
from deployer.frontend.builder import Builder, order_of
from deployer.frontend.lowering.shapes import alias
from deployer.frontend.net import Op, Shape
from deployer.ir import ConcatAttrs, ConvAttrs, Layout, PointAttrs, ResizeAttrs, SliceAttrs, Window


def expanded(b: Builder, op: Op, x: str) -> str:
    """An activation with its elements repeated to the shape of the output of ``op``."""
    target, shape = b.net.shapes[op.output], b.net.shapes[x]
    if shape == target:
        return x
    order = order_of(len(target))
    x, sizes = _ranked(b, op, x, order)
    wanted = [target[axis] for axis in order]
    axis = 0
    while axis < len(sizes):
        end = axis + 1
        while end < len(sizes) and _grows(sizes, wanted, end) == _grows(sizes, wanted, axis):
            end += 1
        if _grows(sizes, wanted, axis):
            x = _repeated(b, op, x, sizes[:axis], wanted[axis:end], sizes[end:])
            sizes[axis:end] = wanted[axis:end]
        axis = end
    return b.reshape(op, x, tuple(wanted))


def _grows(sizes: list[int], wanted: list[int], axis: int) -> bool:
    return sizes[axis] != wanted[axis]


def _ranked(b: Builder, op: Op, x: str, order: Shape) -> tuple[str, list[int]]:
    """An activation with axes of 1 in front, as many as ``order`` has, stored in that order."""
    before, shape = b.order(x), b.net.shapes[x]
    full = (1,) * (len(order) - len(shape)) + shape
    if len(shape) < len(order):
        x = b.transpose(op, x, tuple(before.index(axis) for axis in range(len(before))))
        x = b.transpose(op, b.reshape(op, x, full), order)
    return x, [full[axis] for axis in order]


def _repeated(
    b: Builder, op: Op, x: str, before: list[int], grown: list[int], after: list[int]
) -> str:
    """Axes of 1 between others, repeated: a Resize over one axis."""
    view = (1, math.prod(before), 1, math.prod(after))
    name = b.fresh(f"{op.name}/repeated")
    factors = ResizeAttrs((1, math.prod(grown)))
    return b.emit(op, "Resize", [b.reshape(op, x, view)], factors, output=name, name=name)


def affine_over(b: Builder, op: Op, x: str, numbers: tuple[np.ndarray, np.ndarray]) -> None:
    """Scale and offset by constants of any axes: a 1x1 depthwise convolution whose channels are
    those axes. ``x`` has the shape of the output of ``op``."""
    target = b.net.shapes[op.output]
    order = order_of(len(target))
    full = [array.reshape((1,) * (len(target) - array.ndim) + array.shape) for array in numbers]
    size = np.broadcast_shapes(*(array.shape for array in full))
    last = [place for place, axis in enumerate(order) if size[axis] != 1]
    perm = (*(place for place in range(len(order)) if place not in last), *last)
    channels = math.prod(size)
    scale, offset = (
        np.broadcast_to(array, size).transpose([order[place] for place in perm]).reshape(-1)
        for array in full
    )
    moved = b.transpose(op, x, perm)
    image = b.reshape(op, moved, (1, 1, math.prod(target) // channels, channels))
    weights = b.weight(op, "weights", scale.reshape(1, 1, -1), Layout.HWC)
    bias = b.weight(op, "bias", offset, Layout.VECTOR)
    attrs = ConvAttrs(Window((1, 1)), groups=channels)
    inner = b.fresh(f"{op.name}/scaled")
    b.emit(op, "DepthwiseConv2d", [image, weights, bias], attrs, output=inner)
    turned = b.reshape(op, inner, tuple(target[order[place]] for place in perm))
    back = tuple(perm.index(place) for place in range(len(perm)))
    b.transpose(op, turned, back, output=op.output)


def constant(b: Builder, op: Op, array: np.ndarray, source: str) -> str:
    """A constant as an activation."""
    stored = array.transpose(order_of(array.ndim))
    return b.reshape(op, flat_constant(b, op, stored.reshape(-1), source), stored.shape)


def flat_constant(b: Builder, op: Op, array: np.ndarray, source: str) -> str:
    """Constant numbers as an activation of rank 2: the bias of a dense layer that reads one element
    of ``source`` with weights of 0, so that the quantizer, the planner and the kernels know it
    already."""
    elements = b.elements(source)
    flat = b.reshape(op, source, (1, elements))
    if elements > 1:
        one = b.fresh(f"{op.name}/one")
        flat = b.emit(op, "Slice", [flat], SliceAttrs((0, 0), (1, 1)), output=one, name=one)
    weights = b.weight(op, "zeros", np.zeros((array.size, 1)), Layout.OI)
    bias = b.weight(op, "constant", array, Layout.VECTOR)
    made = b.fresh(f"{op.name}/constants")
    return b.emit(op, "FullyConnected", [flat, weights, bias], PointAttrs(), output=made, name=made)


def concat(b: Builder, op: Op) -> None:
    """Of activations, and of constants made activations."""
    if len(op.inputs) == 1:
        alias(b, op)
        return
    source = b.net.activations(op)[0]
    inputs = [
        constant(b, op, b.net.constants[name], source) if name in b.net.constants else name
        for name in op.inputs
    ]
    axis = b.order(op.output).index(concat_axis(b.net, op))
    b.emit(op, "Concat", inputs, ConcatAttrs(axis))
