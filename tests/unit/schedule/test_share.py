"""Shared bytes: the same integers, never more memory, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import lifetimes
from deployer.analysis.peak import live_peak
from deployer.ir.graph import Graph
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.schedule.order import schedule
from deployer.schedule.share import with_shares
from unit.analysis.spatial_nets import SpatialNet, regional, spatial_nets
from unit.ir.strategies import STEADY
from unit.schedule.sharing import forced, leads


def peak(graph: Graph) -> int:
    return live_peak(lifetimes(graph)).bytes


def same_integers(graph: Graph, net: SpatialNet) -> None:
    sample = net.sample()
    expected, found = run(graph, sample), run_tiled(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])


@settings(STEADY, max_examples=80)
@given(spatial_nets(joined=True), st.sampled_from([1, 8]))
def test_shares_that_are_chosen_compute_the_same_in_no_more_memory(net: Any, cores: int) -> None:
    plain = net.graph()
    found = schedule(plain, (), share=True, cores=cores)
    verify(found.graph)
    assert found.peak <= schedule(plain, ()).peak
    same_integers(found.graph, net)


@settings(STEADY, max_examples=80)
@given(st.data())
def test_random_shares_compute_the_same(data: Any) -> None:
    net = data.draw(spatial_nets(joined=True))
    graph = data.draw(forced(net.graph()))
    verify(graph)
    same_integers(graph, net)


@settings(STEADY, max_examples=60)
@given(regional(joined=True))
def test_layers_between_regions_share_too(case: Any) -> None:
    graph, net = case
    found = with_shares(graph, {}, leads(graph))
    verify(found)
    assert peak(found) <= peak(graph)
    same_integers(found, net)


@settings(STEADY, max_examples=60)
@given(st.data())
def test_random_shares_beside_regions_compute_the_same(data: Any) -> None:
    graph, net = data.draw(regional(joined=True))
    found = data.draw(forced(graph))
    verify(found)
    same_integers(found, net)
