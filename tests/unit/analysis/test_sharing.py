"""What lies at fixed distances is placed together; shares that are tried stay sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.liveness import alias_facts_of
from deployer.analysis.places import Edge
from deployer.analysis.sharing import alone
from deployer.ir.share import OVER, Share
from deployer.ir.types import DType
from deployer.ir.verify import verify
from deployer.numerics.interpret import run
from deployer.numerics.tiled import run_tiled
from unit.analysis.spatial_nets import SAME_3, SpatialNet, regional
from unit.ir.strategies import STEADY
from unit.schedule.sharing import forced


@settings(STEADY, max_examples=60)
@given(regional(joined=True))
def test_what_a_region_overlaps_is_reached_from_each_of_it(case: Any) -> None:
    facts = alias_facts_of(case[0])
    for chain in facts.chains:
        first, *others = chain.offsets.items()
        for name, _ in (first, *others):
            assert set(chain.offsets) <= set(facts.reached([name]))
        spots = alone(facts, facts.owner[first[0]]).spots
        for name, offset in others:
            assert spots[name].offset - spots[first[0]].offset == offset - first[1]


@pytest.mark.parametrize(
    ("shape", "kind", "offset", "at"),
    [
        ((4, 3, 8), DType.S8, 0, (0, 0, 0)),
        ((4, 3, 8), DType.S8, 4, None),
        ((4, 3, 8), DType.S16, 0, None),
        ((4, 6, 4), DType.S8, 0, None),
        ((4, 6, 2), DType.S16, 0, None),
    ],
    ids=["alike", "ahead", "wider", "reshaped", "both"],
)
def test_what_lies_over_a_value_has_its_pitches_only_where_all_is_alike(
    shape: tuple[int, int, int], kind: DType, offset: int, at: tuple[int, int, int] | None
) -> None:
    net = SpatialNet()
    first = net.table(net.input(4, 3, 8))
    second = net.table(first)
    net.conv(second, 1, SAME_3)
    graph = net.graph()
    facts = alias_facts_of(graph)
    odd = {second: replace(facts.tensors[second], extents=shape, element=kind.bytes)}
    facts.__dict__["tensors"] = {**facts.tensors, **odd}
    edge = facts.edge(Share(graph.nodes[1].name, first, OVER, offset))
    assert edge == Edge(second, first, at, -offset)


@settings(STEADY, max_examples=40)
@given(st.data())
def test_shared_bytes_hold_the_same_integers(data: Any) -> None:
    graph, net = data.draw(regional(joined=True))
    found = data.draw(forced(graph))
    verify(found)
    sample = net.sample()
    expected, tiled = run(found, sample), run_tiled(found, sample)
    assert all(np.array_equal(expected[name], tiled[name]) for name in found.outputs)
