"""Regions in the graph: every rule broken once, stored, shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.ir import serde
from deployer.ir.graph import Graph
from deployer.ir.region import Region
from deployer.ir.show import graph_text
from deployer.ir.verify import InvariantError, verify
from unit.ir.nets import Net

TRUNK = Region(("a", "b", "c"), "patch", "c_out", rows=(0, 3, 8), columns=(0, 4, 8))


def chain(*regions: Region) -> Graph:
    net = Net("chain")
    a = net.conv(net.input(1, 8, 8, 3, name="image"), 4, 3, name="a")
    c = net.conv(net.conv(a, 4, 3, name="b"), 4, 3, name="c")
    d = net.add(c, a, name="d")
    last = net.dense(net.reshape(net.pool(d, name="mean"), name="flat"), 10, name="classes")
    return replace(net.graph(last), regions=regions)


def test_a_region_that_follows_the_rules_passes() -> None:
    graph = chain(TRUNK)
    assert verify(graph) is graph


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a gap": ({"nodes": ("a", "c")}, "not consecutive"),
    "no nodes": ({"nodes": ()}, "not consecutive"),
    "another order": ({"nodes": ("b", "a", "c")}, "not consecutive"),
    "not spatial": ({"nodes": ("mean", "flat"), "grid": "flat_out"}, "flat is not spatial"),
    "interior grid": ({"grid": "b_out"}, "b_out is no output"),
    "unknown mode": ({"mode": "spiral"}, "unknown mode 'spiral'"),
    "rows not covered": ({"rows": (0, 3, 7)}, r"rows \(0, 3, 7\) do not cover 0 to 8"),
    "columns twice": ({"columns": (0, 4, 4, 8)}, "columns"),
    "stream with rows": ({"mode": "stream"}, "not split points"),
    "nothing at a time": ({"mode": "stream", "rows": (), "chunk": 0}, "positive number of rows"),
    "overlap of strangers": ({"over": ("image", "b_out")}, "not an input and an output"),
    "overlap, input read twice": (
        {"over": ("image", "c_out"), "columns": (0, 2, 4, 8)},
        "read once for each",
    ),
    "overlap, input needed behind": (
        {"nodes": ("b", "c"), "over": ("a_out", "c_out")},
        "a_out is needed behind",
    ),
    "fetch of an interior value": ({"fetch": ("a_out",)}, "a_out cannot be fetched"),
    "fetch for patches": ({"fetch": ("image",)}, "fetched by whole rows"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_each_broken_rule_is_named(case: str) -> None:
    fields, message = BROKEN[case]
    with pytest.raises(InvariantError, match=message):
        verify(chain(replace(TRUNK, **fields)))


def test_regions_do_not_overlap() -> None:
    with pytest.raises(InvariantError, match="overlaps the region before it"):
        verify(chain(TRUNK, Region(("c", "d"), "stream", "d_out")))


def test_regions_are_stored(tmp_path: Path) -> None:
    serde.save(chain(TRUNK), tmp_path / "graph.json")
    assert serde.load(tmp_path / "graph.json").regions == (TRUNK,)


def test_regions_are_shown() -> None:
    stream = Region(("a", "b"), "stream", "b_out", reverse=True, over=("image", "b_out"))
    assert "0       a           c          2x2 patches" in graph_text(chain(TRUNK))
    assert "row by row, upwards  b_out over image" in graph_text(chain(stream))
