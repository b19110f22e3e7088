"""Regions in groups of channels compute what the plain graph computes, in the memory planned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from deployer.analysis import channels, liveness
from deployer.analysis.layout import layout_of
from deployer.analysis.liveness import lifetimes
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS, Region
from deployer.ir.show import graph_text
from deployer.ir.verify import InvariantError, verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from unit.analysis.channel_nets import POINT, ChannelNet, in_groups, sums
from unit.analysis.spatial_nets import SAME_3
from unit.ir.strategies import STEADY

BLOCK = ("conv2d0", "depthwiseconv2d1", "rescale2", "conv2d3", "table4")


def block(region: Region) -> tuple[Graph, ChannelNet]:
    """6 channels, 12, 24 of a depthwise one, 24 rescaled, 8; 5 by 4 pixels."""
    net = ChannelNet(1)
    wide = net.spread(net.conv(net.input(5, 4, 6), 12, POINT), SAME_3, 2)
    net.table(net.conv(net.rescale(wide), 8, POINT))
    return net.graph(regions=(region,)), net


SUMMED = Region(BLOCK[:4], CHANNELS, "conv2d3_out", channels=(0, 4, 12))
SPLIT = Region(BLOCK[:3], CHANNELS, "rescale2_out", channels=(0, 6, 12))


@settings(STEADY, max_examples=150)
@given(in_groups())
def test_random_groups_compute_the_same_integers(case: Any) -> None:
    graph, net = case
    verify(graph)
    same_integers(graph, net)


def same_integers(graph: Graph, net: ChannelNet) -> None:
    sample = net.sample()
    expected, found = run(graph, sample), run_tiled(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


def test_sums_live_with_the_groups_and_their_output_behind_them() -> None:
    """Tiles of 8 channels of 12; the rescaled ones take the place of those before."""
    found = {b.id: (b.lower, b.upper, b.size) for b in lifetimes(block(SUMMED)[0])}
    assert found == {
        "in0": (0, 3, 120),
        "conv2d0_out": (0, 2, 5 * 4 * 8),
        "rescale2_out": (1, 3, 5 * 4 * 16),
        "conv2d3_out.sums": (0, 4, 5 * 4 * 8 * 4),
        "conv2d3_out": (3, 5, 160),
        "table4_out": (4, 5, 160),
    }


def test_without_sums_the_output_is_written_in_groups() -> None:
    found = {b.id: (b.lower, b.upper, b.size) for b in lifetimes(block(SPLIT)[0])}
    assert found["in0"] == (0, 3, 120)
    assert found["conv2d0_out"] == (0, 2, 5 * 4 * 6)
    assert found["rescale2_out"] == (0, 4, 480)
    assert layout_of(block(SPLIT)[0], SPLIT).slots["depthwiseconv2d1_out"].owner == "rescale2_out"


def test_calls_are_made_group_by_group() -> None:
    layout = layout_of(block(SUMMED)[0], SUMMED)
    made = [(piece.value, piece.row) for piece in layout.pieces()]
    assert made == [(f"{name}_out", group) for group in (0, 1) for name in BLOCK[:4]]
    assert isinstance(layout, channels.ChannelLayout)
    assert [layout.span("rescale2_out", group) for group in (0, 1)] == [(0, 8), (8, 24)]


def test_inputs_that_are_overwritten_too_early_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the region's hold on it the input dies at the first step."""
    graph, net = block(SUMMED)
    real = liveness._enter

    def enter(layout: Any, owner: Any, live: Any, end: int) -> None:
        real(layout, owner, live, end)
        live["in0"] = replace(live["in0"], upper=1)

    monkeypatch.setattr(liveness, "_enter", enter)
    with pytest.raises(AssertionError):
        same_integers(graph, net)


def test_tiles_that_are_too_small_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, net = block(SUMMED)
    monkeypatch.setattr(channels.ChannelLayout, "most_channels", lambda self, value: 4)
    with pytest.raises(ValueError, match="reshape"):
        same_integers(graph, net)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "one group": ({"channels": (0, 12)}, r"\(0, 12\) do not cover 0 to 12 once"),
    "channels left out": ({"channels": (0, 4, 8)}, "do not cover 0 to 12"),
    "channels of the widest": ({"channels": (0, 12, 24)}, "do not cover 0 to 12"),
    "behind the sums": ({"nodes": BLOCK, "grid": "table4_out"}, "sums over the channels end it"),
    "only sums": ({"nodes": ("conv2d3", "table4"), "grid": "table4_out"}, "do not cover 0 to 8"),
    "another grid": ({"grid": "rescale2_out"}, "is not what its last node writes"),
    "rows": ({"rows": (0, 2, 5)}, "whole rows and columns"),
    "overlap": ({"over": ("in0", "conv2d3_out")}, "overlap nothing"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_each_broken_rule_is_named(case: str) -> None:
    fields, message = BROKEN[case]
    with pytest.raises(InvariantError, match=message):
        verify(block(replace(SUMMED, **fields))[0])


def test_groups_are_shown() -> None:
    assert "0       conv2d0     conv2d3    2 groups of channels" in graph_text(block(SUMMED)[0])


def test_a_channel_is_not_split() -> None:
    """Two channels for each of the whole input's."""
    net = ChannelNet()
    net.rescale(net.spread(net.input(3, 3, 4), SAME_3, 2))
    nodes = tuple(node.name for node in net.nodes)
    region = Region(nodes, CHANNELS, net.nodes[-1].output, channels=(0, 3, 8))
    with pytest.raises(InvariantError, match="split a channel of in0"):
        verify(net.graph(regions=(region,)))
    verify(net.graph(regions=(replace(region, channels=(0, 2, 8)),)))


def flattened(*, read_behind: bool) -> tuple[ChannelNet, tuple[str, ...]]:
    net = ChannelNet()
    flat = net.flatten(net.conv(net.input(2, 2, 3), 8, Window((1, 1))))
    net.dense(flat, 5)
    nodes = tuple(node.name for node in net.nodes)
    if read_behind:
        net.dense(flat, 2)
    return net, nodes


def test_a_flattened_value_stays_inside() -> None:
    for read_behind in (False, True):
        net, nodes = flattened(read_behind=read_behind)
        graph = net.graph(
            regions=(Region(nodes, CHANNELS, "fullyconnected2_out", channels=(0, 4, 8)),)
        )
        if not read_behind:
            same_integers(verify(graph), net)
            assert sums(graph)
            continue
        with pytest.raises(InvariantError, match="reshape1 cannot be computed by channels"):
            verify(graph)
