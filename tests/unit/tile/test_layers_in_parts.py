"""Layers cut along their output channels compute the same integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.tile.chunks import in_chunks
from unit.ir.nets import Net, filled


def _net(channels: int) -> Graph:
    net = Net("chunks")
    x = net.conv(net.input(1, 5, 4, 6), channels, 3, name="body")
    y = net.reshape(net.pool(net.conv(x, 8, name="point")))
    return net.graph(net.dense(y, channels, name="head"), x)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 99))
def test_the_outputs_are_the_same_integers(channels: int, count: int, seed: int) -> None:
    graph = filled(_net(channels), seed)
    cut = in_chunks(graph, {"body": count, "head": count})
    inputs = {"in0": np.random.default_rng(seed).integers(-128, 128, (2, 5, 4, 6)).astype(np.int8)}
    expected, found = interpret.run(graph, inputs), interpret.run(cut, inputs)
    assert list(expected) == list(found)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    ("channels", "count", "sizes"),
    [(16, 2, [8, 8]), (17, 2, [8, 9]), (30, 4, [8, 8, 8, 6]), (6, 9, [4, 2]), (4, 3, [4])],
)
def test_parts_are_whole_groups_of_four(channels: int, count: int, sizes: list[int]) -> None:
    cut = in_chunks(_net(channels), {"body": count})
    parts = [n for n in cut.nodes if n.name.startswith("body") and n.op == "Conv2d"]
    assert [cut.values[n.output].shape[-1] for n in parts] == sizes
    assert [len(cut.constants[n.inputs[1]]) for n in parts] == sizes


def test_the_layer_keeps_its_name_and_output() -> None:
    graph = _net(16)
    cut = in_chunks(graph, {"head": 2})
    assert cut.outputs == graph.outputs
    assert [n.op for n in cut.nodes if n.name == "head"] == ["Concat"]
    whole = graph.nodes[-1].inputs[1]
    assert whole not in cut.constants


def test_layers_that_do_not_divide_stay() -> None:
    net = Net("depthwise")
    graph = net.graph(net.depthwise(net.input(1, 4, 4, 8), name="deep"))
    assert [n.op for n in in_chunks(graph, {"deep": 2}).nodes] == ["DepthwiseConv2d"]
