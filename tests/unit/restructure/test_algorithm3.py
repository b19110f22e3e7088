"""Algorithm 3: criticality, the critical set, one region of patches, the sweep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.frontend.onnx_import import import_model
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.region import PATCH, Region
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure.algorithm3 import SLICES, Algorithm3, critical_set, criticality, sweep
from deployer.restructure.cost import added_macs
from deployer.restructure.joined import joined_bytes
from deployer.restructure.tables import as_int8
from deployer.tools.zoo.build import draw, save
from unit.analysis.spatial_nets import SAME_3, SpatialNet

POINT = Window((1, 1))


def hourglass() -> tuple[Graph, SpatialNet]:
    """Bytes of the tensors: 64, 192, 384, 64, 16; the peak is at the second node."""
    net = SpatialNet(3)
    x = net.conv(net.input(8, 8, 1), 3, SAME_3)
    x = net.conv(x, 6, SAME_3)
    x = net.pool(net.conv(x, 1, SAME_3), "MaxPool", Window((2, 2), (2, 2)))
    net.table(x)
    return net.graph(), net


def test_criticality_is_the_most_memory_while_a_tensor_of_the_node_lives() -> None:
    """Alive in each step: 256, 576, 448, 80 and 32 bytes."""
    assert criticality(hourglass()[0]) == {
        "conv2d0": 576,  # its output is read in the step of the peak
        "conv2d1": 576,
        "conv2d2": 576,  # its input is written there
        "maxpool3": 448,
        "table4": 80,
    }


@pytest.mark.parametrize(
    ("alpha", "nodes"),
    [
        (0.9, {"conv2d0", "conv2d1", "conv2d2"}),
        (0.7, {"conv2d0", "conv2d1", "conv2d2", "maxpool3"}),
        (0.1, {"conv2d0", "conv2d1", "conv2d2", "maxpool3", "table4"}),
    ],
)
def test_alpha_widens_the_critical_set(alpha: float, nodes: set[str]) -> None:
    assert critical_set(hourglass()[0], alpha) == nodes


def test_the_region_is_patched_and_computes_the_same() -> None:
    graph, net = hourglass()
    found, sample = Algorithm3(0.2, (2, 4))(graph), net.sample()
    (region,) = found.regions
    assert (region.grid, region.rows) == ("maxpool3_out", (0, 2, 4))
    assert region.columns == (0, 1, 2, 3, 4)
    name = graph.outputs[0]
    np.testing.assert_array_equal(run_tiled(found, sample)[name], run(graph, sample)[name])


def test_the_sweep_takes_the_least_memory() -> None:
    graph, _ = hourglass()
    best = sweep(graph, slices=SLICES)
    assert best.bytes == live_peak(lifetimes(best.graph)).bytes
    assert best.bytes < live_peak(lifetimes(graph)).bytes


def test_a_peak_that_cannot_be_cut_leaves_the_graph_alone() -> None:
    net = SpatialNet()
    net.table(net.input(1, 1, 64))
    assert Algorithm3()(net.graph()).regions == ()


def test_nodes_beside_the_region_run_in_their_best_order() -> None:
    """Behind the region, the branch that is wide in between should come first."""
    net = SpatialNet(3)
    wide = net.conv(net.input(16, 16, 1), 24, SAME_3)
    x = net.conv(net.pool(wide, "MaxPool", Window((4, 4), (4, 4))), 8, POINT)
    kept = net.conv(x, 20, POINT)
    other = net.conv(net.conv(x, 30, POINT), 2, POINT)
    net.concat(kept, other)
    graph = net.graph()
    found = Algorithm3(0.9, (4, 4))(graph)
    assert found.regions
    assert found.regions[0].nodes == tuple(node.name for node in graph.nodes[:3])
    assert [node.name for node in found.nodes[3:6]] == ["conv2d4", "conv2d5", "conv2d3"]
    in_order = replace(graph, regions=found.regions)
    assert live_peak(lifetimes(found)).bytes < live_peak(lifetimes(in_order)).bytes
    sample, name = net.sample(), graph.outputs[0]
    np.testing.assert_array_equal(run_tiled(found, sample)[name], run(graph, sample)[name])


def test_pieces_as_tensors_of_their_own_cost_what_splits_and_concats_keep() -> None:
    """1x1 windows, so no halos. By hand, the last node of a piece and the concatenation count."""
    net = SpatialNet(3)
    x = net.conv(net.conv(net.input(8, 8, 1), 3, POINT), 6, POINT)
    narrow = net.conv(x, 1, POINT)
    net.table(narrow)
    graph = net.graph()
    names = [node.name for node in graph.nodes]
    for count, grid, size in ((2, x, 768), (3, narrow, 352)):
        region = Region(tuple(names[:count]), PATCH, grid, rows=(0, 4, 8))
        assert joined_bytes(replace(graph, regions=(region,))) == size
    assert joined_bytes(graph) == live_peak(lifetimes(graph)).bytes == 576


@pytest.mark.parametrize(
    ("name", "paper", "ours"),
    [
        ("mobilenetv2", (0.3, 60.5, 3.0), (61.1, 2.9)),
        ("resnet18", (0.4, 41.6, 11.9), (41.6, 11.8)),
        ("inception-v3", (0.6, 53.5, 1.4), (53.9, 1.6)),
    ],
)
def test_the_papers_figures_come_out_at_the_papers_alpha(
    name: str, paper: tuple[float, float, float], ours: tuple[float, float], tmp_path: Path
) -> None:
    """Table 2.8, within a per cent of the plain network."""
    save(draw(name), tmp_path / "net.onnx")
    graph = as_int8(import_model(tmp_path / "net.onnx"))
    best = sweep(graph, count=joined_bytes)
    saved = 100 * (1 - best.bytes / live_peak(lifetimes(graph)).bytes)
    found = (round(saved, 1), round(100 * added_macs(best.graph), 1))
    assert found == ours
    assert best.alpha == paper[0]
    assert found == pytest.approx(paper[1:], abs=1)
