"""What a region is called, and that its tables take the bytes that are counted."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.analysis.layout import layout_of
from deployer.codegen.region_facts import region_note, region_title, table_bytes
from deployer.ir.graph import Graph
from deployer.ir.region import Region
from unit.codegen.generated_c import INCLUDES, planned
from unit.codegen.test_channels_c import head, residual
from unit.codegen.test_regions_c import inverted_residual

TWO = ("a", "b")


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"nodes": TWO, "mode": "stream"}, "stream of 2 layers"),
        ({"nodes": ("a",), "mode": "stream"}, "stream of 1 layer"),
        ({"nodes": TWO, "mode": "stream", "columns": (0, 9)}, "stream of 2 layers"),
        ({"nodes": TWO, "mode": "stream", "columns": (0, 4, 9)}, "stream in 2 strips of 2 layers"),
        ({"nodes": TWO, "mode": "patch"}, "1x1 patches of 2 layers"),
        (
            {"nodes": TWO, "mode": "patch", "rows": (0, 1, 2, 3), "columns": (0, 4, 9)},
            "3x2 patches of 2 layers",
        ),
        (
            {"nodes": TWO, "mode": "channels", "channels": (0, 4, 8, 12)},
            "3 channel groups of 2 layers",
        ),
    ],
)
def test_a_title_says_how_many_pieces_of_what(options: dict[str, Any], title: str) -> None:
    assert region_title(Region(**options, grid="y")) == title
    assert region_note(Region(**options, grid="y")) == title


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"chunk": 2}, ", 2 rows at a time"),
        ({"reverse": True}, ", from the last row to the first"),
        ({"over": ("x", "y")}, ", y over x"),
        (
            {"chunk": 3, "reverse": True, "over": ("x", "y")},
            ", 3 rows at a time, from the last row to the first, y over x",
        ),
    ],
)
def test_a_note_says_what_is_special(options: dict[str, Any], more: str) -> None:
    assert region_note(Region(TWO, "stream", "y", **options)) == f"stream of 2 layers{more}"


CASES = {
    "stream": lambda: inverted_residual(mode="stream", columns=(0, 2, 4), chunk=2)[0],
    "patches": lambda: inverted_residual(mode="patch", rows=(0, 1, 4), columns=(0, 3, 4))[0],
    "rows": lambda: inverted_residual(mode="stream", fetch=("in0",))[0],
    "channels": lambda: residual((0, 4, 8, 12))[0],
    "sums": lambda: head((0, 4, 16))[0],
}
TABLES = re.compile(r"_(reads|nodes|outputs|rows|columns|points|region)$")


@pytest.mark.parametrize("name", CASES)
def test_tables_take_the_bytes_that_are_counted(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """On a core with 32-bit pointers; tables alone, without the code that reads them."""
    graph: Graph = CASES[name]()
    _, _, files = planned(graph)
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    to = tmp_path / "network.o"
    command = [tool("arm-none-eabi-gcc"), "-std=c11", "-O0", *INCLUDES, f"-I{tmp_path}"]
    subprocess.run([*command, "-c", tmp_path / "network.c", "-o", to], check=True)
    listed = subprocess.run(
        [tool("arm-none-eabi-nm"), "-S", to], check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split() for line in listed.splitlines() if len(line.split()) == 4]
    sizes = [int(row[1], 16) for row in rows if row[2] in "rRdD" and TABLES.search(row[3])]
    assert table_bytes(layout_of(graph, graph.regions[0])) == sum(sizes) > 0


def test_bytes_of_tables_by_hand() -> None:
    """Reads of 24 bytes, nodes of 20, numbers of 2, and 28; in groups of channels a pointer a
    node, numbers of 2, and 16."""
    graph = CASES["patches"]()
    reads, nodes, numbers = 11, 9, 3 + 3 + 1
    expected = 24 * reads + 20 * nodes + 2 * numbers + 28
    assert table_bytes(layout_of(graph, graph.regions[0])) == expected
    graph = CASES["channels"]()
    assert table_bytes(layout_of(graph, graph.regions[0])) == 4 * 4 + 2 * 4 + 16
