"""The front of a network's plans as SVG: estimated milliseconds over bytes of arena."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deployer.drawing.axis import ticks
from deployer.drawing.svg import drawing, line, markup, number, tag, text_width, write
from deployer.drawing.theme import stylesheet
from deployer.errors import UsageError
from deployer.files import write_file

Facts = Mapping[str, Any]  # of a survey, as JSON
_WIDE_PX, _TALL_PX = 820, 360  # of the plot
_LEFT_PX, _TOP_PX, _RIGHT_PX, _UNDER_PX = 92, 76, 60, 60  # around it
_CSS = (
    ".curve { fill: none; stroke-width: 2; stroke: #1f6fb5; } .dot { fill: #1f6fb5; }"
    " .best { fill: #c2571a; }\n@media (prefers-color-scheme: dark) {"
    " .curve { stroke: #6db3f2; } .dot { fill: #6db3f2; } .best { fill: #f0a06a; } }\n"
)


@dataclass(frozen=True)
class Plane:
    """Bytes to the right from zero, cycles upward in powers: a step of a decade is as high
    anywhere."""

    most: int
    low: float
    high: float

    def x(self, size: float) -> float:
        return _LEFT_PX + _WIDE_PX * size / self.most

    def y(self, cycles: float) -> float:
        share = (math.log10(cycles) - self.low) / (self.high - self.low)
        return _TOP_PX + _TALL_PX * (1 - share)


def draw_front(path: Path, facts: Facts) -> None:
    """Write the picture of ``facts["front"]``. Raises UsageError where there is none."""
    write_file(path, markup(front_svg(facts)))


def front_svg(facts: Facts) -> ET.Element:
    rows = facts["front"]
    if not rows:
        raise UsageError("no plan fits, so there is nothing to plot")
    plane = _plane(rows)
    name = facts["model"]["name"]
    title = f"{name} on {facts['board']}: arena against estimated cycles"
    body = [write(24, 34, title, "head"), *_grid(plane), *_points(rows, plane)]
    width, height = _LEFT_PX + _WIDE_PX + _RIGHT_PX, _TOP_PX + _TALL_PX + _UNDER_PX
    about = f"{len(rows)} plans of which none is both smaller and faster than another"
    return drawing(width, height, body, title=title, about=about, css=stylesheet() + _CSS)


def _plane(rows: Sequence[Facts]) -> Plane:
    cycles = [max(row["cycles"], 1) for row in rows]
    low, high = math.log10(min(cycles)) - 0.05, math.log10(max(cycles)) + 0.05
    return Plane(max(row["arena"] for row in rows) or 1, low, high)


def _grid(plane: Plane) -> Iterator[ET.Element]:
    bottom, right = _TOP_PX + _TALL_PX, _LEFT_PX + _WIDE_PX
    for cycles in _round_cycles(plane):
        y = plane.y(cycles)
        yield line(_LEFT_PX, y, right, y, "grid")
        yield write(_LEFT_PX - 8, y + 4, f"{cycles / 1e6:g} M", "small muted end num")
    last = -math.inf
    for size in ticks(plane.most):
        text, x = f"{size:,}", plane.x(size)
        if x - last > text_width(text, 10.5) + 8:
            yield write(x, bottom + 16, text, "small muted mid num")
            last = x
    yield line(_LEFT_PX, bottom, right, bottom, "axis")
    yield write((_LEFT_PX + right) / 2, bottom + 38, "bytes of arena", "small muted mid")
    yield write(_LEFT_PX, _TOP_PX - 14, "cycles, estimated", "small muted")


def _round_cycles(plane: Plane) -> Iterator[float]:
    """One, two and five of every power of ten that is shown."""
    for power in range(math.floor(plane.low), math.ceil(plane.high) + 1):
        for digit in (1, 2, 5):
            if plane.low <= math.log10(digit * 10**power) <= plane.high:
                yield digit * 10**power


def _points(rows: Sequence[Facts], plane: Plane) -> Iterator[ET.Element]:
    """Stairs: between two plans nothing is faster than the smaller one."""
    places = [(plane.x(row["arena"]), plane.y(row["cycles"])) for row in rows]
    (x, y), *rest = places
    steps = (f"V{number(next_y)}H{number(next_x)}" for next_x, next_y in rest)
    path = f"M{number(x)} {number(y)}" + "".join(steps)
    yield tag("path", d=path, class_="curve")
    for row, (at, up) in zip(rows, places, strict=True):
        text = f"{row['arena']:,} B, {row['cycles'] / 1e6:.2f} M cycles"
        kind = "best" if row["balanced"] else "dot"
        yield tag("circle", tag("title", text=text), class_=kind, cx=at, cy=up, r=4)
