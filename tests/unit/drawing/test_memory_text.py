"""Memory over time as text: what it says, and that it fits the terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.analysis.peak import Peak
from deployer.analysis.profile import Curve, Profile
from deployer.drawing.text_over_time import ASCII, UNICODE, memory_text
from deployer.ir.plan import Buffer
from unit.ir.strategies import STEADY

BYTES = st.integers(0, 3_000_000)
EACH = pytest.mark.parametrize("unicode", [True, False])


def curve(title: str, alive: list[int], *sizes: int) -> Curve:
    """With tensors t0, t1, … of ``sizes`` at the peak."""
    step = alive.index(max(alive))
    buffers = tuple(Buffer(f"t{i}", step, step + 1, size) for i, size in enumerate(sizes))
    return Curve(title, tuple(alive), step, Peak(max(alive), step, buffers))


def profile(before: list[int], after: list[int] | None = None, room: int = 0) -> Profile:
    names = tuple(f"block/{i}/conv" for i in range(len(before)))
    other = curve("as it runs", after, 30) if after else None
    first = curve("plain", before, *range(90, 10, -10))
    return Profile("net", names, first, other, (), room, f"sram {room:,}" if room else "")


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    before = draw(st.lists(BYTES, min_size=1, max_size=300))
    after = draw(st.none() | st.lists(BYTES, min_size=len(before), max_size=len(before)))
    return profile(before, after, draw(st.sampled_from([0, 1, 64_000, 1_500_000, 10**8])))


def columns(lines: list[str], title: str) -> list[str]:
    """The plot below the title, column by column from its top."""
    at = next(i for i, line in enumerate(lines) if line.startswith(f"{title}: "))
    rows: list[str] = []
    for line in lines[at + 1 :]:
        if line[12:13] in ("└", "+"):
            wide = len(line) - 13
            return ["".join(row.ljust(wide)[i] for row in rows) for i in range(wide)]
        if line[12:13] in ("│", "|"):
            rows.append(line[13:])
    raise AssertionError("no axis")


def fullness(column: str) -> float:
    """How much of a column is filled; the line of the room is no part of it."""
    known = {
        glyph: i / (len(g.fill) - 1) for g in (UNICODE, ASCII) for i, glyph in enumerate(g.fill)
    }
    over = {UNICODE.over: 1.0, ASCII.over: 1.0, UNICODE.room: 0.0, ASCII.room: 0.0}
    return sum({**known, **over}[cell] for cell in column)


@EACH
@STEADY
@given(found=profiles(), width=st.sampled_from([40, 80, 120]))
def test_every_line_fits_and_more_bytes_are_never_drawn_lower(
    unicode: bool, found: Profile, width: int
) -> None:
    lines = memory_text(found, width=width, unicode=unicode)
    assert max(map(len, lines)) <= width
    assert unicode or "".join(lines).isascii()
    assert len(lines) < 60
    for shown in found.curves:
        drawn = [fullness(column) for column in columns(lines, shown.title)]
        if len(drawn) % len(shown.alive):
            continue  # several steps a column
        heights = drawn[:: len(drawn) // len(shown.alive)]
        pairs = sorted(zip(shown.alive, heights, strict=True))
        assert [high for _, high in pairs] == sorted(heights)


@EACH
def test_peaks_are_named_with_what_is_alive(unicode: bool) -> None:
    text = memory_text(profile([10, 450, 60], [10, 30, 20]), width=80, unicode=unicode)
    assert "plain: peak 450 B at step 1, block/1/conv" in text
    assert "as it runs: peak 30 B at step 1, block/1/conv" in text
    tensors = [f"t{i} {size}" for i, size in enumerate(range(90, 30, -10))]
    assert any(all(tensor in line for tensor in tensors) for line in text)
    assert any("2 more 50" in line for line in text)
    assert not any("room" in line for line in text)


def test_what_exceeds_the_room_is_marked_where_it_does() -> None:
    before = [100, 900, 400, 401, 100]
    text = memory_text(profile(before, [100, 400, 400, 400, 100], 400), width=80)
    assert "  500 B more than there is room for" in text
    assert text[-1] == "room for the arena: 400 B (sram 400)"
    plain, other = (columns(text, title) for title in ("plain", "as it runs"))
    marked = [UNICODE.over in column for column in plain[::4]]
    assert marked == [size > 400 for size in before]
    assert not any(UNICODE.over in column for column in other)
    assert sum(UNICODE.room in "".join(plot) for plot in (plain, other)) == 2


def test_room_far_away_is_said_but_not_drawn() -> None:
    text = memory_text(profile([100, 90], None, 10_000), width=80)
    assert text[-1] == "room for the arena: 10,000 B (sram 10,000)"
    assert not any(UNICODE.room in line for line in text)


def test_many_steps_share_columns_and_the_peak_still_shows() -> None:
    before = [1] * 1000
    before[777] = 800
    text = memory_text(profile(before), width=80)
    assert text[0].startswith("memory over time: 1000 steps, 16 a column")
    heights = [fullness(column) for column in columns(text, "plain")]
    assert heights.index(max(heights)) == 777 // 16
    floor = next(line for line in text if line[12:13] == "└")
    assert floor.index(UNICODE.peak) == 13 + 777 // 16


def test_steps_are_numbered_below_their_columns() -> None:
    text = memory_text(profile(list(range(1, 34))), width=80)
    numbers = list(re.finditer(r"\d+", text[-1]))
    assert len(numbers) > 5
    assert all(match.start() == 13 + 2 * int(match[0]) for match in numbers)


def test_regions_are_bracketed_and_said_at_their_peak() -> None:
    base = profile([10, 450, 60, 5], [10, 30, 20, 20])
    found = Profile("net", base.layers, base.before, base.after, ((1, 2), (3, 3)))
    text = memory_text(found, width=80)
    assert next(line for line in text if "in pieces " in line)[13:] == "    [======][==]"
    assert any(line.endswith("block/1/conv (in pieces)") for line in text)


def test_a_network_without_steps_is_drawn_too() -> None:
    empty = Curve("plain", (), 0, Peak(0, 0, ()))
    assert memory_text(Profile("net", (), empty, None), width=80)


def test_no_room_at_all_is_said() -> None:
    """Weights may take all of a memory."""
    base = profile([10, 450, 60])
    text = memory_text(replace(base, memories="l2 0"), width=80)
    assert "  450 B more than there is room for" in text
    assert text[-1] == "room for the arena: 0 B (l2 0)"
