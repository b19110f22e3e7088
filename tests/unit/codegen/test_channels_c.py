"""Generated regions in groups of channels: bit-exact in poisoned buffers, under sanitizers, on
cores that share each call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from deployer.codegen import region_channels
from deployer.errors import ModelError
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS, Region
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.restructure.auto import RestructureOptions, restructure
from narrowing import narrowing
from unit.analysis.channel_nets import POINT, ChannelNet, in_groups
from unit.analysis.spatial_nets import SAME_3
from unit.codegen.generated_c import Compiler, planned
from unit.ir.strategies import STEADY
from unit.quantize.graphs import noise


@pytest.fixture(scope="module")
def compiler(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tool("gcc"), tmp_path_factory.mktemp("channels"))


def residual(points: tuple[int, ...]) -> tuple[Graph, ChannelNet]:
    """An inverted residual block: expanded, depthwise, an activation, projected."""
    net = ChannelNet(3)
    x = net.input(7, 5, 6)
    net.conv(net.prelu(net.spread(net.conv(x, 12, POINT), SAME_3, 2)), 8, POINT)
    nodes = tuple(node.name for node in net.nodes)
    region = Region(nodes, CHANNELS, net.nodes[-1].output, channels=points)
    return verify(net.graph(regions=(region,))), net


def head(points: tuple[int, ...]) -> tuple[Graph, ChannelNet]:
    """The end of a classifier: a convolution, its pixels flattened, two dense layers."""
    net = ChannelNet(4)
    wide = net.conv(net.input(2, 3, 5), 16, SAME_3)
    net.dense(net.dense(net.flatten(wide), 9), 3)
    nodes = tuple(node.name for node in net.nodes[:3])
    region = Region(nodes, CHANNELS, net.nodes[2].output, channels=points)
    return verify(net.graph(regions=(region,))), net


def same_integers(compiler: Compiler, graph: Graph, net: ChannelNet) -> None:
    sample = net.sample()
    expected, found = run(graph, sample), compiler.run(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize("points", [(0, 4, 8, 12), (0, 5, 6, 12), tuple(range(13))], ids=str)
def test_a_residual_block_is_bit_exact(compiler: Compiler, points: tuple[int, ...]) -> None:
    same_integers(compiler, *residual(points))


def test_a_dense_layer_sums_over_flattened_channels(compiler: Compiler) -> None:
    same_integers(compiler, *head((0, 4, 12, 16)))


@pytest.mark.parametrize("case", [residual((0, 8, 12)), head((0, 8, 16))], ids=["block", "head"])
def test_cores_that_share_calls_meet_after_each(
    case: tuple[Graph, ChannelNet], tool: Callable[[str], str], tmp_path: Path
) -> None:
    same_integers(Compiler(tool("gcc"), tmp_path, cores=True), *case)


def test_weights_in_another_order_are_noticed(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(region_channels, "_regrouped", lambda layout, array, value: array.ravel())
    with pytest.raises(AssertionError):
        same_integers(compiler, *residual((0, 4, 8, 12)))


def test_more_channels_than_the_table_can_name_are_refused() -> None:
    net = ChannelNet()
    net.rescale(net.rescale(net.conv(net.input(1, 1, 1), 32_768, POINT)))
    nodes = tuple(node.name for node in net.nodes)
    points = (0, 16_384, 32_768)
    graph = net.graph(regions=(Region(nodes, CHANNELS, net.nodes[-1].output, channels=points),))
    with pytest.raises(ModelError, match="32,767 channels"):
        planned(graph)


def test_int16_is_bit_exact(compiler: Compiler) -> None:
    float_graph = narrowing()
    found = quantize(float_graph, noise(float_graph), QuantOptions(bits=16)).graph
    plan = restructure(found, RestructureOptions(optimize="ram")).graph
    assert {region.mode for region in plan.regions} == {CHANNELS}
    rng = np.random.default_rng(0)
    shape = found.values["x"].shape
    sample = {"x": rng.integers(-32768, 32768, shape).astype(np.int16)}
    expected, device = run(found, sample), compiler.run(replace(plan, name="random"), sample)
    for name in found.outputs:
        np.testing.assert_array_equal(device[name], expected[name])


@settings(STEADY, max_examples=25, phases=[Phase.generate])
@given(case=in_groups())
def test_random_groups_are_bit_exact(compiler: Compiler, case: Any) -> None:
    same_integers(compiler, *case)
