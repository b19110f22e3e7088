"""Layers that work channel by channel compute the same integers on the parts of their input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir import InvariantError
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.restructure.part_by_part import part_by_part, works_by_channel
from deployer.tile.chunks import in_chunks
from unit.ir.nets import Net, filled


def _net(channels: int, *, pooled: bool) -> Graph:
    net = Net("parts")
    x = net.conv(net.input(1, 6, 5, 4), channels, 1, name="wide")
    x = net.pool(x, name="inner") if pooled else net.depthwise(x, 3, name="inner")
    return net.graph(net.conv(x, 8, 1, name="narrow"))


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 40), st.integers(2, 8), st.booleans(), st.integers(0, 99))
def test_the_outputs_are_the_same_integers(
    channels: int, count: int, pooled: bool, seed: int
) -> None:
    graph = _net(channels, pooled=pooled)
    graph = graph if pooled else filled(graph, seed)
    parted = part_by_part(in_chunks(graph, {"wide": count}), "inner")
    inputs = {"in0": np.random.default_rng(seed).integers(-128, 128, (2, 6, 5, 4)).astype(np.int8)}
    expected, found = interpret.run(graph, inputs), interpret.run(parted, inputs)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


def test_each_part_follows_the_one_that_it_reads() -> None:
    """Of the value between the two no more than a part ever exists."""
    graph = _net(16, pooled=False)
    parted = part_by_part(in_chunks(graph, {"wide": 2}), "inner")
    names = [node.name for node in parted.nodes]
    assert names == ["wide.0", "inner.0", "wide.1", "inner.1", "inner", "narrow"]
    between = graph.nodes[0].output
    assert between not in parted.values
    assert [parted.values[f"{between}.{i}"].shape[-1] for i in range(2)] == [8, 8]
    assert parted.nodes[-2].outputs == graph.nodes[1].outputs


def test_layers_that_mix_channels_are_refused() -> None:
    graph = in_chunks(_net(16, pooled=False), {"wide": 2})
    assert [works_by_channel(graph, n) for n in graph.nodes[-2:]] == [True, False]
    with pytest.raises(InvariantError):
        part_by_part(graph, "narrow")
