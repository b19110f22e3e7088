"""Nodes whose every output is one of the inputs, chosen on each axis by itself, as moves.

Borders of the image's own elements, crops, and Resize where it takes no means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from deployer.frontend.attributes import padding
from deployer.frontend.builder import order_of
from deployer.frontend.express import MAX_PIECES, express, ranges_of
from deployer.frontend.net import Net, Op
from deployer.frontend.rearrangement import Move, Pieces, around
from deployer.frontend.resize import picked

PICKING_BY_AXES = frozenset({"Pad", "Resize"})
_OWN_ELEMENTS = ("reflect", "edge", "wrap")  # modes of Pad, by the names that numpy gives them, too


def moves_by_axes(net: Net, op: Op) -> tuple[Move, ...] | None:
    """Moves from ``op``'s first operand to its output, as the device stores both; None where it
    makes other elements, changes the batch, or takes too many moves."""
    picks = _picks(net, op)
    if picks is None or len(picks) < 2 or not np.array_equal(picks[0], [0]):
        return None
    order, moves = order_of(len(picks)), list[Move]()
    shape = [net.shapes[op.first][axis] for axis in order]
    for at, axis in enumerate(order):
        found = _along(shape, at, picks[axis])
        if found is None:
            return None
        moves += found
        shape[at] = len(picks[axis])
    return tuple(moves)


def _along(shape: Sequence[int], at: int, picks: np.ndarray) -> tuple[Move, ...] | None:
    """Moves along the axis ``at`` alone: loops, else piece by piece."""
    count = math.prod(shape)
    found = express(count, np.arange(count).reshape(shape).take(picks, axis=at).reshape(-1))
    if found is not None:
        return found
    ranges = ranges_of(picks.tolist())
    return (Pieces(around(shape, at), ranges),) if len(ranges) <= MAX_PIECES else None


def _picks(net: Net, op: Op) -> tuple[np.ndarray, ...] | None:
    """For each axis the input that each output is."""
    if op.type == "Resize":
        chosen = picked(net, op)
        return None if chosen is None else (*map(np.arange, net.shapes[op.first][:2]), *chosen)
    sides = padding(net, op)
    if sides is None:
        return None
    axes, ends = list(map(np.arange, net.shapes[op.first])), np.array(sides)
    if ends.max() <= 0:  # a crop
        return tuple(
            axis[-before : len(axis) + after]
            for axis, before, after in zip(axes, *sides, strict=True)
        )
    mode = op.attrs.get("mode", "constant")
    if mode not in _OWN_ELEMENTS or ends.min() < 0:
        return None
    return tuple(
        np.pad(axis, side, mode=mode)
        for axis, side in zip(axes, zip(*sides, strict=True), strict=True)
    )
