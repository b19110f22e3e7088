"""At its offset an output in tiles overwrites no byte of the input that is still to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.tiling import Cut
from deployer.ir.types import hwc
from deployer.tile.layer import Layer
from deployer.tile.overlap import overlap_offset_of_tiles
from deployer.tile.search import best_tiling, overlap_offset_for
from deployer.tile.sizes import candidates
from unit.tile.layers import CORES, add, conv, room

Tile = tuple[Cut, Cut, Cut]


def depthwise(rows: int, columns: int, channels: int) -> Layer:
    layer = conv(rows, columns, channels, channels)
    return replace(layer, sliced=True, case=replace(layer.case, op="DepthwiseConv2d"))


LAYERS = {
    "conv": conv(12, 7, 8, 24),
    "strided": conv(13, 6, 4, 16, stride=2),
    "point": conv(16, 5, 8, 16, kernel=1),
    "depthwise": depthwise(14, 6, 16),
    "add": add(9, 5, 12),
}


def _tiles(axes: tuple, inner: bool) -> Iterator[Tile]:
    rows, columns, channels = axes
    if inner:
        yield from ((r, c, d) for r in rows.cuts for c in columns.cuts for d in channels.cuts)
    else:
        yield from ((r, c, d) for d in channels.cuts for r in rows.cuts for c in columns.cuts)


def _spoilt(layer: Layer, axes: tuple, inner: bool, offset: int) -> bool:
    """Runs the loads and stores in the order of tiles.c, as early as stores and as late as loads
    can be; whether a load sees a byte of the output."""
    height, width, depth = hwc(layer.case.in_shapes[0])
    memory = np.zeros(offset + height * width * depth + np.prod(layer.extents), bool)
    x = memory[offset : offset + height * width * depth].reshape(height, width, depth)
    y = memory[: np.prod(layer.extents)].reshape(layer.extents)
    tiles, spoilt, kept = list(_tiles(axes, inner)), False, None
    for number in range(-1, len(tiles)):
        if number > 0:
            rows, columns, channels = tiles[number - 1]
            y[_span(rows), _span(columns), _span(channels)] = True
        if number + 1 < len(tiles):
            rows, columns, channels = tiles[number + 1]
            key = (rows.begin, columns.begin, channels.begin if layer.sliced else 0)
            taken = _span(channels) if layer.sliced else slice(None)
            if key != kept:
                spoilt |= bool(x[_read(rows), _read(columns), taken].any())
            kept = key
    return spoilt


def _span(cut: Cut) -> slice:
    return slice(cut.begin, cut.begin + cut.count)


def _read(cut: Cut) -> slice:
    return slice(cut.first, cut.first + cut.inputs)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(LAYERS)), st.data())
def test_nothing_is_overwritten_before_it_is_read(name: str, data: st.DataObject) -> None:
    layer = LAYERS[name]
    axes, inner = data.draw(st.sampled_from(list(candidates(layer, cores=CORES))))
    offset = overlap_offset_of_tiles(layer, axes, channels_inner=inner)
    if offset is not None:
        more = 4 * data.draw(st.integers(0, 9)) if name != "add" else 0
        assert not _spoilt(layer, axes, inner, offset)
        assert not _spoilt(layer, axes, inner, offset + more)


def test_less_than_the_offset_is_too_little() -> None:
    """The check above can fail."""
    layer = LAYERS["point"]
    axes = layer.rows(2), layer.columns(5), layer.channels(16)
    offset = overlap_offset_of_tiles(layer, axes, channels_inner=True)
    assert offset
    assert _spoilt(layer, axes, True, offset - 4)


@pytest.mark.parametrize("name", sorted(set(LAYERS) - {"add"}))
def test_the_tiler_keeps_to_the_offset(name: str) -> None:
    layer, size = LAYERS[name], 3000
    offset = overlap_offset_for(layer, room(size))
    assert offset is not None
    found = best_tiling(replace(layer, overlap_offset=offset), room(size))
    assert found is not None
    axes = found.rows, found.columns, found.channels
    needed = overlap_offset_of_tiles(layer, axes, channels_inner=found.channels_inner)
    assert needed is not None
    assert needed <= offset


def test_an_addition_takes_the_bytes_of_its_input() -> None:
    layer = LAYERS["add"]
    listed = candidates(layer, cores=CORES)
    assert {overlap_offset_of_tiles(layer, a, channels_inner=i) for a, i in listed} == {0}
