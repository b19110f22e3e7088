"""Generated regions compute the plain graph's integers, in poisoned buffers, under sanitizers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from branching import branching
from deployer.codegen import region
from deployer.errors import ModelError
from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.region import Region
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.restructure.auto import RestructureOptions, restructure
from unit.analysis.spatial_nets import SpatialNet, regional
from unit.codegen.generated_c import Compiler, planned
from unit.ir.strategies import STEADY
from unit.quantize.graphs import noise


@pytest.fixture(scope="module")
def compiler(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tool("gcc"), tmp_path_factory.mktemp("regions"))


def inverted_residual(**options: Any) -> tuple[Graph, SpatialNet]:
    """Convolutions, a depthwise one with stride, a residual addition and a concatenation."""
    net = SpatialNet(3)
    same, down = (
        Window((3, 3), pads=Pads(1, 1, 1, 1)),
        Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1)),
    )
    stem = net.conv(net.input(17, 19, 3), 8, down)
    inner = net.depthwise(net.conv(stem, 16, Window((1, 1))), same)
    joined = net.add(stem, net.conv(inner, 8, Window((1, 1))))
    net.pool(
        net.concat(joined, net.table(net.conv(joined, 4, same))), "MaxPool", Window((2, 2), (2, 2))
    )
    nodes = tuple(node.name for node in net.nodes)
    whole = Region(nodes, grid=net.nodes[-1].output, **options)
    return net.graph(regions=(whole,)), net


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "stream"},
        {"mode": "stream", "chunk": 2, "columns": (0, 2, 4), "reverse": True},
        {"mode": "patch", "rows": (0, 1, 4), "columns": (0, 3, 4)},
        {"mode": "patch", "rows": (0, 2, 3, 4), "reverse": True},
    ],
    ids=["stream", "strips upwards", "patches", "patches upwards"],
)
def test_a_residual_block_is_bit_exact(compiler: Compiler, options: dict[str, Any]) -> None:
    graph, net = inverted_residual(**options)
    same_integers(compiler, verify(graph), net)


def same_integers(compiler: Compiler, graph: Graph, net: SpatialNet) -> None:
    sample = net.sample()
    expected, found = run(graph, sample), compiler.run(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


def test_more_rows_than_the_tables_can_name_are_refused() -> None:
    net = SpatialNet()
    net.rescale(net.rescale(net.input(32_768, 1, 1)))
    nodes = tuple(node.name for node in net.nodes)
    graph = net.graph(regions=(Region(nodes, "patch", net.nodes[-1].output),))
    with pytest.raises(ModelError, match="32,767 rows"):
        planned(graph)


def test_a_ring_that_is_too_short_is_noticed(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, net = inverted_residual(mode="stream")
    real = region._buffer
    monkeypatch.setattr(region, "_buffer", lambda *given: _shorter(real(*given)))
    with pytest.raises(AssertionError):
        same_integers(compiler, graph, net)


def _shorter(place: tuple[int, int]) -> tuple[int, int]:
    return place[0], max(1, place[1] - 1) if place[1] else 0


@pytest.mark.parametrize("mode", ["stream", "patch"])
def test_cores_that_share_calls_meet_after_each(
    mode: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    split = {"rows": (0, 2, 4), "columns": (0, 1, 4)} if mode == "patch" else {}
    graph, net = inverted_residual(mode=mode, **split)
    same_integers(Compiler(tool("gcc"), tmp_path, cores=True), graph, net)


def test_int16_is_bit_exact(compiler: Compiler) -> None:
    float_graph = branching()
    found = quantize(float_graph, noise(float_graph), QuantOptions(bits=16)).graph
    plan = restructure(found, RestructureOptions(optimize="ram")).graph
    assert plan.regions
    rng = np.random.default_rng(0)
    sample = {
        name: rng.integers(-32768, 32768, found.values[name].shape).astype(np.int16)
        for name in found.inputs
    }
    expected = run(found, sample)
    device = compiler.run(replace(plan, name="random"), sample)
    for name in found.outputs:
        np.testing.assert_array_equal(device[name], expected[name])


@settings(STEADY, max_examples=25, phases=[Phase.generate])
@given(case=regional())
def test_random_regions_are_bit_exact(compiler: Compiler, case: Any) -> None:
    graph, net = case
    same_integers(compiler, graph, net)
