"""The timeline of a step in tiles, against a walk through it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.tiling import Cut
from deployer.tile.estimate import COMMAND, LEAD, LEAD_AXIS, LOOP, STEP, TURN, Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes
from deployer.tile.transfer import tile_run
from unit.tile.layers import INTO, OUT, add, conv, room

LAYERS = st.sampled_from([conv(12, 10, 8, 20), conv(9, 16, 3, 12, stride=2), add(8, 6, 24)])


def _walk(layer: Layer, axes: Axes, inner: bool) -> tuple[float, float, int]:
    """Cycles, cycles of waiting, bytes loaded."""
    places = [(r, c) for r in axes[0].cuts for c in axes[1].cuts]
    tiles: list[tuple[Cut, Cut, Cut]]
    if inner:
        tiles = [(r, c, d) for r, c in places for d in axes[2].cuts]
    else:
        tiles = [(r, c, d) for d in axes[2].cuts for r, c in places]
    loads, stores, compute, moved = [], [], [], 0
    commands: list[tuple[float, float]] = []
    before: tuple[Cut, Cut, Cut] | None = None
    for tile in tiles:
        rows, columns, depth = tile
        fresh = before is None or before[:2] != tile[:2] or (layer.sliced and before[2] != depth)
        deep = depth.count if layer.sliced else layer.case.in_channels
        load, given = 0.0, 0
        if fresh:
            sizes = (rows.inputs, columns.inputs, deep)
            given += len(layer.case.in_shapes) * _commands(sizes, layer.case.in_shapes[0][1:])
            load += len(layer.case.in_shapes) * _cycles(INTO, sizes, layer, "in")
            moved += len(layer.case.in_shapes) * rows.inputs * columns.inputs * deep
        if layer.group_bytes and (before is None or before[2] != depth):
            size = -(-depth.count // 4) * layer.group_bytes
            load += 20 + size / 8
            moved += size
            given += 1
        loads.append(load)
        stores.append(_cycles(OUT, (rows.count, columns.count, depth.count), layer, "out"))
        assert layer.kernel.cycles is not None
        compute.append(layer.kernel.cycles(layer.tile_case(rows, columns, depth.count)))
        commands.append((given, _commands((rows.count, columns.count, depth.count), layer.extents)))
        before = tile
    return (*_total(axes, loads, stores, compute, commands), moved)


def _total(
    axes: Axes,
    loads: list[float],
    stores: list[float],
    compute: list[float],
    commands: list[tuple[float, float]],
) -> tuple[float, float]:
    """Cycles, and those that are neither fixed nor the kernel's."""
    ends = max(loads[0], COMMAND * commands[0][0]) + max(stores[-1], COMMAND * commands[-1][1])
    last, cut = len(compute) - 1, sum(axis.count > 1 for axis in axes)
    waiting = ends
    for n, own in enumerate(compute):
        beside = (loads[n + 1] if n < last else 0) + (stores[n - 1] if n else 0)
        given = (commands[n + 1][0] if n < last else 0) + (commands[n - 1][1] if n else 0)
        leads = COMMAND * given + (LEAD + LEAD_AXIS * cut if n < last else LEAD / 2)
        both = (own + beside + LOOP) / 2
        spans = [own + TURN, beside, leads, both] if last else [own + TURN]
        waiting += max(spans) - own - TURN
    return STEP + TURN * len(compute) + sum(compute) + waiting, waiting


def _commands(sizes: tuple[int, int, int], whole: tuple[int, ...]) -> int:
    return sizes[0] if sizes[2] != whole[2] and sizes[1] != whole[1] else 1


