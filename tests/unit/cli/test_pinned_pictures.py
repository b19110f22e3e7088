"""Pictures of seeded networks, tag by tag."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.cli.picture import svg_text
from deployer.cli.picture_page import page
from deployer.cli.scene import Scene
from planned import pinned, planned, surveyed

FOLDER = Path(__file__).parent / "pinned"


def scene(name: str) -> Scene:
    found = planned(name)
    return Scene(
        found.plan,
        found.schedule.graph,
        found.schedule,
        found.plan,
        found.job.board,
        surveyed(name).profile,
    )


@pytest.mark.parametrize("what", ["network", "memory", "arena"])
@pytest.mark.parametrize("name", ["residual", "patches", "fetched"])
def test_a_picture_is_the_one_pinned(name: str, what: str) -> None:
    pinned(FOLDER / f"{name}-{what}.svg", svg_text(scene(name), what).replace("><", ">\n<"))


@pytest.mark.parametrize("name", ["residual", "patches"])
def test_the_tables_of_a_page_are_those_pinned(name: str) -> None:
    text = page(scene(name))
    rows = text.replace("</tr>", "</tr>\n").splitlines()
    pinned(FOLDER / f"{name}.html", "\n".join(row for row in rows if "<svg" not in row))
