"""The picture of a front: stairs through the plans, a tip each, round numbers at the axes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from deployer.drawing.front import draw_front, front_svg
from deployer.errors import UsageError
from unit.drawing.drawn import SVG, parsed, size, texts

PLANS = ((50_000, 6e6), (30_000, 8e6), (16_000, 9.5e6), (14_000, 30e6))  # bytes, cycles


def facts(*plans: tuple[int, float]) -> dict[str, Any]:
    rows = [
        {"arena": arena, "cycles": cycles, "balanced": arena == 16_000} for arena, cycles in plans
    ]
    return {"front": rows, "model": {"name": "net"}, "board": "nucleo-f767zi"}


def circles(root: ET.Element) -> list[tuple[float, float]]:
    return [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in root.iter(f"{SVG}circle")]


def corners(root: ET.Element) -> list[tuple[float, float]]:
    """Where the curve begins and turns."""
    path = next(p.get("d", "") for p in root.iter(f"{SVG}path") if p.get("class") == "curve")
    found, (x, y) = [], (0.0, 0.0)
    for letter, one, other in re.findall(r"([MVH])([\d.]+)(?: ([\d.]+))?", path):
        x = float(one) if letter in "MH" else x
        y = float(other) if letter == "M" else float(one) if letter == "V" else y
        found.append((x, y))
    return found


def test_a_smaller_arena_is_further_left_and_a_slower_plan_higher() -> None:
    places = circles(parsed(front_svg(facts(*PLANS))))
    assert len(places) == len(PLANS)
    assert all(a[0] > b[0] and a[1] > b[1] for a, b in pairwise(places))


def test_the_curve_rises_where_a_plan_no_longer_fits_and_meets_every_plan() -> None:
    """With fewer bytes than a plan's the next smaller one is the fastest there is."""
    root = parsed(front_svg(facts(*PLANS)))
    places, turns = circles(root), corners(root)
    assert turns[::2] == places
    assert turns[1::2] == [(a[0], b[1]) for a, b in pairwise(places)]


def test_a_plan_has_its_figures_in_a_tip_and_the_balanced_one_stands_out() -> None:
    root = parsed(front_svg(facts(*PLANS)))
    tips = {c.findtext(f"{SVG}title"): c.get("class") for c in root.iter(f"{SVG}circle")}
    assert tips == {
        "50,000 B, 6.00 M cycles": "dot",
        "30,000 B, 8.00 M cycles": "dot",
        "16,000 B, 9.50 M cycles": "best",
        "14,000 B, 30.00 M cycles": "dot",
    }


def test_the_axes_have_round_numbers_inside_the_picture() -> None:
    root = parsed(front_svg(facts(*PLANS)))
    said, (width, height) = texts(root), size(root)
    assert {"10 M", "20 M", "0", "16,384", "32,768"} <= set(said)
    assert "net on nucleo-f767zi: arena against estimated cycles" in said
    assert all(0 <= x <= width and 0 <= y <= height for x, y in corners(root))


def test_a_single_plan_is_a_point() -> None:
    root = parsed(front_svg(facts(PLANS[0])))
    assert corners(root) == circles(root)


def test_no_plan_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "front.svg"
    with pytest.raises(UsageError, match="nothing to plot"):
        draw_front(path, facts())
    assert not path.exists()
    draw_front(path, facts(*PLANS))
    assert path.read_text().startswith("<svg")