def _cycles(dma, sizes, layer, way):  # type: ignore[no-untyped-def]
    whole = layer.case.in_shapes[0][1:] if way == "in" else layer.extents
    rows, columns, channels = sizes
    commands, lines = 1, 0
    if channels == whole[2]:
        lines = 0 if columns == whole[1] else rows
    elif columns == whole[1]:
        lines = rows * columns
    else:
        commands, lines = rows, rows * columns
    size = rows * columns * channels
    moving = size / dma.bytes_per_cycle
    if lines > commands:  # a line of less than eight bytes takes as long as one of eight
        moving = max(moving, lines) + lines * dma.line_cycles
    return commands * dma.setup_cycles + moving


@settings(max_examples=80)
@given(LAYERS, st.integers(1, 12), st.integers(1, 16), st.integers(1, 6), st.booleans())
def test_costs_are_those_of_a_walk_through_the_tiles(
    layer: Layer, tall: int, wide: int, groups: int, inner: bool
) -> None:
    rows, columns, channels = layer.extents
    axes = (
        layer.rows(min(tall, rows)),
        layer.columns(min(wide, columns)),
        layer.channels(min(4 * groups, channels)),
    )
    line = Timeline(layer, axes, inner, room(0).engine)
    cycles, waiting, moved = _walk(layer, axes, inner)
    assert abs(line.costs.cycles - cycles) <= 1
    assert abs(line.costs.waiting - waiting) <= 1
    assert line.costs.bytes_in == moved
    assert line.costs.bytes_out == rows * columns * channels
    count = axes[0].count * axes[1].count * axes[2].count
    assert line.costs.compute == pytest.approx(cycles - waiting - STEP - TURN * count, abs=0.5)
    assert line.least == pytest.approx(cycles - waiting)
    assert line.least <= line.costs.cycles + 1


def test_no_line_is_shorter_than_a_cycle() -> None:
    """64 lines of 4 bytes in take as long as of 8; out each takes one more."""
    engine = room(0).engine
    short, eight = tile_run((8, 8, 4), (8, 8, 32)), tile_run((8, 8, 8), (8, 8, 32))
    assert engine.load(short) == engine.load(eight) == INTO.setup_cycles + 64
    assert engine.store(short) == OUT.setup_cycles + 2 * 64


def point(cycles: float) -> Layer:
    """4 rows of a pixel of 8 channels each, to 4 channels; weights of 160 bytes."""
    layer = conv(4, 1, 8, 4, kernel=1)
    kernel = replace(layer.kernel, cycles=lambda case: cycles * case.out_shape[1])
    return replace(layer, kernel=kernel, group_bytes=160)


def timeline(layer: Layer, tall: int) -> Timeline:
    axes = layer.rows(tall), layer.columns(1), layer.channels(4)
    return Timeline(layer, axes, True, room(0).engine)


def test_a_single_tile_waits_for_its_load_and_its_store() -> None:
    """A step of 800 and a tile of 150; two commands of 80 take longer than 40 + 32 / 8 + 160 / 8,
    one longer than 20 + 16 / 7.75."""
    costs = timeline(point(100.0), 4).costs
    assert (costs.compute, costs.waiting) == (400, 160 + 80)
    assert costs.cycles == 800 + 150 + 400 + 160 + 80
    assert (costs.bytes_in, costs.bytes_out, costs.early) == (32 + 160, 16, False)


@pytest.mark.parametrize("cycles", [10_000.0, 400.0, 100.0], ids=["kernel", "both", "lead"])
def test_a_tile_takes_as_long_as_the_slowest_beside_it(cycles: float) -> None:
    """Of two rows each: the second is loaded beside the first, which is stored beside the second.
    Who leads needs 800, 130 for an axis, 80 a command; half of the 800 alone at the end."""
    own = 2 * cycles
    load, store = 20 + 16 / 8, 20 + 8 / 7.75
    first = max(own + 150, load, 800 + 130 + 80, (own + load + 700) / 2)
    second = max(own + 150, store, 400 + 80, (own + store + 700) / 2)
    found = timeline(point(cycles), 2).costs
    assert found.cycles == round(800 + first + second + 160 + 80)
    assert found.early == (load + 500 > own)
