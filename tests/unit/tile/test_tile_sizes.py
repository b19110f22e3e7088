"""The sizes that are tried: none that fits is left out, and few that do not are looked at."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.tile.layer import Layer
from deployer.tile.memory import Sizes, buffers_of
from deployer.tile.search import best_tiling, overlap_offset_for
from deployer.tile.sizes import Grid, Size, candidates, roomy
from unit.tile.layers import CORES, add, conv, room

KIB = 1 << 10
CONVOLUTIONS = st.builds(
    conv,
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(1, 24),
    st.integers(1, 24),
    kernel=st.sampled_from([1, 3, 5]),
    stride=st.sampled_from([1, 2]),
)
LAYERS = st.one_of(
    CONVOLUTIONS,
    CONVOLUTIONS.map(lambda layer: replace(layer, sliced=True)),
    st.builds(add, st.integers(1, 20), st.integers(1, 20), st.integers(1, 24)),
)


def _bytes(layer: Layer, size: Size) -> int:
    return sum(b.sides * b.size for b in buffers_of(layer, size[0], channels_inner=size[1]))


def _tiles(size: Size) -> int:
    return prod(axis.count for axis in size[0])


@settings(max_examples=40, deadline=None)
@given(LAYERS)
def test_the_bytes_of_many_sizes_are_those_of_each(layer: Layer) -> None:
    grid = Grid.of(layer, cores=CORES)
    taken = Sizes(layer, grid.rows, grid.channels)
    table = {
        (column.tile, row.tile, channel.tile): found
        for column in grid.columns
        for row, line in zip(grid.rows, taken.of(column), strict=True)
        for channel, found in zip(grid.channels, line.tolist(), strict=True)
    }
    for size in candidates(layer, cores=CORES):
        (row, column, channel), _ = size
        assert table[column.tile, row.tile, channel.tile] == _bytes(layer, size)


@settings(max_examples=40, deadline=None)
@given(LAYERS, st.integers(1, 24), st.one_of(st.none(), st.integers(0, 999)), st.integers(1, 400))
def test_all_that_fits_comes_in_the_order_of_tiles(
    layer: Layer, kib: int, offset: int | None, most: int
) -> None:
    layer = replace(layer, overlap_offset=offset)
    all_that_do = [
        size
        for size in candidates(layer, cores=CORES)
        if _bytes(layer, size) <= kib * KIB and _tiles(size) <= most
    ]
    found = roomy(layer, kib * KIB, cores=CORES, worth=lambda tiles: tiles <= most)
    assert list(found) == sorted(all_that_do, key=_tiles)


def test_few_sizes_of_a_wide_image_are_looked_at() -> None:
    """Of 25x16384 there are two millions."""
    layer = conv(25, 16384, 16, 16, kernel=1)
    looked = list(roomy(layer, 56 * KIB, cores=CORES))
    assert 0 < len(looked) < 50_000


def test_an_offset_is_sought_among_tiles_of_all_columns() -> None:
    """The others do not go through both tensors from the first row to the last."""
    asked: set[int] = set()

    def scratch(case: object) -> int:
        asked.add(case.out_shape[2])  # type: ignore[attr-defined]
        return 0

    layer = conv(9, 30, 4, 8)
    layer = replace(layer, kernel=replace(layer.kernel, scratch=scratch))
    assert overlap_offset_for(layer, room(56 * KIB)) is not None
    assert asked == {30}


def test_of_tiles_that_are_as_fast_the_first_is_taken() -> None:
    layer, given_room = conv(12, 12, 8, 16), room(8 * KIB)
    layer = replace(layer, kernel=replace(layer.kernel, cycles=lambda case: 10**6))
    chosen = best_tiling(layer, given_room)
    assert chosen is not None
    fewest = min(prod(a.count for a in axes) for axes, _ in roomy(layer, 8 * KIB, cores=CORES))
    assert chosen.count == fewest
