"""Pictures of seeded networks, tag by tag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.drawing.page import page
from deployer.drawing.picture import svg_text
from deployer.drawing.scene import Scene
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


def near(found: Scene) -> Scene:
    """On a board whose memories end a little above the arena, or below its end."""
    assert found.plan is not None
    assert found.board is not None
    sizes = {
        name: height * 21 // 20 - 40 * i for i, (name, height) in enumerate(found.plan.heights)
    }
    memories = (replace(m, size=sizes.get(m.name, m.size)) for m in found.board.memories)
    return replace(found, board=replace(found.board, memories=tuple(memories)))


def alone(found: Scene) -> Scene:
    return replace(found, graph=None, schedule=None, board=None, profile=None)


def plain(found: Scene) -> Scene:
    assert found.graph is not None
    return Scene(found.graph, found.graph, None, None, None)


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("near", near, "arena"),
        ("alone", alone, "arena"),
        ("plain", plain, "network"),
    ],
)
def test_less_that_is_known_is_drawn_as_pinned(
    name: str, change: Callable[[Scene], Scene], what: str
) -> None:
    text = svg_text(change(scene("residual")), what).replace("><", ">\n<")
    pinned(FOLDER / f"residual-{name}-{what}.svg", text)


@pytest.mark.parametrize(("name", "change"), [("alone", alone), ("plain", plain)])
def test_a_page_of_less_that_is_known_has_the_sections_pinned(
    name: str, change: Callable[[Scene], Scene]
) -> None:
    rows = page(change(scene("residual"))).replace("</tr>", "</tr>\n").splitlines()
    shown = [row for row in rows if "<svg" not in row and ("<h" in row or "<p" in row)]
    pinned(FOLDER / f"residual-{name}-sections.txt", "\n".join(shown))
