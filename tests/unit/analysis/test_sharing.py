"""What lies at fixed distances is placed together; shares that are tried stay sound."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import ground_of
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from unit.analysis.spatial_nets import regional
from unit.ir.strategies import STEADY
from unit.schedule.sharing import forced


@settings(STEADY, max_examples=60)
@given(regional(joined=True))
def test_what_a_region_overlaps_is_reached_from_each_of_it(case: Any) -> None:
    ground = ground_of(case[0])
    for chain in ground.chains:
        first, *others = chain.offsets.items()
        for name, _ in (first, *others):
            assert set(chain.offsets) <= set(ground.reached([name]))
        spots = ground.alone(ground.owner[first[0]]).spots
        for name, offset in others:
            assert spots[name].offset - spots[first[0]].offset == offset - first[1]


@settings(STEADY, max_examples=40)
@given(st.data())
def test_shared_bytes_hold_the_same_integers(data: Any) -> None:
    graph, net = data.draw(regional(joined=True))
    found = data.draw(forced(graph))
    verify(found)
    sample = net.sample()
    expected, tiled = run(found, sample), run_tiled(found, sample)
    assert all(np.array_equal(expected[name], tiled[name]) for name in found.outputs)
