"""Attributes that ONNX spells in several ways, by operator set or by convention."""

from __future__ import annotations

from deployer.frontend.net import Net, Op
from deployer.ir.attrs import Pads

SPATIAL = (2, 3)  # height and width in NCHW


def mean_axes(net: Net, op: Op) -> tuple[int, ...] | None:
    """The axes of a ReduceMean, none negative; None when they are computed or all are meant."""
    given = net.constant(op, 1)
    axes = op.ints("axes") if given is None else tuple(int(axis) for axis in given.ravel())
    rank = len(net.shapes[op.input(0)])
    return tuple(sorted({axis % rank for axis in axes})) or None


def transpose_perm(net: Net, op: Op) -> tuple[int, ...]:
    """The permutation; ONNX reverses the axes when none is given."""
    rank = len(net.shapes[op.input(0)])
    return op.ints("perm") or tuple(reversed(range(rank)))


def border(net: Net, op: Op) -> Pads | None:
    """The pads of a Pad over height and width; None when it is more than that."""
    pads, rank = net.constant(op, 1), len(net.shapes[op.input(0)])
    axes = net.constant(op, 3)
    if pads is None or (op.input(3) and axes is None):
        return None
    where = range(rank) if axes is None else [int(axis) % rank for axis in axes.ravel()]
    half = pads.size // 2
    sides = {axis: (int(pads[i]), int(pads[half + i])) for i, axis in enumerate(where)}
    rest = [side for axis, side in sides.items() if axis not in SPATIAL]
    (top, bottom), (left, right) = (sides.get(axis, (0, 0)) for axis in SPATIAL)
    if any(map(any, rest)) or min(top, bottom, left, right) < 0:
        return None
    return Pads(top, left, bottom, right)
