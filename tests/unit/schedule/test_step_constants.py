"""Which of a step's constants the image has: those that its kernel reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deployer.ir import Graph, Node
from deployer.kernelset import WeightLayout
from deployer.schedule import step_arrays, unread_constants
from unit.ir.nets import Net

TABLES = {"multiplier", "rounding", "shift"}


def dense(channels: int, rule: str, **bounds: int) -> tuple[Graph, Node]:
    """Channels that differ in their multipliers only, as the rule ``q32`` has them."""
    net = Net("dense")
    graph = net.graph(net.dense(net.input(1, 16), channels, name="fc"))
    names = {"fc_multiplier": np.arange(channels) + 1 << 20, "fc_rounding": np.full(channels, -7)}
    changed = {name: array.astype(np.int32) for name, array in names.items()}
    node = graph.nodes[0]
    node = replace(node, requant=replace(node.rq, rule=rule, **bounds))
    return replace(graph, nodes=(node,), constants={**graph.constants, **changed}), node


def kinds(channels: int, rule: str, layout: WeightLayout, **bounds: int) -> set[str]:
    """What the image has beside the weights."""
    graph, node = dense(channels, rule, **bounds)
    names = [name for name, _ in step_arrays(graph, node, layout)]
    unread = unread_constants(graph, node, layout)
    assert not unread & {*names}
    assert unread | {*names[1:]} == {*node.inputs[2:], *(f"fc_{table}" for table in TABLES)}
    return {name.removeprefix("fc_") for name in names[1:]}


def test_the_high_word_rule_has_one_zero_point_and_no_shift() -> None:
    graph, node = dense(8, "q32")
    arrays = dict(step_arrays(graph, node))
    assert "fc_shift" not in arrays
    assert arrays["fc_rounding"].tolist() == [-7]
    assert arrays["fc_multiplier"].size == 8


def test_other_rules_keep_an_entry_of_each_channel() -> None:
    graph, node = dense(8, "i32")
    arrays = dict(step_arrays(graph, node))
    assert [arrays[f"fc_{table}"].size for table in sorted(TABLES)] == [8, 8, 8]


@pytest.mark.parametrize("channels", [8, 640])
def test_whole_blocks_of_dense_layers_hold_bias_and_multipliers(channels: int) -> None:
    assert kinds(channels, "q32", WeightLayout.X8C4) == {"rounding"}


@pytest.mark.parametrize("channels", [4, 10, 13])
def test_dense_channels_beside_whole_blocks_read_the_multipliers(channels: int) -> None:
    assert kinds(channels, "q32", WeightLayout.X8C4) == {"rounding", "multiplier"}


def test_outputs_within_a_clamp_read_the_multipliers() -> None:
    assert kinds(8, "q32", WeightLayout.X8C4, high=90) == {"rounding", "multiplier"}
    assert kinds(8, "q32", WeightLayout.X8C4, low=-100) == {"rounding", "multiplier"}


def test_layouts_of_weights_alone_leave_the_bias() -> None:
    assert kinds(8, "q32", WeightLayout.IR) == {"b", "rounding", "multiplier"}


def test_rules_with_shifts_read_every_table_but_the_bias() -> None:
    assert kinds(8, "i32", WeightLayout.X8C4) == TABLES
