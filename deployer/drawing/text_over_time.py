"""Memory over time before and after planning, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from deployer.analysis import Curve, Profile
from deployer.ir import short_name
from deployer.units import format_bytes

_CURVE_ROWS = 8  # of the higher curve, about
_LEFT_COLUMNS = 13  # columns of the sizes and the axis
_MAX_STEP_COLUMNS = 4  # columns a step may take
_SCALE_PEAKS = 1.5  # times the peak: room drawn to scale
_MAX_SHOWN = 6  # tensors named
_NAME_COLUMNS = 28  # columns of a name


@dataclass(frozen=True)
class Glyphs:
    """``fill``: a cell by how full it is; ``over``: one above what there is room for."""

    fill: str
    over: str
    room: str
    side: str
    corner: str
    floor: str
    peak: str


UNICODE = Glyphs(" ▁▂▃▄▅▆▇█", "▓", "╌", "│", "└", "─", "▲")
ASCII = Glyphs(" .:#", "!", "-", "|", "+", "-", "^")


@dataclass(frozen=True)
class Scale:
    """``step`` columns a step, or ``bin`` steps a column; ``row`` bytes a row.

    ``low`` rows lie below the line that is the room; -1 when no line is drawn.
    """

    steps: int
    step: int
    bin: int
    row: float
    low: int

    @property
    def columns(self) -> int:
        return -(-self.steps // self.bin) * self.step

    def column(self, step: int) -> int:
        """The first column of a step."""
        return step // self.bin * self.step


def memory_text(profile: Profile, *, width: int, unicode: bool = True) -> list[str]:
    """Both curves on one scale, the room as a line, the peaks by layer with what is alive there.

    No line is longer than ``width``, of which 40 are needed.
    """
    glyphs, scale = UNICODE if unicode else ASCII, _scale(profile, width)
    lines = [f"memory over time: {_unit(scale)}"]
    for curve in profile.curves:
        lines += ["", *_head(curve, profile, width), *_plot(curve, profile, scale, glyphs)]
    lines += [*_regions(profile, scale), _ticks(scale)]
    if profile.memories:
        lines.append(f"room for the arena: {format_bytes(profile.room)} ({profile.memories})")
    return [line if len(line) <= width else f"{line[: width - 2]}.." for line in lines]


def alive_names(curve: Curve) -> list[str]:
    """What is alive at the peak, the largest first, the rest summed up."""
    alive = curve.peak.alive
    names = [f"{short_name(b.id, _NAME_COLUMNS)} {b.size:,}" for b in alive[:_MAX_SHOWN]]
    if rest := alive[_MAX_SHOWN:]:
        names.append(f"{len(rest)} more {sum(b.size for b in rest):,}")
    return names


def peak_text(curve: Curve, profile: Profile) -> str:
    """``1,310,720 B at step 27, concat1``."""
    layer = profile.layers[curve.step] if profile.layers else "the input"
    inside = any(first <= curve.step <= last for first, last in profile.spans)
    pieces = " (in pieces)" if inside and curve is profile.after else ""
    where = f"step {curve.step}, {short_name(layer, _NAME_COLUMNS)}{pieces}"
    return f"{format_bytes(curve.peak.bytes)} at {where}"


def _scale(profile: Profile, width: int) -> Scale:
    """The room, if it is drawn, lies between two rows."""
    steps = max(1, len(profile.layers))
    wide = max(8, width - _LEFT_COLUMNS - 1)
    columns = max(1, min(_MAX_STEP_COLUMNS, wide // steps)), -(-steps // wide)
    most = max([1, *(value for curve in profile.curves for value in curve.alive)])
    if not profile.room or profile.room > _SCALE_PEAKS * most:
        return Scale(steps, *columns, most / _CURVE_ROWS, -1)
    low = round(_CURVE_ROWS * profile.room / max(most, profile.room))
    return Scale(steps, *columns, profile.room / low if low else most / _CURVE_ROWS, low)


def _unit(scale: Scale) -> str:
    wide = f", {scale.bin} a column" if scale.bin > 1 else ""
    return f"{scale.steps} steps{wide}; {round(scale.row):,} B a row"


def _head(curve: Curve, profile: Profile, width: int) -> Iterator[str]:
    """Title and peak; how far it exceeds the room; the tensors, wrapped."""
    yield f"{curve.title}: peak {peak_text(curve, profile)}"
    excess = curve.peak.bytes - profile.room
    if profile.memories and excess > 0:
        yield f"  {format_bytes(excess)} more than there is room for"
    line = ""
    for item in alive_names(curve):
        if line and len(line) + len(item) + 2 > width:
            yield line
            line = ""
        line += f"  {item}"
    if line:
        yield line


def _plot(curve: Curve, profile: Profile, scale: Scale, glyphs: Glyphs) -> Iterator[str]:
    """Rows of blocks, highest first, with the room between them; the axis with the peak's mark."""
    levels = [max(curve.alive[i : i + scale.bin]) for i in range(0, len(curve.alive), scale.bin)]
    label = f"{curve.peak.bytes:,}"
    for cells, line in _rows(levels, profile.room, scale, glyphs):
        text = f"{profile.room:,}" if line else label if cells.strip() else ""
        label = "" if text == label else label
        yield f"{text:>{_LEFT_COLUMNS - 2}} {glyphs.side}{cells}".rstrip()
    mark = scale.column(curve.step)
    floor = glyphs.floor * scale.columns
    floor = floor[:mark] + glyphs.peak * scale.step + floor[mark + scale.step :]
    yield f"{'':>{_LEFT_COLUMNS - 1}}{glyphs.corner}{floor}"


