"""Memory over time as text, of curves of every kind, in two widths and both alphabets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deployer.drawing.memory import memory_svg
from deployer.drawing.svg import markup
from deployer.drawing.text_over_time import memory_text
from planned import pinned
from unit.drawing.test_memory_text import profile

FOLDER = Path(__file__).parent / "pinned"
RISING = [1000 * i for i in range(1, 8)]
PROFILES = {
    "plain": profile(RISING),
    "two curves": profile(RISING, RISING[::-1], 6000),
    "too much": profile([9000, 100, 12_345, 1, 0], [8999, 100, 200, 1, 0], 5000),
    "room just seen": profile([800, 1000, 10], None, 1500),
    "room too large to be seen": profile([800, 1000, 10], None, 1501),
    "hardly any room": profile([80_000, 100_000], None, 1),
    "one step": profile([5], None, 7),
    "nothing": profile([0], [0]),
    "many": profile([(i * 37) % 101 * 500 for i in range(150)], None, 40_000),
    "in pieces": replace(profile(RISING * 3, RISING * 3, 9000), spans=((1, 3), (7, 7), (19, 20))),
    "a long name": replace(
        profile([10, 20]), layers=("a/very/long/name/of/a/layer/of/a/network", "b")
    ),
    "no layers": replace(profile([10]), layers=()),
}


@pytest.mark.parametrize("unicode", [True, False])
def test_the_text_is_the_one_pinned(unicode: bool) -> None:
    lines = []
    for title, found in PROFILES.items():
        for width in (40, 78):
            lines += [f"## {title}, {width}", *memory_text(found, width=width, unicode=unicode)]
    name = "memory-text.txt" if unicode else "memory-text-ascii.txt"
    pinned(FOLDER / name, "\n".join(lines))


@pytest.mark.parametrize(
    "title", ["too much", "room just seen", "room too large to be seen", "in pieces", "nothing"]
)
def test_the_picture_of_the_same_is_the_one_pinned(title: str) -> None:
    text = markup(memory_svg(PROFILES[title], "board" if title == "too much" else ""))
    _, _, drawn = text.partition("</style>")
    pinned(FOLDER / "memory" / f"{title.replace(' ', '-')}.svg", drawn)
