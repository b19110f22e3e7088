"""The plot of a sweep over three networks, three tilers, two outer memories and two runners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deployer.drawing.svg import markup
from deployer.drawing.sweep import sweep_svg
from deployer.tools.bench.tiles import TilesRow
from deployer.tools.bench.tiles_facts import tiles_table_facts
from planned import pinned
from unit.tools.bench.tiled_rows import KIB, board, row, run

FOLDER = Path(__file__).parent / "pinned"


def rows(networks: int) -> list[TilesRow]:
    found = []
    for n in range(networks):
        for i, inner in enumerate((64, 8, 16, 17, 20)):
            for j, tiler in enumerate(("cost", "dory", "size")):
                cycles = 100 * (n + 1) * (9 - i) + 50 * j
                more = (run(cycles + 30, 40, 0, runner="gvsoc"),) if tiler == "cost" else ()
                made = row(cycles, 40, 0, tiler=tiler, inner=inner, more=more)
                outer = (256 if tiler == "dory" and n else 512) * KIB
                found.append(replace(made, network=f"net {n}", outer=outer))
    return found


@pytest.mark.parametrize("networks", [1, 3])
def test_the_plot_is_the_one_pinned(networks: int) -> None:
    text = markup(sweep_svg(tiles_table_facts(board(), rows(networks))))
    pinned(FOLDER / f"sweep-{networks}.svg", text.replace("><", ">\n<"))


def test_one_size_lies_in_the_middle() -> None:
    text = markup(sweep_svg(tiles_table_facts(board(), [row(60_000, 40, 0)])))
    pinned(FOLDER / "sweep-point.svg", text.replace("><", ">\n<"))
