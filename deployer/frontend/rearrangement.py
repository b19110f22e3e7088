"""Moves: what the device's operators can do to the order of elements, and lists of them.

A list of moves takes a flat tensor to another flat one; every move sees it in a shape of its own.
The batch is none of its axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Transpose:
    """The three axes of ``shape`` in another order: Transpose."""

    shape: Shape
    perm: Shape


@dataclass(frozen=True)
class Cut:
    """Of up to three axes the elements from ``begin`` up to ``end``: Slice."""

    shape: Shape
    begin: Shape
    end: Shape


@dataclass(frozen=True)
class Skip:
    """Every ``step``-th element of the middle axis: MaxPool of one element."""

    shape: Shape
    step: int


@dataclass(frozen=True)
class Repeat:
    """Every element of the middle axis ``times`` over: Resize."""

    shape: Shape
    times: int


@dataclass(frozen=True)
class Pieces:
    """Ranges of the middle axis one behind the other: a Slice each, and Concat."""

    shape: Shape
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Blocks:
    """Height, width, channels: ``to_space`` is DepthToSpace, else SpaceToDepth."""

    shape: Shape
    block: int
    column_first: bool
    to_space: bool


Move = Transpose | Cut | Skip | Repeat | Pieces | Blocks


def applied(moves: Sequence[Move], flat: np.ndarray) -> np.ndarray:
    """What ``moves`` make of a flat array."""
    for move in moves:
        flat = _one(move, flat.reshape(move.shape)).reshape(-1)
    return flat


def _one(move: Move, x: np.ndarray) -> np.ndarray:
    if isinstance(move, Transpose):
        return x.transpose(move.perm)
    if isinstance(move, Cut):
        ranges = zip(move.begin, move.end, strict=True)
        return x[tuple(slice(begin, end) for begin, end in ranges)]
    if isinstance(move, Skip):
        return x[:, :: move.step]
    if isinstance(move, Repeat):
        return x.repeat(move.times, axis=1)
    if isinstance(move, Pieces):
        return np.concatenate([x[:, begin:end] for begin, end in move.ranges], axis=1)
    return _blocks(move, x)


def _blocks(move: Blocks, x: np.ndarray) -> np.ndarray:
    (height, width, channels), b = move.shape, move.block
    if move.to_space:
        out = channels // b**2
        if move.column_first:
            return x.reshape(height, width, out, b, b).transpose(0, 3, 1, 4, 2)
        return x.reshape(height, width, b, b, out).transpose(0, 2, 1, 3, 4)
    parts = x.reshape(height // b, b, width // b, b, channels)
    return parts.transpose((0, 2, 4, 1, 3) if move.column_first else (0, 2, 1, 3, 4))


def around(sizes: Sequence[int], axis: int) -> Shape:
    """``sizes`` as three axes, ``axis`` the middle one."""
    return (math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :]))
