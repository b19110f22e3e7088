"""MAC/cycle over the size of the inner memory as SVG: a panel a network, a line a tiler, size of
the outer memory and runner."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deployer.choices import TilerName
from deployer.drawing.svg import drawing, line, markup, number, tag, text_width, write
from deployer.drawing.theme import stylesheet
from deployer.errors import UsageError
from deployer.files import check_folder, write_file

Facts = Mapping[str, Any]  # of a table, as JSON
Key = tuple[str, int, str]  # tiler, bytes of the outer memory, runner
KIB = 1024

_WIDE_PX, _TALL_PX, _PLOTS_ACROSS = 400, 210, 2  # of a plot; plots side by side
_LEFT_PX, _OVER_PX, _RIGHT_PX, _UNDER_PX = 64, 44, 30, 56  # around each
_TOP_PX, _ROW_PX = 62, 20  # first line of the legend; distance of lines
_DASHES: dict[str, str] = {TilerName.COST: "none", TilerName.DORY: "7 4", TilerName.SIZE: "2 4"}
_COLOURS = (  # light, dark
    ("#1f6fb5", "#6db3f2"),
    ("#c2571a", "#f0a06a"),
    ("#2f8f5b", "#6fd39b"),
    ("#8a4fbf", "#c49af0"),
    ("#a8325f", "#f08fb5"),
    ("#6b6b1f", "#cfcf6a"),
)


@dataclass(frozen=True)
class Line:
    """``points``: bytes of the inner memory and MAC/cycle, by size."""

    key: Key
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Plot:
    """One network's, whose lower left corner is (left, bottom) in pixels."""

    network: str
    lines: tuple[Line, ...]
    left: float
    bottom: float
    sizes: tuple[int, ...]
    most: int

    def x(self, size: int) -> float:
        low, high = self.sizes[0], self.sizes[-1]
        share = (size - low) / (high - low) if high > low else 0.5
        return self.left + 16 + (_WIDE_PX - 32) * share

    def y(self, rate: float) -> float:
        return self.bottom - _TALL_PX * rate / self.most


def check_plot(path: Path | None) -> None:
    """Raise UsageError for a file that could not be drawn, before hours of work."""
    if path is None:
        return
    if path.suffix != ".svg":
        raise UsageError(f"--plot {path} is no picture", hints=["give FILE.svg"])
    check_folder(path)


def draw_sweep(path: Path, facts: Facts) -> None:
    """Write the picture of the facts of a table. Raises UsageError when nothing ran."""
    write_file(path, markup(sweep_svg(facts)))


def sweep_svg(facts: Facts) -> ET.Element:
    networks = _networks(facts["rows"])
    if not networks:
        raise UsageError("nothing ran, so there is nothing to plot")
    keys = list(dict.fromkeys(each.key for lines in networks.values() for each in lines))
    top = _TOP_PX + _ROW_PX * len(keys) + 10
    plots = list(_plots(networks, top))
    memories = facts["memories"]
    title = f"{facts['board']}: MAC/cycle by size of {memories['inner']}"
    body = [write(24, 34, title, "head"), *_legend(keys, memories["outer"])]
    for plot in plots:
        body += [*_axes(plot, memories["inner"]), *_curves(plot, keys)]
    width = _PLOTS_ACROSS * (_LEFT_PX + _WIDE_PX + _RIGHT_PX)
    about = "; ".join(_told(key, memories["outer"]) for key in keys)
    tall = plots[-1].bottom + _UNDER_PX
    return drawing(width, tall, body, title=title, about=about, css=_css())


def _networks(rows: Sequence[Facts]) -> dict[str, tuple[Line, ...]]:
    found: dict[str, dict[Key, list[tuple[int, float]]]] = {}
    for row in rows:
        for run in row["runs"]:
            if run["cycles"]:
                key = row["tiler"], row["outer"], run["runner"]
                points = found.setdefault(row["network"], {}).setdefault(key, [])
                points.append((row["inner"], row["macs"] / run["cycles"]))
    return {
        network: tuple(Line(key, tuple(sorted(points))) for key, points in lines.items())
        for network, lines in found.items()
    }


