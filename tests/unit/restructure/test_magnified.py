"""Networks that end larger than they begin, or pad before they stride, shrink like the others."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.ir.attrs import BlockAttrs, Pads, ResizeAttrs, Window
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure.auto import RestructureOptions, restructure
from unit.analysis.spatial_nets import SAME_3, SpatialNet

HALF = Window((2, 2), (2, 2))


def super_resolution() -> SpatialNet:
    """ESPCN by three: a 5x5 and two 3x3 convolutions, then blocks of depth become pixels."""
    net = SpatialNet(1)
    x = net.conv(net.input(32, 32, 3), 16, Window((5, 5), pads=Pads(2, 2, 2, 2)))
    x = net.conv(net.conv(x, 8, SAME_3), 27, SAME_3)
    net.blocks(x, "DepthToSpace", BlockAttrs(3, column_first=True))
    return net


def hourglass(mode: str, start: tuple[int, int] = (0, 0)) -> SpatialNet:
    """U-Net of two levels that resizes and convolves upwards."""
    net = SpatialNet(2)
    wide = net.conv(net.input(32, 32, 3), 8, SAME_3)
    deep = net.conv(net.pool(wide, "MaxPool", HALF), 16, SAME_3)
    x = net.conv(net.pool(deep, "MaxPool", HALF), 16, SAME_3)
    for skip in (deep, wide):
        x = net.conv(net.resize(x, ResizeAttrs((2, 2), mode, start=start)), 8, SAME_3)
        x = net.conv(net.concat(skip, x), 8, SAME_3)
    net.conv(x, 2, Window((1, 1)))
    return net


def bordered() -> SpatialNet:
    """Explicit borders before convolutions with stride, as exporters write them."""
    net = SpatialNet(3)
    x = net.input(48, 48, 3)
    for channels in (12, 16, 16):
        x = net.conv(net.pad(x, (0, 0, 0), (1, 1, 0)), channels, Window((3, 3), (2, 2)))
        x = net.conv(net.depthwise(x, SAME_3), channels, Window((1, 1)))
    return net


def folded() -> SpatialNet:
    """Space to depth first, as detectors begin."""
    net = SpatialNet(4)
    x = net.blocks(net.input(48, 48, 3), "SpaceToDepth", BlockAttrs(2))
    x = net.conv(net.conv(x, 16, SAME_3), 16, SAME_3)
    net.conv(net.pool(x, "MaxPool", HALF), 16, SAME_3)
    return net


# the network, the most of the plain arena that may be left
CASES = {
    "super-resolution": (super_resolution(), 0.85),
    "nearest": (hourglass("nearest"), 0.5),
    "nearest, beginning later": (hourglass("nearest", (1, -1)), 0.5),
    "linear": (hourglass("linear"), 0.5),
    "bordered": (bordered(), 0.6),
    "folded": (folded(), 0.55),
}


@pytest.mark.parametrize("case", CASES)
def test_they_need_less_in_pieces(case: str) -> None:
    net, most = CASES[case]
    graph, sample = net.graph(), net.sample()
    plain = restructure(graph, RestructureOptions("off"))
    found = restructure(graph, RestructureOptions(optimize="ram"))
    assert found.arena <= most * plain.arena
    name = graph.outputs[0]
    np.testing.assert_array_equal(run_tiled(found.graph, sample)[name], run(graph, sample)[name])
