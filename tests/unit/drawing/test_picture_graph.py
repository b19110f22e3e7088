"""The picture of a network: every node a box, every connection a wire."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings

from deployer.drawing.lanes import Lane, lanes_of, readers, rows_of
from deployer.drawing.network import alive_bytes, graph_svg, shape_of, track_gap, window_text
from deployer.drawing.svg import markup
from deployer.ir.graph import Graph
from deployer.schedule.order import schedule
from unit.drawing.drawn import parsed, rects, size, stacked, texts
from unit.ir.nets import Net, resnet8, vww
from unit.ir.strategies import graphs


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_every_node_input_and_output_is_a_box_of_its_own(graph: Graph) -> None:
    root = parsed(graph_svg(graph))
    cards = rects(root, "card")
    assert len(cards) == len(graph.inputs) + len(graph.nodes) + len(graph.outputs)
    assert all(card.inside(*size(root)) for card in cards)
    assert stacked(cards)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_every_read_is_a_straight_arrow_or_the_end_of_a_lane(graph: Graph) -> None:
    rows = rows_of(graph, 0)
    reading = readers(graph, rows)
    lanes = lanes_of(reading)
    wired = {(start, start + 1) for start, ends in reading.items() if start + 1 in ends}
    wired |= {(lane.start, end) for lane in lanes for end in lane.ends}
    assert wired == {(start, end) for start, ends in reading.items() for end in ends}
    assert {end for _, end in wired} == set(range(len(graph.inputs), len(rows)))
    for one, two in combinations(lanes, 2):
        apart = max(one.ends) < two.start or max(two.ends) < one.start
        assert apart or one.track != two.track


def test_skip_connections_of_resnet8_run_beside() -> None:
    graph = resnet8()
    rows = rows_of(graph, 0)
    lanes = lanes_of(readers(graph, rows))
    ends = [rows[end].node for lane in lanes for end in lane.ends]
    assert sum(node is not None and node.op == "Add" for node in ends) == 3
    tips = [item for item in parsed(graph_svg(graph)).iter() if item.get("class") == "tip"]
    assert len(tips) == sum(len(found) for found in readers(graph, rows).values())


def test_a_chain_has_no_lanes() -> None:
    graph = vww()
    assert lanes_of(readers(graph, rows_of(graph, 0))) == ()


def test_shapes_costs_and_the_peak_are_written() -> None:
    graph = resnet8()
    said = texts(parsed(graph_svg(graph, schedule(graph, ("ref",)))))
    assert f"{shape_of(graph, graph.nodes[0].output)} · 16,384 B" in said
    assert "2,359,296" in said
    assert [text for text in said if "peak" in text] == ["49,152 peak"]


def test_scratch_counts_as_memory_when_the_kernels_are_known() -> None:
    graph = resnet8()
    steps = schedule(graph, ("ref",), choose=lambda families, graph, node: ("dpl_k", 100))
    plain = alive_bytes(graph, None)
    assert alive_bytes(graph, steps) == tuple(count + 100 for count in plain)


def test_windows_say_kernel_and_stride() -> None:
    net = Net("net")
    net.conv(net.input(1, 8, 8, 2), 3, 3, stride=2)
    assert window_text(net.nodes[0]) == "Conv2d 3x3/2"


def test_the_same_network_gives_the_same_bytes() -> None:
    assert markup(graph_svg(resnet8())) == markup(graph_svg(resnet8()))


def windowed(**window: Any) -> Any:
    plain = {"kernel": (3, 3), "stride": (1, 1), "dilation": (1, 1), **window}
    return SimpleNamespace(op="Conv2d", attrs=SimpleNamespace(window=SimpleNamespace(**plain)))


@pytest.mark.parametrize(
    ("window", "text"),
    [
        ({}, "Conv2d 3x3"),
        ({"stride": (2, 2)}, "Conv2d 3x3/2"),
        ({"kernel": (1, 5), "stride": (1, 2)}, "Conv2d 1x5/1x2"),
        ({"dilation": (1, 4)}, "Conv2d 3x3 dilated 4"),
        ({"stride": (2, 1), "dilation": (2, 2)}, "Conv2d 3x3/2x1 dilated 2"),
    ],
)
def test_a_window_is_told_with_what_is_special_of_it(window: dict[str, Any], text: str) -> None:
    assert window_text(windowed(**window)) == text
    assert window_text(SimpleNamespace(op="Add", attrs=None)) == "Add"  # type: ignore[arg-type]


@pytest.mark.parametrize(("tracks", "gap"), [(1, 22), (8, 22), (9, 7)])
def test_up_to_eight_lanes_are_wide(tracks: int, gap: int) -> None:
    assert track_gap([Lane(0, (2,), track) for track in range(tracks)]) == gap