def _rows(
    levels: Sequence[int], room: int, scale: Scale, glyphs: Glyphs
) -> Iterator[tuple[str, bool]]:
    """The cells of every row, and whether it is the line of the room."""
    lined = scale.low >= 0
    high = [max(0, level - room) if lined else level for level in levels]
    fill = f" {glyphs.over}" if lined else glyphs.fill
    for row in range(ceil(max(high, default=0) / scale.row) - 1, -1, -1):
        yield _cells(high, row, scale, fill), False
    if not lined:
        return
    marks = ((glyphs.over if level > room else glyphs.room) * scale.step for level in levels)
    yield "".join(marks), True
    low = [min(level, room) for level in levels]
    for row in range(scale.low - 1, -1, -1):
        yield _cells(low, row, scale, glyphs.fill), False


def _cells(levels: Sequence[int], row: int, scale: Scale, fill: str) -> str:
    """The least that is there shows."""
    last = len(fill) - 1
    parts = (min(1.0, max(0.0, level / scale.row - row)) for level in levels)
    return "".join(fill[ceil(part * last)] * scale.step for part in parts)


def _regions(profile: Profile, scale: Scale) -> Iterator[str]:
    """Brackets below the steps that run piece by piece."""
    if not profile.spans:
        return
    cells = [" "] * scale.columns
    for first, last in profile.spans:
        begin, end = scale.column(first), scale.column(last) + scale.step
        cells[begin:end] = "=" * (end - begin)
        cells[begin] = "["
        cells[end - 1] = "]" if end - begin > 1 else "="
    yield f"{'in pieces ':>{_LEFT_COLUMNS}}{''.join(cells)}".rstrip()


def _ticks(scale: Scale) -> str:
    """Numbers of steps below their columns, as many as have room."""
    wide = len(str(scale.steps)) + 3
    every = -(-wide // scale.step) * scale.bin
    line = f"{'step ':>{_LEFT_COLUMNS}}"
    for step in range(0, scale.steps, every):
        line = f"{line:<{_LEFT_COLUMNS + scale.column(step)}}{step}"
    return line
