"""Algorithm 3: criticality, the critical set, one region of patches, the sweep."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure.alg3 import SLICES, Algorithm3, critical_set, criticality, sweep
from unit.analysis.spatial_nets import SAME_3, SpatialNet


def hourglass() -> tuple[Graph, SpatialNet]:
    """Bytes of the tensors: 64, 192, 384, 64, 16; the peak is at the second node."""
    net = SpatialNet(3)
    x = net.conv(net.input(8, 8, 1), 3, SAME_3)
    x = net.conv(x, 6, SAME_3)
    x = net.pool(net.conv(x, 1, SAME_3), "MaxPool", Window((2, 2), (2, 2)))
    net.table(x)
    return net.graph(), net


def test_criticality_is_the_memory_active_at_a_node() -> None:
    assert criticality(hourglass()[0]) == {
        "conv2d0": 256,
        "conv2d1": 576,
        "conv2d2": 448,
        "maxpool3": 80,
        "table4": 32,
    }


@pytest.mark.parametrize(
    ("alpha", "nodes"),
    [
        (0.9, {"conv2d1"}),
        (0.7, {"conv2d1", "conv2d2"}),
        (0.4, {"conv2d0", "conv2d1", "conv2d2"}),
        (0.1, {"conv2d0", "conv2d1", "conv2d2", "maxpool3"}),
    ],
)
def test_alpha_widens_the_critical_set(alpha: float, nodes: set[str]) -> None:
    assert critical_set(hourglass()[0], alpha) == nodes


def test_the_region_is_patched_and_computes_the_same() -> None:
    graph, net = hourglass()
    found, sample = Algorithm3(0.1, (2, 4))(graph), net.sample()
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
    assert best.alpha <= 0.4


def test_a_peak_that_cannot_be_cut_leaves_the_graph_alone() -> None:
    net = SpatialNet()
    net.table(net.input(1, 1, 64))
    assert Algorithm3()(net.graph()).regions == ()
