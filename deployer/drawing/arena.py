"""The arena as SVG: steps to the right, addresses upward, a rectangle per buffer."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deployer.analysis import Peak, live_peak, step_nodes
from deployer.board import Board
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
from deployer.drawing.svg import clean, drawing, line, tag, text_width, write
from deployer.drawing.theme import INPUT, KINDS, OTHER, SCRATCH, kind_of, stylesheet
from deployer.ir import Graph, MemoryPlan, Placement, short_name
from deployer.units import format_bytes

_TOP_PX, _TALL_PX, _LOW_PX = (
    112,
    400,
    150,
)  # above all panels; height of the largest and least panel
_GAP_PX, _CUT_PX = 70, 38  # between panels; above the arena, where the axis is cut
_FONT_PX, _ROW_PX, _LINE_PX = (
    11,
    15,
    12,
)  # pixels: size of names, distance of lines, least room for one
_MIN_HEIGHT_PX = 1.5  # pixels: the least height of a buffer
_MIN_CHARACTERS = 5  # a name cut to fewer characters says nothing


@dataclass(frozen=True)
class Box:
    """Where a buffer is drawn."""

    place: Placement
    x: float
    y: float
    width: float
    height: float


def arena_svg(plan: MemoryPlan, graph: Graph | None, board: Board | None) -> ET.Element:
    """The picture of ``plan``; ``graph`` gives names and colours, ``board`` the limits."""
    steps = max((p.buffer.upper for p in plan.placements), default=1)
    panels = tuple(arena_panels(plan, board, steps))
    peak = live_peak(p.buffer for p in plan.placements)
    names = _step_names(graph, steps)
    kinds = {p.buffer.id: buffer_kind(p.buffer.id, graph) for p in plan.placements}
    body = [*_heading(plan, graph, board, sorted(set(kinds.values()), key=list(KINDS).index))]
    for panel in panels:
        body += [*_frame(panel, plan, peak), *_buffers(panel, plan, kinds), *_lines(panel, plan)]
    body += _peak_mark(panels, peak, names)
    body += step_axis(panels[-1], names, {peak.step}) if panels else ()
    where = f" on {board.name}" if board else ""
    return drawing(
        max([MIN_WIDTH_PX, *(p.right + RIGHT_PX for p in panels)]),
        max((p.bottom for p in panels), default=_TOP_PX) + BOTTOM_PX,
        body,
        title=f"Memory over time of {graph.name if graph else 'the network'}{where}",
        about=f"{len(plan.placements)} buffers over {steps} steps; arena "
        f"{format_bytes(plan.arena)}, {plan.status}; peak {format_bytes(peak.bytes)} at step "
        f"{peak.step}, {names[peak.step] if names else 'the input'}",
        css=stylesheet(),
    )


def arena_panels(plan: MemoryPlan, board: Board | None, steps: int) -> Iterator[Panel]:
    """A panel per memory that is used, each with its own scale."""
    step = step_width(steps)
    sizes = {m.name: m.size for m in board.memories} if board else {}
    used = [(name, height) for name, height in plan.heights if height]
    largest = max((height for _, height in used), default=1)
    top = float(_TOP_PX)
    for name, height in used:
        tall = max(_TALL_PX * height / largest, _LOW_PX)
        limit = sizes.get(name, 0)
        yield Panel(name, height, limit, LEFT_PX, top + _CUT_PX, top + _CUT_PX + tall, step, steps)
        top += tall + _GAP_PX


def arena_boxes(panel: Panel, plan: MemoryPlan) -> Iterator[Box]:
    """A box per buffer of the panel's memory. One too thin to see grows into free bytes above."""
    places = [p for p in plan.placements if p.memory == panel.memory]
    for place in places:
        buffer, end = place.buffer, place.offset + place.buffer.size
        above = [
            p.offset for p in places if p.offset >= end and p.buffer.overlaps(buffer) and p != place
        ]
        room = panel.y(end) - panel.y(min(above, default=panel.height))
        base, true = panel.y(place.offset), panel.y(place.offset) - panel.y(end)
        height = max(true, min(_MIN_HEIGHT_PX, true + room))
        width = panel.x(buffer.upper) - panel.x(buffer.lower)
        yield Box(place, panel.x(buffer.lower), base - height, width, height)


def buffer_kind(name: str, graph: Graph | None) -> str:
    """What made the buffer: an operator, the host, or a kernel that needs scratch."""
    if graph is None:
        return SCRATCH if name.endswith(".scratch") else OTHER
    if name in graph.producer:
        return kind_of(graph.producer[name].op)
    return INPUT if name in graph.inputs else SCRATCH


def _step_names(graph: Graph | None, steps: int) -> list[str]:
    names = [node.name for node in step_nodes(graph)] if graph else []
    return names if len(names) == steps else [f"step {i}" for i in range(steps)]


