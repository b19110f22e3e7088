"""What line buffers keep, call by call, and which calls of a region are unlike: by definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from deployer.analysis.layout import layout_of
from deployer.analysis.line_buffers import Window, overlap_offset, pull, ring_rows
from deployer.analysis.regions import Piece, RegionLayout
from deployer.analysis.spatial import need
from unit.analysis.spatial_nets import regional
from unit.ir.strategies import STEADY


def layouts(case: Any) -> list[RegionLayout]:
    graph, _ = case
    found = [layout_of(graph, region) for region in graph.regions]
    return [each for each in found if isinstance(each, RegionLayout)]


def sizes(layout: RegionLayout, piece: Piece) -> tuple[Any, ...]:
    """All that the case of a piece's kernel depends on."""
    boxes = (piece, *layout.operands(piece))
    spans = [end - begin for box in boxes for begin, end in (box.rows, box.columns)]
    return (*spans, *layout.pads(piece))


@settings(STEADY, max_examples=100)
@given(regional())
def test_unlike_calls_are_one_of_each_kind(case: Any) -> None:
    for layout in layouts(case):
        made = {node.output for node in layout.scope.nodes}
        for value in made:
            found = [sizes(layout, piece) for piece in layout.unlike(value)]
            every = {sizes(layout, piece) for piece in layout.pieces() if piece.value == value}
            assert len(found) == len(set(found))
            assert set(found) == every


@settings(STEADY, max_examples=60)
@given(regional())
def test_rows_are_kept_from_when_they_are_made_until_nobody_reads_them(case: Any) -> None:
    graph, _ = case
    for layout in layouts(case):
        rules = {
            node.output: [(name, down) for name, down, _ in rule]
            for node, rule in zip(layout.scope.nodes, layout.rules, strict=True)
        }
        heights = {name: graph.values[name].shape[1] for name in graph.values if name in rules}
        reads = {n: [(r, d) for r, d in rule if r in rules] for n, rule in rules.items()}
        grid = layout.region.grid
        if layout.line_buffered:
            check(heights, reads, list(layout.scope.outputs), grid)


def check(heights: dict[str, int], reads: Any, outputs: list[str], grid: str) -> None:
    calls = list(pull(reads, heights, outputs, grid, 1))
    readers: dict[str, list[Any]] = {}
    for reader, rule in reads.items():
        for name, reach in rule:
            readers.setdefault(name, []).append((reader, reach))
    window, done = Window(calls, readers, heights), dict.fromkeys(heights, 0)
    kept, offsets = dict.fromkeys(heights, 0), dict.fromkeys(heights, 0)
    for when, call in enumerate(calls):
        for name, height in heights.items():
            coming = [
                need(reach, row, row + 1)[0] if row < heights[reader] else reach.extent
                for reader, reach in readers.get(name, [])
                for row in [done[reader]]
            ]
            low = min([height, *coming])
            assert window.made(name, np.array([when])) == [done[name]]
            assert window.lowest(name, np.array([when])) == [low]
            if name == call.value:
                kept[name] = max(kept[name], call.hi - min(low, call.lo))
            if call.value == grid:
                offsets[name] = max(offsets[name], 3 * call.hi - 2 * low)
        done[call.value] = call.hi
    assert ring_rows(window, {name: name for name in heights}) == kept
    assert {name: overlap_offset(window, (name, 2), ([grid], 3)) for name in heights} == offsets
