"""Memory over time before and after planning as SVG: two areas over the steps of the network."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from deployer.analysis import Curve, Profile
from deployer.drawing.axis import (
    BOTTOM_PX,
    LEFT_PX,
    MIN_WIDTH_PX,
    RIGHT_PX,
    Panel,
    bytes_axis,
    step_axis,
    step_width,
)
from deployer.drawing.svg import drawing, line, number, tag, text_width, write
from deployer.drawing.text_over_time import alive_names, peak_text
from deployer.drawing.theme import stylesheet
from deployer.units import format_bytes

_TOP_PX, _TALL_PX, _ROW_PX = 62, 400, 19  # first line of the heading; the plot; distance of lines
_SCALE_PEAKS = 1.5  # times the peak: room drawn to scale
_MARK_PX = 24  # above the plot, where peaks are marked
_PIECE_PX = 5  # pixels: the bar of a region, below the plot
_KINDS = ("before", "after")


def memory_svg(profile: Profile, board: str = "") -> ET.Element:
    """The picture of ``profile``; what exceeds the room is red."""
    where, texts = f" on {board}" if board else "", list(_texts(profile))
    panel = _panel(profile, _TOP_PX + _ROW_PX * len(texts) + _MARK_PX)
    body = [write(24, 34, f"{profile.network}{where}: memory before and after", "head")]
    body += [*_heading(texts, profile), *bytes_axis(panel, "bytes alive")]
    for curve, kind in zip(profile.curves, _KINDS, strict=False):
        body += [_area(panel, curve, kind), *_over(panel, curve, profile.room)]
    body += [*_room(panel), *_marks(panel, profile), *_regions(panel, profile)]
    body += [*_tips(panel, profile)]
    body += step_axis(panel, profile.layers, {curve.step for curve in profile.curves})
    return drawing(
        max([MIN_WIDTH_PX, panel.right + RIGHT_PX, *(72 + text_width(text, 12) for text in texts)]),
        panel.bottom + BOTTOM_PX,
        body,
        title=f"Memory of {profile.network}{where} before and after planning",
        about="; ".join(texts),
        css=stylesheet(),
    )


def _texts(profile: Profile) -> Iterator[str]:
    """A line per curve, its peak and what is alive there; a last one for the room."""
    for curve in profile.curves:
        excess = curve.peak.bytes - profile.room
        over = f", {excess:,} too many" if profile.memories and excess > 0 else ""
        alive = ", ".join(alive_names(curve))
        yield f"{curve.title}: peak {peak_text(curve, profile)}{over}: {alive}"
    if profile.memories:
        yield f"room for the arena {format_bytes(profile.room)} ({profile.memories})"


def _heading(texts: Sequence[str], profile: Profile) -> Iterator[ET.Element]:
    """The lines, with the colour of their curve before them."""
    for row, text in enumerate(texts):
        y = _TOP_PX + _ROW_PX * row
        if row < len(profile.curves):
            yield tag("rect", class_=_KINDS[row], x=24, y=y - 11, width=13, height=13, rx=3)
        yield write(44, y, text, "muted")


def _panel(profile: Profile, top: float) -> Panel:
    most = max([1, *(value for curve in profile.curves for value in curve.alive)])
    height = max(most, profile.room if profile.room <= _SCALE_PEAKS * most else 0)
    steps = max(1, len(profile.layers))
    return Panel("", height, profile.room, LEFT_PX, top, top + _TALL_PX, step_width(steps), steps)


def _area(panel: Panel, curve: Curve, kind: str) -> ET.Element:
    """A stair from step to step, closed along the axis."""
    parts = [f"M{number(panel.left)} {number(panel.bottom)}"]
    for step, alive in enumerate(curve.alive):
        parts.append(f"V{number(panel.y(alive))}H{number(panel.x(step + 1))}")
    return tag("path", class_=kind, d=f"{''.join(parts)}V{number(panel.bottom)}Z")


def _over(panel: Panel, curve: Curve, room: int) -> Iterator[ET.Element]:
    """What each step has above the room."""
    for step, alive in enumerate(curve.alive):
        if not room or alive <= room:
            continue
        top, base = panel.y(alive), panel.y(room)
        yield tag(
            "rect",
            class_="over",
            x=panel.x(step),
            y=top,
            width=panel.step,
            height=base - top,
            shape_rendering="crispEdges",
        )


def _room(panel: Panel) -> Iterator[ET.Element]:
    """A line where the room ends, when that is near."""
    if not 0 < panel.limit <= panel.height:
        return
    y = panel.y(panel.limit)
    yield line(panel.left, y, panel.right, y, "limit")
    yield write(panel.right + 8, y + 4, f"room {format_bytes(panel.limit)}", "small strong num")


def _marks(panel: Panel, profile: Profile) -> Iterator[ET.Element]:
    """A triangle above each peak."""
    for curve in profile.curves:
        x, y = panel.x(curve.step) + panel.step / 2, panel.y(curve.peak.bytes) - 3
        yield tag("path", d=f"M{number(x - 5)} {number(y - 7)}h10l-5 7z", class_="hot")


def _regions(panel: Panel, profile: Profile) -> Iterator[ET.Element]:
    """A bar below the steps that run piece by piece."""
    for first, last in profile.spans:
        names = f"{profile.layers[first]} to {profile.layers[last]}: piece by piece"
        x, wide = panel.x(first) + 1, panel.step * (last + 1 - first) - 2
        yield tag(
            "rect",
            tag("title", text=names),
            class_="piece",
            x=x,
            y=panel.bottom,
            width=wide,
            height=_PIECE_PX,
        )


def _tips(panel: Panel, profile: Profile) -> Iterator[ET.Element]:
    """What a pointer over a step shows."""
    for step, name in enumerate(profile.layers):
        sizes = ", ".join(f"{curve.title} {curve.alive[step]:,} B" for curve in profile.curves)
        about = tag("title", text=f"step {step}, {name}: {sizes}")
        x, tall = panel.x(step), panel.bottom - panel.top
        yield tag("rect", about, x=x, y=panel.top, width=panel.step, height=tall, fill_opacity=0)
