"""What the planner says of groups of channels is what the graph then takes; where they help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import lifetimes, step_nodes
from deployer.analysis.peak import live_peak
from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure.auto import RestructureOptions, restructure
from deployer.restructure.channels import channel_candidates, group_points
from deployer.restructure.cost import estimated_cycles, graph_cost_of
from deployer.restructure.facts import Facts
from deployer.restructure.plan import Planner, regions_of
from deployer.restructure.tables import as_int8
from deployer.tools.zoo.build import draw, save
from unit.analysis.channel_nets import ChannelNet, in_groups
from unit.ir.strategies import STEADY


@given(st.integers(1, 3000))
@settings(STEADY)
def test_groups_are_even_and_easy_for_kernels(channels: int) -> None:
    found = list(group_points(channels))
    assert len({len(points) for points in found}) == len(found)
    assert bool(found) == (channels > 1)
    for points in found:
        sizes = np.diff(points)
        assert (points[0], points[-1]) == (0, channels)
        assert (sizes[:-1] == sizes[0]).all()
        assert 0 < sizes[-1] <= sizes[0]
        assert channels < 8 or (sizes[:-1] % 4 == 0).all()


@given(in_groups(), st.data())
@settings(STEADY, max_examples=60)
def test_a_way_needs_and_costs_what_its_region_does(case: Any, data: Any) -> None:
    graph = replace(case[0], regions=())
    scratch = {node.name: 8 * i for i, node in enumerate(step_nodes(graph))}
    facts = Facts(graph, estimated_cycles, scratch)
    every = [
        (first, last, candidate)
        for last in range(facts.count)
        for first, options in channel_candidates(facts, last)
        for candidate in options
    ]
    if not every:
        return
    first, last, candidate = data.draw(st.sampled_from(every))
    found = verify(replace(graph, regions=regions_of(graph, [(first, last, candidate)])))
    assert candidate.peak == peak_of_region(found, scratch)
    cost = graph_cost_of(found, estimated_cycles) - graph_cost_of(graph, estimated_cycles)
    assert candidate.cost == pytest.approx(cost)


def peak_of_region(graph: Graph, scratch: dict[str, int]) -> int:
    """Bytes alive at most while the region runs, in words."""
    steps = [node.name for node in step_nodes(graph)]
    inside = [steps.index(name) for name in graph.regions[0].nodes if name in steps]
    buffers = [replace(b, size=-(-b.size // 4) * 4) for b in lifetimes(graph, scratch)]
    alive = (b for b in buffers if b.lower <= inside[-1] and b.upper > inside[0])
    cut = [
        replace(b, lower=max(b.lower, inside[0]), upper=min(b.upper, inside[-1] + 1)) for b in alive
    ]
    return live_peak(cut).bytes


def test_dense_layers_share_what_is_between_them() -> None:
    """100 to 400 to 5: 20 bytes of sums, 8 of 400 channels at a time."""
    net = ChannelNet(2)
    x = net.flatten(net.input(5, 5, 4))
    net.dense(net.dense(x, 400), 5)
    graph = net.graph()
    found = restructure(graph, RestructureOptions(optimize="ram"))
    assert Planner(graph).plain.arena == 500
    assert (found.arena, found.added_macs) == (100 + 20 + 8, 0)
    sample, name = net.sample(), graph.outputs[0]
    np.testing.assert_array_equal(run_tiled(found.graph, sample)[name], run(graph, sample)[name])


@pytest.mark.parametrize(
    ("name", "resolution", "without", "limit"),
    [
        ("squeezenet1.1", (224, 224), 177_116, 95_000),
        ("mobilenetv3-small", (96, 96), 15_844, 14_500),
    ],
)
def test_many_channels_in_few_pixels_are_no_longer_the_peak(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    resolution: tuple[int, int],
    without: int,
    limit: int,
) -> None:
    path = tmp_path / "net.onnx"
    save(draw(name, resolution=resolution), path)
    graph = as_int8(import_model(path))
    found = Planner(graph, stream_input=True).smallest(added=0.05)
    assert found.arena <= limit
    assert CHANNELS in {region.mode for region in found.graph.regions}
    monkeypatch.setattr("deployer.restructure.profile.channel_candidates", lambda facts, last: ())
    assert Planner(graph, stream_input=True).smallest(added=0.05).arena == without
