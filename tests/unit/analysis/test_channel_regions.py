"""Regions in groups of channels compute what the plain graph computes, in the memory planned."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from unit.analysis.channel_nets import in_groups
from unit.ir.strategies import STEADY


@settings(STEADY, max_examples=150)
@given(in_groups())
def test_random_groups_compute_the_same_integers(case: Any) -> None:
    graph, net = case
    verify(graph)
    sample = net.sample()
    expected, found = run(graph, sample), run_tiled(graph, sample)
    for name in graph.outputs:
        np.testing.assert_array_equal(found[name], expected[name])
