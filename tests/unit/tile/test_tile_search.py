"""The chosen tiles: they fit, nothing that was tried is better, and little that was not."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import by_symbol
from deployer.tile.calls import TileCalls
from deployer.tile.dory import dory_tiling
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import Needs, buffers_of, bytes_of
from deployer.tile.search import best_tiling, smallest
from deployer.tile.sizes import candidates
from unit.tile.layers import CORES, add, conv, room

KIB = 1 << 10
CONVOLUTIONS = st.builds(
    conv,
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(1, 40),
    st.integers(1, 70),
    kernel=st.sampled_from([1, 3, 5]),
    stride=st.sampled_from([1, 2]),
    scratch=st.sampled_from([0, 1000]),
)
LAYERS = st.one_of(
    CONVOLUTIONS, st.builds(add, st.integers(1, 20), st.integers(1, 20), st.integers(1, 70))
)


@settings(max_examples=60)
@given(LAYERS, st.integers(1, 64))
def test_tiles_fit_whenever_the_smallest_ones_do(layer: Layer, kib: int) -> None:
    given_room = room(kib * KIB)
    for tiling in (best_tiling(layer, given_room), dory_tiling(layer, given_room)):
        if smallest(layer) <= given_room.size and tiling is not None:
            assert tiling.bytes <= given_room.size
    assert (best_tiling(layer, given_room) is not None) == (smallest(layer) <= given_room.size)


@settings(max_examples=60)
@given(LAYERS)
def test_no_two_arrays_of_a_step_share_bytes(layer: Layer) -> None:
    tiling = best_tiling(layer, room(48 * KIB))
    assert tiling is not None
    ends = [0, *(buffer.end for buffer in tiling.buffers)]
    assert [buffer.offset for buffer in tiling.buffers] == ends[:-1]
    assert tiling.bytes == ends[-1]


@settings(max_examples=60)
@given(LAYERS)
def test_more_room_never_costs_cycles(layer: Layer) -> None:
    small, large = (best_tiling(layer, room(kib * KIB)) for kib in (24, 56))
    if small is not None:
        assert large is not None
        assert large.costs.cycles <= small.costs.cycles


@pytest.mark.parametrize("kib", [6, 16])
@pytest.mark.parametrize(
    "layer", [conv(14, 18, 16, 24), conv(9, 9, 32, 40, kernel=1), conv(20, 12, 4, 12, stride=2)]
)
def test_sizes_that_are_not_tried_are_hardly_better(layer: Layer, kib: int) -> None:
    chosen = best_tiling(layer, room(kib * KIB))
    assert chosen is not None
    assert chosen.costs.cycles <= 1.02 * _best_of_all(layer, kib * KIB)


def _best_of_all(layer: Layer, size: int) -> float:
    rows, columns, channels = layer.extents
    found = []
    for tall, wide, deep, inner in product(
        range(1, rows + 1), range(1, columns + 1), range(4, channels + 4, 4), (True, False)
    ):
        axes = layer.rows(tall), layer.columns(wide), layer.channels(min(deep, channels))
        if bytes_of(buffers_of(layer, axes, channels_inner=inner)) <= size:
            found.append(Timeline(layer, axes, inner, room(size).engine).costs.cycles)
    return min(found)


def with_pulp(layer: Layer) -> Layer:
    """The layer on the kernel of GAP8's cluster, which has zero points beside rows."""
    symbol = {"Conv2d": "dpl_conv2d_s8__xpulpv2", "Add": "dpl_add_s8__xpulpv2"}[layer.case.op]
    return replace(layer, kernel=by_symbol(symbol))


@settings(max_examples=40)
@given(LAYERS, st.integers(0, 400), st.integers(4, 56))
def test_what_fits_takes_no_more_than_the_room(layer: Layer, pick: int, kib: int) -> None:
    layer = with_pulp(layer)
    listed = list(candidates(layer, cores=CORES))
    axes, inner = listed[pick % len(listed)]
    needed = bytes_of(buffers_of(layer, axes, channels_inner=inner))
    needs = Needs(TileCalls(layer))
    assert needs.fits(axes, needed, channels_inner=inner)
    assert not needs.fits(axes, needed - 1, channels_inner=inner)
    assert needs.fits(axes, kib * KIB, channels_inner=inner) == (needed <= kib * KIB)