def _plots(networks: dict[str, tuple[Line, ...]], top: float) -> Iterator[Plot]:
    for index, (network, lines) in enumerate(networks.items()):
        down, right = divmod(index, _PLOTS_ACROSS)
        sizes = sorted({size for each in lines for size, _ in each.points})
        most = max(rate for each in lines for _, rate in each.points)
        yield Plot(
            network=network,
            lines=lines,
            left=_LEFT_PX + right * (_LEFT_PX + _WIDE_PX + _RIGHT_PX),
            bottom=top + _OVER_PX + _TALL_PX + down * (_OVER_PX + _TALL_PX + _UNDER_PX),
            sizes=tuple(sizes),
            most=max(2, 2 * math.ceil(most / 2)),
        )


def _legend(keys: Sequence[Key], outer: str) -> Iterator[ET.Element]:
    for row, key in enumerate(keys):
        y = _TOP_PX + _ROW_PX * row
        yield _stroke(f"M24 {number(y - 4)}h34", key, keys)
        yield write(68, y, _told(key, outer), "muted")


def _told(key: Key, outer: str) -> str:
    tiler, size, runner = key
    return f"tiler {tiler}, {outer} {size / KIB:g} KiB, {runner}"


def _axes(plot: Plot, inner: str) -> Iterator[ET.Element]:
    right, top = plot.left + _WIDE_PX, plot.bottom - _TALL_PX
    yield write(plot.left, top - 14, plot.network, "strong")
    stride = 2 if plot.most <= 12 else 4
    for rate in range(0, plot.most + 1, stride):
        y = plot.y(rate)
        yield line(plot.left, y, right, y, "grid")
        yield write(plot.left - 8, y + 4, str(rate), "small muted end num")
    yield line(plot.left, plot.bottom, right, plot.bottom, "axis")
    last = -math.inf
    for size in plot.sizes:
        text, x = f"{size / KIB:g}", plot.x(size)
        if x - last > text_width(text, 10.5) + 8:
            yield write(x, plot.bottom + 16, text, "small muted mid num")
            last = x
    yield write((plot.left + right) / 2, plot.bottom + 34, f"KiB of {inner}", "small muted mid")


def _curves(plot: Plot, keys: Sequence[Key]) -> Iterator[ET.Element]:
    for each in plot.lines:
        places = [(plot.x(size), plot.y(rate)) for size, rate in each.points]
        path = "L".join(f"{number(x)} {number(y)}" for x, y in places)
        yield _stroke(f"M{path}", each.key, keys)
        for (size, rate), (x, y) in zip(each.points, places, strict=True):
            tip = tag("title", text=f"{size / KIB:g} KiB: {rate:.2f} MAC/cycle, {each.key[0]}")
            yield tag("circle", tip, class_=f"dot {_colour(each.key, keys)}", cx=x, cy=y, r=3.2)


def _stroke(path: str, key: Key, keys: Sequence[Key]) -> ET.Element:
    dash = _DASHES.get(key[0], "none")
    return tag("path", d=path, class_=f"curve {_colour(key, keys)}", stroke_dasharray=dash)


def _colour(key: Key, keys: Sequence[Key]) -> str:
    """One a size of the outer memory and runner; tilers differ in their dashes."""
    pairs = list(dict.fromkeys(each[1:] for each in keys))
    return f"c{pairs.index(key[1:]) % len(_COLOURS)}"


def _css() -> str:
    light, dark = (
        "\n".join(
            f".curve.c{i} {{ stroke: {pair[n]}; }} .dot.c{i} {{ fill: {pair[n]}; }}"
            for i, pair in enumerate(_COLOURS)
        )
        for n in (0, 1)
    )
    base = ".curve { fill: none; stroke-width: 2; }"
    return f"{stylesheet()}{base}\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
