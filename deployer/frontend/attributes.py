"""Attributes that ONNX spells in several ways, by operator set or by convention."""

from __future__ import annotations

import numpy as np

from deployer.frontend.net import Net, Op, Shape


def reduced_axes(net: Net, op: Op) -> tuple[int, ...] | None:
    """The axes of a reduction, none negative; None when they are computed."""
    given, rank = net.constant(op, 1), len(net.shapes[op.first])
    if op.input(1) and given is None:
        return None
    axes = op.ints("axes") if given is None else tuple(int(axis) for axis in given.ravel())
    if not axes and not op.attrs.get("noop_with_empty_axes", 0):
        return tuple(range(rank))
    return tuple(sorted({axis % rank for axis in axes}))


def normalized_axes(net: Net, op: Op) -> tuple[int, ...]:
    """The axes of a LayerNormalization: those stated, or all from ``axis`` on."""
    rank = len(net.shapes[op.first])
    return op.ints("axes") or tuple(range(int(op.attrs.get("axis", -1)) % rank, rank))


def transpose_perm(net: Net, op: Op) -> tuple[int, ...]:
    """The permutation; ONNX reverses the axes when none is given."""
    rank = len(net.shapes[op.first])
    return op.ints("perm") or tuple(reversed(range(rank)))


def concat_axis(net: Net, op: Op) -> int:
    """The axis of a Concat, Split or Softmax, not negative."""
    rank = len(net.shapes[op.output])
    default = {"Concat": 1, "Split": 0}.get(op.type, -1 if net.opset >= 13 else 1)
    return int(op.attrs.get("axis", default)) % rank


def padding(net: Net, op: Op) -> tuple[Shape, Shape] | None:
    """What a Pad adds before and after every axis; None when it is computed."""
    pads, rank = net.constant(op, 1), len(net.shapes[op.first])
    axes = net.constant(op, 3)
    if pads is None or (op.input(3) and axes is None):
        return None
    where = range(rank) if axes is None else [int(axis) % rank for axis in axes.ravel()]
    sides = pads.ravel()
    before, after = [0] * rank, [0] * rank
    for i, axis in enumerate(where):
        before[axis], after[axis] = int(sides[i]), int(sides[len(where) + i])
    return tuple(before), tuple(after)


def slice_ranges(net: Net, op: Op) -> tuple[Shape, Shape, Shape] | None:
    """First elements, ends and steps of a Slice along every axis; None when they are computed."""
    shape = net.shapes[op.first]
    given = [net.constant(op, index) for index in range(1, 5)]
    lost = any(op.input(i) and number is None for i, number in enumerate(given, 1))
    starts, ends = given[:2]
    if lost or starts is None or ends is None:
        return None
    axes = given[2] if given[2] is not None else np.arange(starts.size)
    steps = given[3] if given[3] is not None else np.ones_like(starts)
    begin, end, step = [0] * len(shape), list(shape), [1] * len(shape)
    for start, stop, axis, stride in zip(*map(np.ravel, (starts, ends, axes, steps)), strict=True):
        where = int(axis) % len(shape)
        begin[where], end[where], step[where] = (
            slice(int(start), int(stop), int(stride)).indices(shape[where]) if stride else (0, 0, 0)
        )
    return tuple(begin), tuple(end), tuple(step)


def split_ranges(net: Net, op: Op) -> list[tuple[int, int]]:
    """First element and end of every output of a Split, along its axis."""
    axis = concat_axis(net, op)
    ends = np.cumsum([net.shapes[name][axis] for name in op.outputs])
    return [
        (int(end) - net.shapes[name][axis], int(end))
        for name, end in zip(op.outputs, ends, strict=True)
    ]


def pixel_axis(big: Shape, small: Shape) -> int | None:
    """The axis along which ``small`` is one pixel of ``big``; None when it is not one."""
    if len(big) != len(small) or len(big) not in (3, 4):
        return None
    fits = (
        axis
        for axis in range(1, len(big))
        if small[axis] == big[axis] and all(n == 1 for i, n in enumerate(small) if i != axis)
    )
    return next(fits, None)