@settings(max_examples=15, deadline=None)
@given(
    st.builds(
        conv,
        st.integers(1, 12),
        st.integers(1, 12),
        st.integers(1, 40),
        st.integers(1, 40),
        kernel=st.sampled_from([1, 3, 5]),
        stride=st.sampled_from([1, 2]),
    ),
    st.integers(6, 20),
)
def test_nothing_better_is_left_aside(layer: Layer, kib: int) -> None:
    """The search skips what one call for all of the layer shows to be too slow."""
    layer, given_room = with_pulp(layer), room(kib * KIB)
    all_of_them = [
        Timeline(layer, axes, inner, given_room.engine).costs.cycles
        for axes, inner in candidates(layer, cores=CORES)
        if bytes_of(buffers_of(layer, axes, channels_inner=inner)) <= given_room.size
    ]
    chosen = best_tiling(layer, given_room)
    assert (chosen.costs.cycles if chosen else None) == min(all_of_them, default=None)


def test_few_calls_are_estimated() -> None:
    """Of a large layer, or planning takes long: every call is some 0.1 ms."""
    asked = 0
    layer = with_pulp(conv(64, 64, 96, 96, kernel=1))
    cycles = layer.kernel.cycles
    assert cycles is not None

    def counted(case: KernelCase) -> float:
        nonlocal asked
        asked += 1
        return cycles(case)

    layer = replace(layer, kernel=replace(layer.kernel, cycles=counted))
    assert best_tiling(layer, room(56 * KIB)) is not None
    assert asked < 2500


def test_zero_points_lie_beside_rows_that_sides_would_cut() -> None:
    layer = with_pulp(conv(8, 12, 16, 8))
    whole = layer.rows(8), layer.columns(12), layer.channels(8)
    found = {b.id: b.size for b in buffers_of(layer, whole, channels_inner=True)}
    assert found["input"] == (8 * (12 + 1) + 1) * 16
    case = layer.tile_case(layer.rows(8).cut(0), layer.columns(12).cut(0), 8)
    assert case.in_shapes == ((1, 8, 14, 16),)
    assert (case.pads.left, case.pads.right, case.pads.top) == (0, 0, 1)
    inner = layer.columns(4).cut(1)
    assert layer.border_padding(inner) == 0
    assert layer.tile_case(layer.rows(8).cut(0), inner, 8).in_shapes == ((1, 8, 6, 16),)


def test_a_layer_that_fits_needs_no_more_than_its_bytes() -> None:
    """One side of each array: nothing is fetched or stored beside a single tile."""
    layer = conv(4, 4, 8, 8, scratch=96)
    tiling = best_tiling(layer, room(1 << 20))
    assert tiling is not None
    if tiling.count == 1:
        assert all(buffer.sides == 1 for buffer in tiling.buffers if buffer.id != "turns")


def test_weights_too_large_for_the_room_are_cut_by_channels() -> None:
    tiling = best_tiling(conv(6, 6, 64, 128), room(40 * KIB))
    assert tiling is not None
    assert tiling.channels.count > 1
    assert tiling.channels.tile % 4 == 0


@pytest.mark.parametrize("cores", [CORES, 6])
def test_dory_prefers_a_row_for_each_core(cores: int) -> None:
    """H_par of equation (7) outweighs the size of the tiles."""
    tiling = dory_tiling(conv(32, 16, 32, 64), room(56 * KIB, cores=cores))
    assert tiling is not None
    assert tiling.rows.tile % cores == 0
    assert tiling.columns.tile % 2 == 0
    assert tiling.channels.tile % 4 == 0


@pytest.mark.parametrize("cores", [CORES, 7])
def test_rows_that_cores_share_evenly_are_tried(cores: int) -> None:
    tall = {axes[0].tile for axes, _ in candidates(conv(64, 4, 4, 4), cores=cores)}
    assert tall >= set(range(cores, 64, cores))


def test_ours_is_never_estimated_slower_than_dorys() -> None:
    for layer in (conv(32, 16, 32, 64), conv(24, 24, 32, 32, kernel=1), add(16, 16, 32)):
        ours, theirs = (tiler(layer, room(30 * KIB)) for tiler in (best_tiling, dory_tiling))
        assert ours is not None
        assert theirs is not None
        assert ours.costs.cycles <= theirs.costs.cycles
