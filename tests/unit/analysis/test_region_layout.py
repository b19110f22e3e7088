"""Numbers that can be worked out by hand: tiles, rings, overlaps, and what is too small; integers
of drawn regions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from deployer.analysis import line_buffers
from deployer.analysis.layout import layout_of
from deployer.analysis.liveness import lifetimes, places
from deployer.analysis.peak import live_peak
from deployer.analysis.regions import RegionLayout
from deployer.analysis.spatial import Reach, need, reaches
from deployer.ir.attrs import Pads, ResizeAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.region import Region
from deployer.ir.scope import is_spatial
from deployer.ir.verify import InvariantError, verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from unit.analysis.spatial_nets import SAME_3, SpatialNet, regional
from unit.ir.strategies import STEADY


def deep(*regions: Region) -> tuple[Graph, SpatialNet]:
    """Two 3x3 convolutions and a 2x2 pool on 8x8."""
    net = SpatialNet(7)
    x = net.conv(net.conv(net.input(8, 8, 2), 3, SAME_3), 4, SAME_3)
    net.pool(x, "MaxPool", Window((2, 2), (2, 2)))
    return net.graph(regions=regions), net


ALL = ("conv2d0", "conv2d1", "maxpool2")
PATCHED = Region(ALL, "patch", "maxpool2_out", rows=(0, 2, 4), columns=(0, 2, 4))
LINE_BUFFERED = Region(ALL, "stream", "maxpool2_out")


def layout(region: Region) -> RegionLayout:
    return layout_of(deep()[0], region)


def test_a_tile_is_its_piece_with_the_halo_of_its_readers() -> None:
    stored = layout(PATCHED).stored
    assert (stored["conv2d1_out"].rows, stored["conv2d1_out"].bytes) == (4, 4 * 4 * 4)
    assert (stored["conv2d0_out"].rows, stored["conv2d0_out"].bytes) == (5, 5 * 5 * 3)


def test_a_ring_keeps_what_its_reader_spans() -> None:
    stored = layout(LINE_BUFFERED).stored
    assert {name: ring.rows for name, ring in stored.items()} == {
        "conv2d0_out": 3,
        "conv2d1_out": 2,
    }


def test_every_row_of_line_buffers_is_computed_once() -> None:
    pieces = list(layout(LINE_BUFFERED).pieces())
    for value, height in (("conv2d0_out", 8), ("conv2d1_out", 8), ("maxpool2_out", 4)):
        rows = [piece.rows for piece in pieces if piece.value == value]
        assert rows == [(row, row + 1) for row in range(height)]


def test_a_piece_reads_its_window_and_pads_only_at_the_border() -> None:
    pieces = layout(PATCHED)
    first = next(pieces.pieces())
    (operand,) = pieces.operands(first)
    assert (first.rows, operand.rows, operand.columns) == ((0, 5), (0, 6), (0, 6))
    down, across = pieces.pads(first)
    assert (down.before, down.after, across.before, across.after) == (1, 0, 1, 0)


def test_a_fetched_input_is_a_ring() -> None:
    graph, _ = deep(replace(LINE_BUFFERED, fetch=("in0",)))
    sizes = {buffer.id: buffer.size for buffer in lifetimes(graph)}
    assert sizes["in0"] == 3 * 8 * 2
    assert "in0" not in places(graph)


def test_an_overlap_takes_little_more_than_the_larger_tensor() -> None:
    graph, _ = deep(replace(LINE_BUFFERED, over=("in0", "maxpool2_out")))
    plain, _ = deep(LINE_BUFFERED)
    sizes = {buffer.id: buffer.size for buffer in lifetimes(graph)}
    assert sizes["in0"] == 128 + 4  # rows of 16 go as fast as they come: one word of slack
    assert live_peak(lifetimes(graph)).bytes < live_peak(lifetimes(plain)).bytes
    at = places(graph)
    assert (at["in0"].buffer, at["maxpool2_out"].buffer) == ("in0", "in0")
    assert at["in0"].offset > at["maxpool2_out"].offset == 0


def test_chained_overlaps_turn_round() -> None:
    net = SpatialNet()
    net.conv(net.conv(net.input(6, 6, 2), 2, SAME_3), 2, SAME_3)
    first = Region(("conv2d0",), "stream", "conv2d0_out", over=("in0", "conv2d0_out"))
    second = Region(("conv2d1",), "stream", "conv2d1_out", over=("conv2d0_out", "conv2d1_out"))
    with pytest.raises(InvariantError, match="run in one direction"):
        lifetimes(net.graph(regions=(first, second)))
    graph = net.graph(regions=(first, replace(second, reverse=True)))
    (buffer,) = lifetimes(graph)
    assert buffer.size == 72 + 24 + 4  # two rows of 12 behind, and a word
    sample = net.sample()
    found = run_tiled(graph, sample)["conv2d1_out"]
    np.testing.assert_array_equal(found, run(graph, sample)["conv2d1_out"])


def test_a_ring_one_row_short_gives_other_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*args: Any) -> dict[str, int]:
        return {name: rows - 1 for name, rows in line_buffers.rings_of(*args).items()}

    graph, net = deep(LINE_BUFFERED)
    sample = net.sample()
    monkeypatch.setattr("deployer.analysis.regions.rings_of", short)
    found = run_tiled(graph, sample)["maxpool2_out"]
    assert (found != run(graph, sample)["maxpool2_out"]).any()


def test_a_window_of_padding_only_keeps_a_node_out_of_regions() -> None:
    net = SpatialNet()
    net.conv(net.input(4, 4, 1), 1, Window((1, 1), pads=Pads(1, 0, 0, 0)))
    graph = net.graph()
    assert not is_spatial(graph, graph.nodes[0])


def test_what_nobody_reads_stays_out_of_regions() -> None:
    graph, _ = deep()
    assert is_spatial(graph, graph.nodes[-1])
    assert not is_spatial(replace(graph, outputs=("conv2d0_out",)), graph.nodes[-1])


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("up", [False, True])
def test_a_mirrored_rule_is_the_rule_seen_from_the_other_end(stride: int, up: bool) -> None:
    extent, span, pad = 9, 4, 1
    made = (extent - 1) * stride + span - 2 * pad if up else (extent + pad - span) // stride + 1
    reach = Reach(extent, made, stride, span, pad, up=up)
    for row in range(made):
        lo, hi = need(reach, row, row + 1)
        assert need(reach.mirrored(), made - 1 - row, made - row) == (extent - hi, extent - lo)


def test_lines_between_neighbours_need_a_row_of_context() -> None:
    net = SpatialNet()
    net.resize(net.input(6, 1, 1), ResizeAttrs((2, 1), "linear"))
    graph = net.graph()
    region = Region((graph.nodes[0].name,), "patch", graph.outputs[0], rows=(0, 4, 8, 12))
    found = layout_of(graph, region)
    rows = [found.operands(piece)[0].rows for piece in found.pieces()]
    assert rows == [(0, 3), (1, 5), (3, 6)]
    assert [found.start(piece)[0] for piece in found.pieces()] == [0, 2, 2]


def test_a_piece_in_a_border_reads_a_row_and_shows_none() -> None:
    net = SpatialNet()
    net.pad(net.input(2, 2, 1), (3, 0, 0), (3, 0, 0))
    graph = net.graph()
    region = Region((graph.nodes[0].name,), "patch", graph.outputs[0], rows=(0, 2, 6, 8))
    found = layout_of(graph, region)
    pieces = list(found.pieces())
    assert [found.operands(piece)[0].rows for piece in pieces] == [(0, 1), (0, 2), (1, 2)]
    assert [found.pads(piece)[0].before for piece in pieces] == [3, 1, -2]


def test_outputs_between_two_windows_belong_to_the_first() -> None:
    net = SpatialNet()
    net.transposed(net.input(3, 1, 1), 1, Window((1, 1), (3, 1)), (7, 1))
    graph = net.graph()
    down = reaches(graph, graph.nodes[0])[0][1]
    assert [need(down, row, row + 1) for row in range(7)] == [
        (i, i + 1) for i in (0, 0, 0, 1, 1, 1, 2)
    ]


@settings(STEADY, max_examples=150)
@given(regional())
def test_random_regions_compute_the_same_integers(case: Any) -> None:
    """As the plain graph does, in the memory that liveness gives them."""
    graph, net = case
    verify(graph)
    sample = net.sample()
    expected, found = run(graph, sample), run_tiled(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])
