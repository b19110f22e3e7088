"""The picture of memory before and after says what the text says, and nothing overlaps."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations

from deployer.drawing.memory import memory_svg
from deployer.drawing.svg import markup, text_width
from unit.drawing.drawn import SVG, Rect, parsed, rects, size, texts
from unit.drawing.test_memory_text import profile


def drawn(room: int = 400, after: list[int] | None = None) -> ET.Element:
    return parsed(memory_svg(profile([100, 900, 400, 401, 100], after, room), "gap8"))


def areas(root: ET.Element) -> list[str]:
    kinds = [item.get("class", "") for item in root.iter(f"{SVG}path")]
    return [kind for kind in kinds if kind in ("before", "after")]


def test_both_curves_their_peaks_and_the_room_are_drawn() -> None:
    root = drawn(after=[100, 300, 200, 250, 100])
    assert areas(root) == ["before", "after"]
    said = "\n".join(texts(root))
    assert "plain: peak 900 B at step 1, block/1/conv, 500 too many: t0 90, t1 80" in said
    assert "as it runs: peak 300 B at step 1, block/1/conv: t0 30" in said
    assert "room for the arena 400 B (sram 400)" in said
    assert "room 400 B" in said
    assert "gap8" in (root.findtext(f"{SVG}title") or "")
    tips = [item.text for item in root.iter(f"{SVG}title")]
    assert "step 3, block/3/conv: plain 401 B, as it runs 250 B" in tips


def test_one_curve_when_nothing_was_planned_and_no_line_when_no_room_is_known() -> None:
    root = drawn(room=0)
    assert areas(root) == ["before"]
    assert not rects(root, "over")
    assert "room" not in "\n".join(texts(root))


def test_only_what_exceeds_the_room_is_red() -> None:
    wide = drawn()
    over = rects(wide, "over")
    assert len(over) == 2
    line = next(item for item in wide.iter(f"{SVG}line") if item.get("class") == "limit")
    base = float(line.get("y1", 0))
    assert all(abs(box.y + box.height - base) < 0.02 for box in over)
    assert over[0].height > 400 * over[1].height


def box_of(item: ET.Element) -> Rect:
    """The room a text takes, from its estimated width."""
    css = (item.get("class") or "").split()
    high = 17.0 if "head" in css else 10.5 if "small" in css else 12.0
    wide, x = text_width(item.text or "", high), float(item.get("x", 0))
    left = x - wide if "end" in css else x - wide / 2 if "mid" in css else x
    return Rect(item.text or "", left, float(item.get("y", 0)) - high * 0.8, wide, high)


def test_no_text_lies_on_another_or_outside() -> None:
    for room in (0, 400, 950):
        root = drawn(room, [100, 300, 200, 250, 100])
        upright = [item for item in root.iter(f"{SVG}text") if not item.get("transform")]
        boxes = [box_of(item) for item in upright]
        assert all(box.inside(*size(root)) for box in boxes)
        clashes = [(a.name, b.name) for a, b in combinations(boxes, 2) if a.meets(b)]
        assert not clashes


def test_the_same_profile_gives_the_same_bytes() -> None:
    one, two = (memory_svg(profile([5, 9], [4, 3], 8)) for _ in range(2))
    assert markup(one) == markup(two)
