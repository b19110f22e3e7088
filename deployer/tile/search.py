"""The tiles of one step: the sizes that fit, and the best of them.

Of the sizes that fit and can be best (tile/sizes.py) those of the fewest tiles are tried. Where
these are all, the result is the optimum of the estimate: what a constraint solver would have to
find (paper 004, section 4.2, whose constraints these are).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from deployer.ir import TileCosts, Tiling
from deployer.tile.calls import TileCalls
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes, Needs, buffers_of, bytes_of
from deployer.tile.overlap import MIN_ROWS, goes_by_rows, overlap_offset_of_tiles
from deployer.tile.sizes import roomy
from deployer.tile.transfer import Engine

MOST_TRIED = 400  # sizes of a layer: estimates of one take some 0.1 ms
MAX_KEPT_LAYERS = 1024  # layers whose tiles are looked up when they come again
PARTS_SHARE = 0.97  # calls for parts of a layer take no less of one for all of it


@dataclass(frozen=True)
class Room:
    """``size`` bytes of ``memory`` for tiles, what moves them, and the cores that share each."""

    memory: str
    size: int
    engine: Engine
    cores: int


@lru_cache(maxsize=MAX_KEPT_LAYERS)
def best_tiling(layer: Layer, room: Room) -> Tiling | None:
    """The tiles of fewest estimated cycles, of those the largest; None when none fit."""
    best: tuple[Axes, bool, TileCosts] | None = None
    calls, limit = TileCalls(layer), float("inf")
    needs, whole = Needs(calls), _in_one_call(calls, room)

    def worth(tiles: int) -> bool:
        return room.engine.control.fixed(tiles) + PARTS_SHARE * whole < limit

    tried = roomy(layer, room.size, cores=room.cores, worth=worth)
    for axes, inner in islice(tried, MOST_TRIED):
        if not needs.fits(axes, room.size, channels_inner=inner):
            continue
        line = Timeline(layer, axes, inner, room.engine, calls)
        if line.least < limit and line.costs.cycles < limit:
            best, limit = (axes, inner, line.costs), line.costs.cycles
    return None if best is None else tiling_of(layer, room, *best)


def in_one_call(layer: Layer, room: Room) -> float:
    """Cycles of the kernel, were there room for the whole layer."""
    return _in_one_call(TileCalls(layer), room)


def _in_one_call(calls: TileCalls, room: Room) -> float:
    layer = calls.layer
    rows, columns, channels = layer.extents
    axes = layer.rows(rows), layer.columns(columns), layer.channels(channels)
    return float(Timeline(layer, axes, True, room.engine, calls).compute.sum())


@lru_cache(maxsize=MAX_KEPT_LAYERS)
def some_fits(layer: Layer, room: Room) -> bool:
    """Whether a tile fits ``room``; those with an axis in its smallest tiles or whole are tried
    before all others where none is unsafe."""
    needs, size = Needs(TileCalls(layer)), room.size
    if layer.overlap_offset is None and any(
        needs.fits(e, size, channels_inner=True) for e in _ends(layer)
    ):
        return True
    return any(
        needs.fits(axes, size, channels_inner=inner)
        for axes, inner in roomy(layer, size, cores=room.cores)
    )


@lru_cache(maxsize=MAX_KEPT_LAYERS)
def smallest(layer: Layer) -> int:
    """Bytes without which no tile fits. A smaller tile never needs more, but that an axis which is
    not cut saves the second side of an array."""
    return min(
        bytes_of(buffers_of(layer, axes, channels_inner=inner))
        for axes in _ends(layer)
        for inner in (True, False)
    )


def _ends(layer: Layer) -> Iterator[Axes]:
    """With each axis in the smallest tiles, or whole."""
    rows, columns, channels = layer.extents
    across = {columns} if layer.blocked else {1, columns}
    for tall, wide, deep in product(
        sorted({1, rows}), sorted(across), sorted({layer.depths[0], channels})
    ):
        yield layer.rows(tall), layer.columns(wide), layer.channels(deep)


def tiling_of(layer: Layer, room: Room, axes: Axes, inner: bool, costs: TileCosts) -> Tiling:
    """The decision, with where its arrays lie."""
    buffers = buffers_of(layer, axes, channels_inner=inner)
    return Tiling(
        memory=room.memory,
        rows=axes[0],
        columns=axes[1],
        channels=axes[2],
        sliced=layer.sliced,
        group_bytes=layer.group_bytes,
        channels_inner=inner,
        buffers=buffers,
        costs=costs,
        border_padding=any(layer.border_padding(columns) for columns in axes[1].kinds),
        serial=layer.serial,
        unit=layer.unit if layer.sliced else 1,
        depth=layer.depth if layer.sliced else 1,
    )


@lru_cache(maxsize=MAX_KEPT_LAYERS)
def overlap_offset_for(layer: Layer, room: Room) -> int | None:
    """The least offset with which tiles of MIN_ROWS rows or more fit ``room``, or any if those do
    not. None where bytes cannot be shared."""
    found: dict[bool, int] = {}
    needs, by_rows = Needs(TileCalls(layer)), goes_by_rows(layer)
    for axes, inner in roomy(layer, room.size, cores=room.cores, by_rows=by_rows):
        offset = overlap_offset_of_tiles(layer, axes, channels_inner=inner)
        tall = axes[0].tile >= min(MIN_ROWS, axes[0].outputs)
        if offset is None or offset >= found.get(tall, offset + 1):
            continue
        if needs.fits(axes, room.size, channels_inner=inner):
            found[tall] = offset
        if found.get(True) == 0:
            break
    return found.get(True, found.get(False))
