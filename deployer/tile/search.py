"""The tiles of one step: every size that fits, and the best of them.

Sizes are few (rows by columns by groups of channels), so all that can be best are tried: the result
is the optimum of the estimate, which a constraint solver would have to find, too (paper 004,
section 4.2, whose constraints these are).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

from deployer.ir.tiling import TileCosts, Tiling
from deployer.tile.estimate import Timeline, fixed
from deployer.tile.layer import GROUP, Layer
from deployer.tile.memory import Axes, Needs, buffers_of, bytes_of
from deployer.tile.overlap import ROWS, lead_of_tiles
from deployer.tile.transfer import Engine

KEPT = 1024  # layers whose tiles are looked up when they are asked for again
FEW = 16  # rows up to which every number is tried
PARTS = 0.97  # calls for parts of a layer take no less of one for all of it


@dataclass(frozen=True)
class Room:
    """``size`` bytes of ``memory`` for tiles, what moves them, and the cores that share each."""

    memory: str
    size: int
    engine: Engine
    cores: int


@lru_cache(maxsize=KEPT)
def best_tiling(layer: Layer, room: Room) -> Tiling | None:
    """The tiles of fewest estimated cycles, of those the largest; None when none fit."""
    best: tuple[Axes, bool, TileCosts] | None = None
    needs, limit = Needs(layer), float("inf")
    known: dict[tuple[object, ...], float] = {}
    whole = _in_one_call(layer, room, known)
    for axes, inner in candidates(layer, cores=room.cores):
        if fixed(prod(axis.count for axis in axes)) + PARTS * whole >= limit:
            continue
        if not needs.fits(axes, room.size, channels_inner=inner):
            continue
        line = Timeline(layer, axes, inner, room.engine, known)
        if line.least < limit and line.costs.cycles < limit:
            best, limit = (axes, inner, line.costs), line.costs.cycles
    return None if best is None else tiling_of(layer, room, *best)


def _in_one_call(layer: Layer, room: Room, known: dict[tuple[object, ...], float]) -> float:
    """Cycles of the kernel, were there room for the whole layer."""
    rows, columns, channels = layer.extents
    axes = layer.rows(rows), layer.columns(columns), layer.channels(channels)
    return float(Timeline(layer, axes, True, room.engine, known).compute.sum())


@lru_cache(maxsize=KEPT)
def some_fits(layer: Layer, room: Room) -> bool:
    """Whether a tile fits ``room``; small ones are tried first, and those with an axis in its
    smallest tiles or whole before all others where none is unsafe."""
    needs, size = Needs(layer), room.size
    if layer.lead is None and any(needs.fits(e, size, channels_inner=True) for e in _ends(layer)):
        return True
    return any(
        needs.fits(axes, size, channels_inner=inner)
        for axes, inner in reversed(list(candidates(layer, cores=room.cores)))
    )


@lru_cache(maxsize=KEPT)
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
    for tall, wide, deep in product(
        sorted({1, rows}), sorted({1, columns}), sorted({min(GROUP, channels), channels})
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
        beside=any(layer.beside(columns) for columns in axes[1].kinds),
    )


def candidates(layer: Layer, *, cores: int) -> Iterator[tuple[Axes, bool]]:
    """Axes and order that leave alone what is still to be read, large tiles first; of more rows
    than a few, multiples of ``cores`` beside even parts."""
    for axes, inner in _sizes(layer, cores):
        if is_safe(layer, axes, channels_inner=inner):
            yield axes, inner


def is_safe(layer: Layer, axes: Axes, *, channels_inner: bool) -> bool:
    """Whether no tile overwrites input that another needs."""
    if layer.lead is None:
        return True
    needed = lead_of_tiles(layer, axes, channels_inner=channels_inner)
    return needed is not None and needed <= layer.lead


def lead_for(layer: Layer, room: Room) -> int | None:
    """The least lead with which tiles of ROWS rows or more fit ``room``, or any if those do not.
    None where bytes cannot be shared."""
    found: dict[bool, int] = {}
    needs = Needs(layer)
    for axes, inner in candidates(layer, cores=room.cores):
        lead = lead_of_tiles(layer, axes, channels_inner=inner)
        tall = axes[0].tile >= min(ROWS, axes[0].outputs)
        if lead is None or lead >= found.get(tall, lead + 1):
            continue
        if needs.fits(axes, room.size, channels_inner=inner):
            found[tall] = lead
    return found.get(True, found.get(False))


def _sizes(layer: Layer, cores: int) -> Iterator[tuple[Axes, bool]]:
    """Tiles of one number differ in size by one at most, so that the last is not a sliver, or are
    whole blocks of the kernels; channels come in groups, any number of them of a single pixel."""
    rows, columns, channels = layer.extents
    groups = -(-channels // GROUP)
    tall = {*even(rows), *range(1, min(rows, FEW) + 1), *range(cores, rows, cores)}
    wide = {*even(columns), *range(GROUP, columns, GROUP)}
    deep = even(groups) if rows * columns > 1 else range(groups, 0, -1)
    depths = [min(channels, GROUP * size) for size in deep]
    across, down, along = (
        [axis(size) for size in sorted(sizes, reverse=True)]
        for axis, sizes in (
            (layer.columns, wide),
            (layer.rows, tall),
            (layer.channels, depths),
        )
    )
    for column, row, channel in product(across, down, along):
        axes = row, column, channel
        places = axes[0].count * axes[1].count
        yield axes, True
        if places > 1 and axes[2].count > 1 and not layer.sliced:
            yield axes, False


def even(size: int) -> list[int]:
    """The largest parts of ``size`` cut in 1, 2, 3 … parts, each once."""
    return sorted({-(-size // parts) for parts in range(1, size + 1)}, reverse=True)
