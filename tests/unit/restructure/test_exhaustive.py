"""On small networks the search needs no more than the best of all sequences of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.ir.attrs import Pads, Window
from deployer.ir.region import LINE_BUFFERS, PATCH
from deployer.ir.region_faults import faults
from deployer.restructure.cost import macs_only
from deployer.restructure.facts import Candidate
from deployer.restructure.plan import Planner, Runs, regions_of
from unit.analysis.spatial_nets import SAME_3, SpatialNet

DOWN = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))


def residual() -> SpatialNet:
    net = SpatialNet(1)
    x = net.conv(net.input(12, 12, 2), 6, SAME_3)
    net.conv(net.add(x, net.depthwise(x, SAME_3)), 3, DOWN)
    return net


def joined() -> SpatialNet:
    net = SpatialNet(2)
    x = net.conv(net.input(8, 12, 1), 6, SAME_3)
    net.concat(net.conv(x, 2, SAME_3), net.pool(x, "MaxPool", SAME_3))
    return net


CANDIDATES = (
    Candidate(0.0, 0),
    *(Candidate(0.0, 0, PATCH, split) for split in ((2, 1), (2, 2))),
    *(Candidate(0.0, 0, LINE_BUFFERS, split) for split in ((1, 1), (1, 2))),
)


def sequences(count: int, begin: int = 0) -> Iterator[Runs]:
    """Every sequence of runs that covers the nodes, each run as every candidate; plain ones one
    long."""
    if begin == count:
        yield ()
    for last in range(begin, count):
        for candidate in CANDIDATES if last == begin else CANDIDATES[1:]:
            yield from (((begin, last, candidate), *rest) for rest in sequences(count, last + 1))


@pytest.mark.parametrize("make", [residual, joined])
def test_no_sequence_of_runs_needs_less(make: Callable[[], SpatialNet]) -> None:
    graph = make().graph()
    planned = (regions_of(graph, runs) for runs in sequences(len(graph.nodes)))
    tried = [replace(graph, regions=regions) for regions in planned]
    peaks = [live_peak(lifetimes(each)).bytes for each in tried if not faults(each)]
    assert len(peaks) > 500
    least = Planner(graph, macs_only).smallest(added=float("inf"))
    assert least.arena <= min(peaks) < peaks[0]
