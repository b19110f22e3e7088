"""Where the tiles of a step lie in the innermost memory, and how many bytes they take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeVar

import numpy as np

from deployer.ir import Axis, Cut, TileBuffer, input_name
from deployer.kernelset import TILE_ARGUMENT_BYTES
from deployer.tile.calls import TileCalls
from deployer.tile.layer import Layer

ALIGN_BYTES = 16

Axes = tuple[Axis, Axis, Axis]
Bytes = TypeVar("Bytes", int, np.ndarray)  # of one tile, or of many


def buffers_of(layer: Layer, axes: Axes, *, channels_inner: bool) -> tuple[TileBuffer, ...]:
    """The arrays of a step, one behind the other. Two sides where one is filled or emptied while
    the kernel works on the other; scratch is the kernel's own (paper 004: L1_backend)."""
    sizes = _tensors(layer, axes, channels_inner=channels_inner)
    found, offset = [], 0
    for name, size, sides in [*sizes, ("scratch", Needs(TileCalls(layer)).scratch(axes), 1)]:
        if size:
            found.append(TileBuffer(name, offset, aligned(size), sides))
            offset = found[-1].end
    return tuple(found)


def bytes_of(buffers: Iterable[TileBuffer]) -> int:
    return max(buffer.end for buffer in buffers)


@dataclass(frozen=True, eq=False)
class Needs:
    """Bytes that tiles take of the layer of ``calls``."""

    calls: TileCalls

    def fits(self, axes: Axes, size: int, *, channels_inner: bool) -> bool:
        """Whether the arrays of a step take ``size`` bytes at most, as ``buffers_of`` has them."""
        arrays = _tensors(self.calls.layer, axes, channels_inner=channels_inner)
        left = size - sum(sides * aligned(one) for _, one, sides in arrays)
        return left >= 0 and aligned(self.scratch(axes)) <= left

    def scratch(self, axes: Axes) -> int:
        """The most that any tile's call of the kernel needs."""
        rows, columns, channels = axes
        depths = {cut.count for cut in channels.kinds}
        kinds = product(rows.kinds, columns.kinds, depths)
        return max(self.calls.scratch(*kind) for kind in kinds)


@dataclass(frozen=True, eq=False)
class Sizes:
    """Bytes that tiles of ``layer`` take without scratch, in any order: of every one of ``rows`` by
    every one of ``channels`` at once."""

    layer: Layer
    rows: Sequence[Axis]
    channels: Sequence[Axis]

    def of(self, column: Axis) -> np.ndarray:
        """[row, channel]: with tiles of ``column``."""
        layer, most = self.layer, self._most
        entered = np.max([pixels_of(layer, most, across) for across in column.kinds], axis=0)
        element = layer.case.element_bytes
        single = layer.case.pixels.count(True) * aligned(self._inner * element)
        places = self._down * column.count
        tiles = places * self._along
        whole = layer.images * aligned(entered * self._inner * element) + single
        loaded = self._sides(whole, tiles if layer.sliced else places)
        stored = self._sides(aligned(self._tall * column.tile * self._deep * element), tiles)
        used: np.ndarray = self._fixed + loaded + stored
        return used

    @cached_property
    def _fixed(self) -> np.ndarray:
        """What depends on channels alone."""
        layer = self.layer
        weights = self._sides(aligned(layer.weight_bytes(self._deep)), self._along)
        return 2 * aligned(TILE_ARGUMENT_BYTES) + aligned(layer.table_bytes) + weights

    def _sides(self, sizes: np.ndarray, times: np.ndarray) -> np.ndarray:
        """All sides of what is moved several ``times``."""
        moved: np.ndarray = sizes * np.minimum(self.layer.sides, times)
        return moved

    @cached_property
    def _inner(self) -> np.ndarray:
        return self.layer.inner(self._deep)

    @cached_property
    def _tall(self) -> np.ndarray:
        return _numbers(self.rows, "tile")[:, None]

    @cached_property
    def _most(self) -> np.ndarray:
        return _numbers(self.rows, "most_inputs")[:, None]

    @cached_property
    def _down(self) -> np.ndarray:
        return _numbers(self.rows, "count")[:, None]

    @cached_property
    def _deep(self) -> np.ndarray:
        return _numbers(self.channels, "tile")

    @cached_property
    def _along(self) -> np.ndarray:
        return _numbers(self.channels, "count")


def _numbers(axes: Sequence[Axis], name: str) -> np.ndarray:
    return np.array([getattr(axis, name) for axis in axes], np.int64)


def aligned(size: Bytes) -> Bytes:
    return -(-size // ALIGN_BYTES) * ALIGN_BYTES


def _tensors(layer: Layer, axes: Axes, *, channels_inner: bool) -> list[tuple[str, int, int]]:
    rows, columns, channels = axes
    tiles = rows.count * columns.count * channels.count
    places = rows.count * columns.count
    element = layer.case.element_bytes
    deep = layer.inner(channels.tile) * element
    made = rows.tile * columns.tile * channels.tile * element
    entered = max(pixels_of(layer, rows.most_inputs, across) for across in columns.kinds) * deep
    loads = tiles if layer.sliced or not channels_inner else places
    fresh = channels.count if not channels_inner else tiles if channels.count > 1 else 1
    inputs = [
        (input_name(index), deep if pixel else entered, min(layer.sides, loads))
        for index, pixel in enumerate(layer.case.pixels)
    ]
    return [
        ("turns", TILE_ARGUMENT_BYTES, 2),
        *inputs,
        ("output", made, min(layer.sides, tiles)),
        ("weights", layer.weight_bytes(channels.tile), min(layer.sides, fresh)),
        ("table", layer.table_bytes, 1),
    ]


def pixels_of(layer: Layer, rows: Bytes, columns: Cut) -> Bytes:
    """Of the input of a tile, with its border padding."""
    padding = layer.border_padding(columns)
    return rows * (columns.inputs + padding) + padding
