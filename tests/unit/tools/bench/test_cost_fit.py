"""The fit finds what launches were made of; calibration networks divide in every way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from deployer.analysis.launch import launches
from deployer.ir.graph import Graph
from deployer.ir.region import LINE_BUFFERS
from deployer.ir.region_faults import faults
from deployer.schedule.order import schedule
from deployer.tools.bench.cost_fit import counts_of, fit, non_negative
from deployer.tools.bench.cost_nets import operator_graphs, variants
from deployer.tools.bench.cost_runs import Counted
from unit.analysis.spatial_nets import SAME_3, SpatialNet

SPENT = {"call": 300.0, "row": 40.0, "element": 12.0, "mac": 3.0, "hop": 90.0, "read": 150.0}


def cases() -> Iterator[Graph]:
    for height, width, channels in ((8, 8, 4), (5, 12, 8), (12, 6, 10), (16, 4, 2), (9, 9, 16)):
        net = SpatialNet()
        x = net.input(height, width, channels)
        net.add(net.conv(x, channels, SAME_3), x)
        net.table(net.depthwise(x, SAME_3))
        plain = net.graph()
        for _, regions in variants(plain):
            yield replace(plain, regions=regions)


def counted(cores: int) -> list[Counted]:
    found = []
    for graph in cases():
        order = schedule(graph, ("ref",))
        for launch in launches(order):
            one = Counted(order.graph, launch, 0, 0.0)
            terms = counts_of(one, cores).items()
            found.append(replace(one, count=sum(SPENT.get(t, 0) * n for (_, t), n in terms)))
    return found


@pytest.mark.parametrize("cores", [1, 8])
def test_the_fit_explains_what_terms_made(cores: int) -> None:
    launches_of = counted(cores)
    found = fit(launches_of, cores)
    assert found.worst < 1e-6
    assert found.launches == len(launches_of)
    assert found.weights["dpl_conv2d_s8__ref"]["mac"] == pytest.approx(3.0, rel=1e-3)
    assert found.weights["region"]["hop"] == pytest.approx(90.0, rel=1e-2)


def test_errors_are_told_by_kernel() -> None:
    rows = counted(1)
    rows = [replace(one, count=one.count * (1.1 if i % 2 else 0.9)) for i, one in enumerate(rows)]
    found = fit(rows, 1)
    assert 0.01 < found.rms < 0.15
    assert {one.kernel for one in found.kernels} >= {"dpl_conv2d_s8__ref", "dpl_add_s8__ref"}


def test_no_term_takes_off() -> None:
    matrix = np.array([[1.0, 1.0], [2.0, 2.1], [3.0, 2.9]])
    found = non_negative(matrix, np.array([1.0, 1.5, 4.0]))
    assert (found >= 0).all()
    assert found.max() > 0


def test_every_operator_is_counted_whole_by_rows_and_in_patches() -> None:
    modes: set[str] = set()
    for graph in operator_graphs():
        for label, regions in variants(graph):
            assert not faults(replace(graph, regions=regions))
            modes |= {region.mode for region in regions} or {label}
            buffered = [region for region in regions if region.mode == LINE_BUFFERS]
            assert all(region.rows == () for region in buffered)
    assert modes == {"whole", "stream", "patch"}