def _heading(
    plan: MemoryPlan, graph: Graph | None, board: Board | None, kinds: Sequence[str]
) -> Iterator[ET.Element]:
    name = graph.name if graph else "memory plan"
    where = f" on {board.name}" if board else ""
    yield write(24, 34, f"{name}{where}: memory over time", "head")
    heights = ", ".join(f"{memory} {format_bytes(size)}" for memory, size in plan.heights)
    text = f"arena {format_bytes(plan.arena)} ({heights}) · {plan.status}"
    proof = f"no plan is smaller than {format_bytes(plan.bound)} · found by {plan.solver}"
    yield write(24, 56, f"{text} · {proof}", "muted")
    x = 24.0
    for kind in kinds:
        text = KINDS[kind][0]
        yield tag("rect", x=x, y=70, width=13, height=13, rx=3, class_=f"k-{kind}")
        yield write(x + 19, 81, text, "small")
        x += 40 + text_width(text, 10.5)


def _frame(panel: Panel, plan: MemoryPlan, peak: Peak) -> Iterator[ET.Element]:
    """The band of the peak step, grid, address axis and the memory's name."""
    x, top = panel.x(peak.step), panel.top - _CUT_PX
    yield tag("rect", class_="band", x=x, y=top, width=panel.step, height=panel.bottom - top)
    yield from bytes_axis(panel, f"{panel.memory}: address in bytes")


def _buffers(panel: Panel, plan: MemoryPlan, kinds: dict[str, str]) -> Iterator[ET.Element]:
    for box in arena_boxes(panel, plan):
        buffer = box.place.buffer
        about = (
            f"{buffer.id}: {format_bytes(buffer.size)} at {box.place.offset:,}, "
            f"steps {buffer.lower} to {buffer.upper - 1}"
        )
        rect = tag(
            "rect",
            tag("title", text=about),
            class_=f"k-{kinds[buffer.id]}" + (" buffer" if box.height > 4 else ""),
            x=box.x,
            y=box.y,
            width=box.width,
            height=box.height,
        )
        rect.set("data-buffer", clean(buffer.id))
        yield rect
        yield from _label(box)


def _label(box: Box) -> Iterator[ET.Element]:
    """Name and size where they have room, upright in a narrow box, cut, or nothing."""
    name, size = box.place.buffer.id, f"{box.place.buffer.size:,}"
    x, y = box.x + box.width / 2, box.y + box.height / 2
    wide, tall = box.width - 6, box.height - 4
    across, along = (_letters(wide) if tall >= _LINE_PX else 0), _letters(tall) * (wide >= _LINE_PX)
    if max(across, along) < min(len(name), _MIN_CHARACTERS):
        return
    if across >= min(len(name), along):
        two = tall >= 2 * _ROW_PX and text_width(size, 10.5) <= wide
        yield write(x, y + (-2 if two else 4), short_name(name, across), "name mid")
        if two:
            yield write(x, y + 12, size, "small mid num")
    else:
        turn = f"rotate(-90 {x:.1f} {y:.1f})"
        yield write(x, y + 4, short_name(name, along), "name mid", transform=turn)


def _letters(room: float) -> int:
    """How many characters of a name go into ``room`` pixels."""
    return max(0, int(room / text_width("x", _FONT_PX)))


def _lines(panel: Panel, plan: MemoryPlan) -> Iterator[ET.Element]:
    """Where the arena ends, what is proven, and where the memory ends."""
    end = panel.right + 8
    single = sum(height > 0 for _, height in plan.heights) == 1
    if single:
        y = panel.y(plan.bound)
        yield line(panel.left, y, panel.right, y, "bound")
    yield write(end, panel.top + 4, f"arena {format_bytes(panel.height)}", "small strong num")
    if single:
        y = max(panel.y(plan.bound), panel.top + 14) + 4
        yield write(end, y, f"proven bound {format_bytes(plan.bound)}", "small hot num")
    if panel.limit:
        yield from _limit(panel, end)


def _limit(panel: Panel, end: float) -> Iterator[ET.Element]:
    """The memory's size: to scale when it is near, else above a cut of the axis."""
    span = panel.bottom - panel.top
    scaled = panel.bottom - span * panel.limit / max(panel.height, 1)
    near = panel.top - _CUT_PX + 4 <= scaled
    y = scaled if near else panel.top - _CUT_PX + 8
    yield line(panel.left, y, panel.right, y, "limit")
    label = y if y > panel.top + 44 else min(y, panel.top - 25)  # clear of the arena's own lines
    yield write(end, label + 1, f"{panel.memory} {format_bytes(panel.limit)}", "small strong num")
    used = f"{panel.height / panel.limit:.1%} used by the arena"
    yield write(end, label + 14, used, "small muted")
    x, low = panel.left, panel.top
    middle = (y + low) / 2
    cut = f"M{x} {low}V{middle + 5}l-5 -3l10 -4l-5 -3V{y:.1f}"
    yield tag("path", d=f"M{x} {low}V{y:.1f}" if near else cut, class_="axis", fill="none")


def _peak_mark(panels: Sequence[Panel], peak: Peak, names: Sequence[str]) -> Iterator[ET.Element]:
    if not panels:
        return
    panel = panels[0]
    x, y = panel.x(peak.step) + panel.step / 2, panel.top - _CUT_PX - 4
    yield tag("path", d=f"M{x - 5:.1f} {y - 7}h10l-5 7z", class_="hot")
    where = f"step {peak.step}, {short_name(names[peak.step], 28)}"
    text = f"peak {format_bytes(peak.bytes)} at {where}"
    wide = text_width(text, 12)
    flip = x + 10 + wide > panel.right
    yield write(x + (-10 if flip else 10), y, text, "hot strong" + (" end" if flip else ""))
