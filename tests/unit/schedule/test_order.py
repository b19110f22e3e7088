"""Steps in a valid order, with kernels and scratch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
from hypothesis import given

from deployer.errors import UsageError
from deployer.ir.graph import Graph, Node
from deployer.ir.plan import Step
from deployer.ir.verify import InvariantError
from deployer.schedule.order import schedule
from unit.ir.nets import Net, resnet8
from unit.ir.strategies import STEADY, graphs


def im2col(families: Sequence[str], graph: Graph, node: Node) -> tuple[str, int]:
    return f"{families[0]}_{node.op}", 1000 if node.op == "Conv2d" else 0


def test_steps_follow_the_graph_and_skip_aliases() -> None:
    found = schedule(resnet8(), ["ref"])
    assert [step.index for step in found.steps] == list(range(15))
    assert [step.node for step in found.steps][11:] == [
        "add11",
        "pool12",
        "fullyconnected14",
        "softmax15",
    ]
    assert found.steps[0].kernel == "dpl_conv2d_s8__ref"


def test_the_peak_counts_scratch_where_it_is_needed() -> None:
    net = Net("scratch")
    a = net.conv(net.input(1, 2, 2, 4), 8)
    graph = net.graph(net.pool(a))
    found = schedule(graph, ["fast"], choose=im2col)
    assert found.steps == (
        Step(0, "conv2d0", "fast_Conv2d", 1000),
        Step(1, "pool1", "fast_AveragePool", 0),
    )
    assert found.peak == 16 + 32 + 1000


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(UsageError, match="family"):
        schedule(resnet8(), ["no_such_family"])


def test_an_order_that_reads_too_early_is_our_bug() -> None:
    graph = resnet8()
    swapped = (graph.nodes[1], graph.nodes[0], *graph.nodes[2:])
    with pytest.raises(InvariantError, match="conv2d1 runs before conv2d0_out"):
        schedule(dataclasses.replace(graph, nodes=swapped), ["ref"])


@STEADY
@given(graphs())
def test_any_graph_is_scheduled_the_same_way_twice(graph: Graph) -> None:
    first, second = schedule(graph, ["ref"]), schedule(graph, ["ref"])
    assert (first.steps, first.peak) == (second.steps, second.peak)
    largest = max(graph.values[name].bytes for name in graph.inputs)
    assert first.peak >= largest
