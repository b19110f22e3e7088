"""Chains that only move elements, as the moves that were found for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from deployer.frontend.builder import Builder
from deployer.frontend.net import Op
from deployer.frontend.rearrangement import Blocks, Cut, Pieces, Repeat, Shape, Skip, Transpose
from deployer.ir import (
    BlockAttrs,
    ConcatAttrs,
    PoolAttrs,
    ResizeAttrs,
    SliceAttrs,
    TransposeAttrs,
    Window,
)


def moved(b: Builder, op: Op) -> None:
    x = op.first
    for move in op.attrs["moves"]:
        x = b.reshape(op, x, (1, *move.shape))
        x = _EMIT[type(move)](b, op, x, move)
    b.reshape(op, x, b.shape(op.output), output=op.output)


def _emit(b: Builder, op: Op, kind: str, inputs: list[str], attrs: Any) -> str:
    name = b.fresh(f"{op.name}/{kind.lower()}")
    return b.emit(op, kind, inputs, attrs, output=name, name=name)


def _transpose(b: Builder, op: Op, x: str, move: Transpose) -> str:
    perm = (0, *(axis + 1 for axis in move.perm))
    return _emit(b, op, "Transpose", [x], TransposeAttrs(perm))


def _cut(b: Builder, op: Op, x: str, move: Cut) -> str:
    return _slice(b, op, x, move.begin, move.end)


def _slice(b: Builder, op: Op, x: str, begin: Shape, end: Shape) -> str:
    return _emit(b, op, "Slice", [x], SliceAttrs((0, *begin), (1, *end)))


def _skip(b: Builder, op: Op, x: str, move: Skip) -> str:
    return _emit(b, op, "MaxPool", [x], PoolAttrs(Window((1, 1), (1, move.step))))


def _repeat(b: Builder, op: Op, x: str, move: Repeat) -> str:
    return _emit(b, op, "Resize", [x], ResizeAttrs((1, move.times)))


def _pieces(b: Builder, op: Op, x: str, move: Pieces) -> str:
    before, _, after = move.shape
    parts = [_slice(b, op, x, (0, first, 0), (before, last, after)) for first, last in move.ranges]
    return _emit(b, op, "Concat", parts, ConcatAttrs(2)) if len(parts) > 1 else parts[0]


def _blocks(b: Builder, op: Op, x: str, move: Blocks) -> str:
    kind = "DepthToSpace" if move.to_space else "SpaceToDepth"
    return _emit(b, op, kind, [x], BlockAttrs(move.block, move.column_first))


_EMIT: Mapping[type, Callable[[Builder, Op, str, Any], str]] = MappingProxyType(
    {
        Transpose: _transpose,
        Cut: _cut,
        Skip: _skip,
        Repeat: _repeat,
        Pieces: _pieces,
        Blocks: _blocks,
    }
)
