"""Other tiles of a step than the best ones: all of it in one, or its output in one place, by which
its neighbours may gain; larger ones beside which nothing moves."""

from __future__ import annotations

from dataclasses import replace

from deployer.ir import Tiling
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import aligned, buffers_of, bytes_of
from deployer.tile.search import Room, best_tiling, in_one_call, tiling_of
from deployer.tile.sizes import is_safe

_SMALL_TILES = 1.3  # times the cycles of one call for all of a layer: its tiles are small


def whole_tiling(layer: Layer, room: Room) -> Tiling | None:
    """The step in one tile; None when it does not fit, or would overwrite what it reads."""
    rows, columns, channels = layer.extents
    axes = layer.rows(rows), layer.columns(columns), layer.channels(channels)
    fits = bytes_of(buffers_of(layer, axes, channels_inner=True)) <= room.size
    if not fits or not is_safe(layer, axes, channels_inner=True):
        return None
    line = Timeline(layer, axes, True, room.engine)
    return tiling_of(layer, room, axes, True, line.costs)


def serial_tiling(layer: Layer, tiling: Tiling, room: Room) -> Tiling | None:
    """The best of tiles whose arrays are there once, where those of ``tiling`` are so small that
    the kernel takes much longer than one call for all would; None where they are no better."""
    if tiling.serial or tiling.costs.compute < _SMALL_TILES * in_one_call(layer, room):
        return None
    found = best_tiling(replace(layer, serial=True), room)
    return found if found and found.costs.cycles < tiling.costs.cycles else None


def gathered_tiling(layer: Layer, tiling: Tiling, room: Room) -> Tiling | None:
    """``tiling`` with the output of all tiles in one array, so that the next step may keep it; None
    where they are no parts of it one behind the other, or where it does not fit."""
    rows, columns, channels = tiling.rows, tiling.columns, tiling.channels
    by_rows = columns.count == channels.count == 1
    of_a_pixel = rows.outputs == columns.outputs == 1
    if tiling.count == 1 or tiling.serial or not (by_rows or of_a_pixel):
        return None
    pixels = rows.outputs * columns.outputs
    size = aligned(pixels * channels.outputs * layer.case.element_bytes)
    offset, placed = 0, []
    for buffer in tiling.buffers:
        made = replace(buffer, size=size, sides=1) if buffer.id == "output" else buffer
        placed.append(replace(made, offset=offset))
        offset = placed[-1].end
    return replace(tiling, buffers=tuple(placed), gathered=True) if offset <= room.size else None
