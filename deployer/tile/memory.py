"""Where the tiles of a step lie in the innermost memory, and how many bytes they take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product

from deployer.ir.tiling import Axis, Cut, TileBuffer, input_name
from deployer.tile.layer import Layer

ALIGN = 16  # bytes
TURN = 288  # of a tile's arguments, kernels/include/dpl/tiles.h

Axes = tuple[Axis, Axis, Axis]


def buffers_of(layer: Layer, axes: Axes, *, channels_inner: bool) -> tuple[TileBuffer, ...]:
    """The arrays of a step, one behind the other. Two sides where one is filled or emptied while
    the kernel works on the other; scratch is the kernel's own (paper 004: L1_backend)."""
    sizes = _tensors(layer, axes, channels_inner=channels_inner)
    found, offset = [], 0
    for name, size, sides in [*sizes, ("scratch", Needs(layer).scratch(axes), 1)]:
        if size:
            found.append(TileBuffer(name, offset, _aligned(size), sides))
            offset = found[-1].end
    return tuple(found)


def bytes_of(buffers: Iterable[TileBuffer]) -> int:
    return max(buffer.end for buffer in buffers)


@dataclass(frozen=True, eq=False)
class Needs:
    """Bytes that tiles of ``layer`` take; scratch that was asked for before is known."""

    layer: Layer
    known: dict[tuple[object, ...], int] = field(default_factory=dict)

    def fits(self, axes: Axes, size: int, *, channels_inner: bool) -> bool:
        """Whether the arrays of a step take ``size`` bytes at most, as ``buffers_of`` has them."""
        arrays = _tensors(self.layer, axes, channels_inner=channels_inner)
        left = size - sum(sides * _aligned(one) for _, one, sides in arrays)
        return left >= 0 and _aligned(self.scratch(axes)) <= left

    def scratch(self, axes: Axes) -> int:
        """The most that any tile's call of the kernel asks for."""
        rows, columns, channels = axes
        depths = {cut.count for cut in channels.kinds}
        return max(self._call(*kind) for kind in product(rows.kinds, columns.kinds, depths))

    def _call(self, row: Cut, column: Cut, depth: int) -> int:
        key = row.kind, column.kind, depth
        if key not in self.known:
            self.known[key] = self.layer.kernel.scratch(self.layer.tile_case(row, column, depth))
        return self.known[key]


def _aligned(size: int) -> int:
    return -(-size // ALIGN) * ALIGN


def _tensors(layer: Layer, axes: Axes, *, channels_inner: bool) -> list[tuple[str, int, int]]:
    rows, columns, channels = axes
    tiles = rows.count * columns.count * channels.count
    places = rows.count * columns.count
    deep = channels.tile if layer.sliced else layer.case.in_channels
    entered = max(pixels_of(layer, rows.most_inputs, across) for across in columns.kinds) * deep
    loads = tiles if layer.sliced or not channels_inner else places
    fresh = channels.count if not channels_inner else tiles if channels.count > 1 else 1
    inputs = [
        (input_name(index), entered, min(2, loads)) for index in range(len(layer.case.in_shapes))
    ]
    return [
        ("turns", TURN, 2),
        *inputs,
        ("output", rows.tile * columns.tile * channels.tile, min(2, tiles)),
        ("weights", layer.weight_bytes(channels.tile), min(2, fresh)),
        ("table", layer.table_bytes, 1),
    ]


def pixels_of(layer: Layer, rows: int, columns: Cut) -> int:
    """Of the input of a tile, with the zero points beside its rows."""
    beside = layer.beside(columns)
    return rows * (columns.inputs + beside) + beside
