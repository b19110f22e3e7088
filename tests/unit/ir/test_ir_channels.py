"""Regions of groups of channels: what each layer does there, and every rule broken once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deployer.ir.channels import ALIAS, KEEP, MAKE, SUM, channel_faults, grouped, role, unit
from deployer.ir.graph import Graph
from deployer.ir.region import CHANNELS, Region
from deployer.ir.scope import scope_of
from unit.ir.nets import Net

BLOCK = Region(("wide", "deep", "narrow"), CHANNELS, "narrow_out", channels=(0, 8, 16))


def bottleneck() -> Graph:
    """From 4 to 16 channels, each for itself, and back; a head behind it."""
    net = Net("bottleneck")
    wide = net.conv(net.input(1, 6, 6, 4, name="image"), 16, name="wide")
    deep = net.depthwise(wide, name="deep")
    narrow = net.conv(deep, 6, name="narrow")
    flat = net.reshape(net.pool(narrow, name="mean"), name="flat")
    return net.graph(net.dense(flat, 10, name="classes"))


def faults(**changes: Any) -> list[str]:
    graph = bottleneck()
    return list(channel_faults(scope_of(graph, replace(BLOCK, **changes))))


def test_layers_make_keep_and_sum_channels() -> None:
    scope = scope_of(bottleneck(), BLOCK)
    assert [role(scope, node) for node in scope.nodes] == [MAKE, KEEP, SUM]
    assert grouped(scope) == ("wide_out", "deep_out")
    assert unit(scope) == 16
    assert faults() == []


def test_a_reshape_behind_a_pool_renames_what_is_there_in_groups() -> None:
    tail = replace(BLOCK, nodes=("narrow", "mean", "flat", "classes"), grid="classes_out")
    scope = scope_of(bottleneck(), replace(tail, channels=(0, 3, 6)))
    assert [role(scope, node) for node in scope.nodes] == [MAKE, KEEP, ALIAS, SUM]
    assert list(channel_faults(scope)) == []


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "rows": ({"rows": (0, 3, 6)}, "have whole rows and columns"),
    "columns": ({"columns": (0, 3, 6)}, "have whole rows and columns"),
    "overlap": ({"over": ("image", "narrow_out")}, "overlap nothing"),
    "rows that are fetched": ({"fetch": ("image",)}, "overlap nothing"),
    "from below": ({"reverse": True}, "overlap nothing"),
    "one group": ({"channels": (0, 16)}, r"groups (0, 16) do not cover 0 to 16 once"),
    "too few": ({"channels": (0, 8, 12)}, "do not cover 0 to 16 once"),
    "begun late": ({"channels": (4, 8, 16)}, "do not cover 0 to 16 once"),
    "an empty one": ({"channels": (0, 8, 8, 16)}, "do not cover 0 to 16 once"),
    "interior grid": ({"grid": "deep_out"}, "the grid deep_out is not what its last node writes"),
    "sums amid": (
        {"nodes": ("wide", "deep", "narrow", "mean"), "grid": "mean_out"},
        "sums over the channels end it",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_rule_is_named(case: str) -> None:
    changes, said = BROKEN[case]
    found = faults(**changes)
    assert any(said in fault for fault in found), found
