"""Plans compute the plain graph's integers, in the memory the search predicts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from deployer.restructure.cost import macs_only
from deployer.restructure.plan import Planner
from unit.analysis.spatial_nets import SpatialNet, spatial_nets
from unit.ir.strategies import STEADY


@settings(STEADY, max_examples=6)
@given(spatial_nets(12))
def test_plans_of_the_front_are_bit_exact(net: SpatialNet) -> None:
    graph, sample = net.graph(), net.sample()
    expected = run(graph, sample)
    for fetch in (False, True):
        front = Planner(graph, model=macs_only, stream_input=fetch).front()
        for plan in front[:: max(1, len(front) // 5)]:
            verify(plan.graph)
            found = run_tiled(plan.graph, sample)
            for name in graph.outputs:
                np.testing.assert_array_equal(found[name], expected[name])
