"""Bytes moved per buffer, against counts by hand, and in every kind of region."""

from __future__ import annotations

import pytest

from branching import branching
from deployer.analysis.liveness import lifetimes
from deployer.analysis.traffic import buffer_traffic
from deployer.ir.graph import Graph
from deployer.restructure.auto import RestructureOptions, restructure
from deployer.restructure.tables import as_int8
from unit.ir.nets import Net


def test_counts_by_hand() -> None:
    net = Net("hand")
    x = net.input(1, 8, 8, 4, name="image")
    stem = net.conv(x, 8, 3, name="stem")  # 8x8 pixels, 36 products each for 8 channels
    deep = net.depthwise(stem, name="deep")  # 512 outputs, nine products each
    both = net.add(stem, deep, name="both")
    small = net.pool(both, "MaxPool", (2, 2), name="small")
    head = net.dense(net.reshape(small), 10, name="head")
    assert buffer_traffic(net.graph(head), {"stem": 64}) == {
        "image": 256 + 64 * 36 * 8 // 4,
        "stem.scratch": 128,
        "stem_out": 512 + 512 * 9 + 512,
        "deep_out": 512 + 512,
        "both_out": 512 + 128 * 4,
        "small_out": 128 + 128 * 10 // 4,  # the Reshape's output is the same buffer
        "head_out": 10,
    }


def plans() -> dict[str, Graph]:
    plain = as_int8(branching())
    asked = {
        "plain": RestructureOptions(mode="off"),
        "patches": RestructureOptions(mode="alg3"),
        "rows": RestructureOptions(optimize="ram"),
        "rows of the input": RestructureOptions(optimize="ram", stream_input=True),
    }
    return {name: restructure(plain, options).graph for name, options in asked.items()}


@pytest.mark.parametrize("name", plans())
def test_every_buffer_of_a_restructured_network_has_its_share(name: str) -> None:
    graph = plans()[name]
    moved = buffer_traffic(graph)
    assert set(moved) == {buffer.id for buffer in lifetimes(graph)}
    assert sum(moved.values()) == sum(buffer_traffic(plans()["plain"]).values())
    assert min(moved.values()) > 0
