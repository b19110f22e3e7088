"""The network as SVG: boxes in execution order, shapes on the wires, what each step costs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployer.analysis import lifetimes, node_macs, node_weight_bytes, step_nodes
from deployer.drawing.lanes import Lane, Row, RowKind, lanes_of, readers, rows_of
from deployer.drawing.svg import drawing, tag, text_width, write
from deployer.drawing.theme import KINDS, kind_of, stylesheet
from deployer.ir import Buffer, Graph, Node, Schedule, short_name
from deployer.units import format_bytes

_MARGIN_PX, _TOP_PX, _BOX_PX, _COLUMN_PX, _BAR_PX = 28, 128, 250, 190, 104
_MAX_WIDE_LANES = 8  # as many get a wide track
_WIDE_GAP_PX, _LONG_ROWS = 22, 3  # pixels between few lanes; rows of a lane that has a label
_NAME_CHARACTERS = 28  # characters of a name


@dataclass(frozen=True)
class Chart:
    """A column of bars: a number per step."""

    title: str
    numbers: tuple[int, ...]


def graph_svg(graph: Graph, schedule: Schedule | None = None) -> ET.Element:
    """The picture of ``graph``; with a ``schedule``, scratch counts as memory too."""
    rows = rows_of(graph, _TOP_PX)
    reading = readers(graph, rows)
    lanes = lanes_of(reading)
    gap = track_gap(lanes)
    left = _MARGIN_PX + gap * (max((lane.track for lane in lanes), default=-1) + 1)
    alive = alive_bytes(graph, schedule)
    charts = step_charts(graph, alive)
    body = [*_heading(graph), *_columns(charts, left), *_arrows(graph, rows, reading, left)]
    body += [item for lane in lanes for item in _lane(rows, lane, left, gap)]
    body += [item for lane in lanes for item in _lane_label(graph, rows, lane, left, gap)]
    kernels = {step.node: step.kernel for step in schedule.steps} if schedule else {}
    for row in rows:
        body += [*_box(graph, row, left, kernels), *_bars(row, charts, left)]
    return drawing(
        left + _BOX_PX + len(charts) * _COLUMN_PX + _MARGIN_PX,
        max((row.bottom for row in rows), default=_TOP_PX) + _MARGIN_PX,
        body,
        title=f"The network {graph.name}",
        about=_about(graph, alive),
        css=stylesheet(),
    )


def alive_bytes(graph: Graph, schedule: Schedule | None) -> tuple[int, ...]:
    """Bytes of all tensors and scratch that are alive in each step."""
    scratch = {step.node: step.scratch for step in schedule.steps} if schedule else {}
    buffers = lifetimes(graph, scratch)
    return tuple(_alive(buffers, step) for step in range(len(step_nodes(graph))))


def step_charts(graph: Graph, alive: tuple[int, ...]) -> tuple[Chart, ...]:
    nodes = step_nodes(graph)
    return (
        Chart("MACs", tuple(node_macs(graph, node) for node in nodes)),
        Chart("weights, bytes", tuple(node_weight_bytes(graph, node) for node in nodes)),
        Chart("memory alive, bytes", alive),
    )


def track_gap(lanes: Sequence[Lane]) -> float:
    """Pixels between lanes: room for a shape beside each, as long as they are few."""
    return _WIDE_GAP_PX if len({lane.track for lane in lanes}) <= _MAX_WIDE_LANES else 7


def window_text(node: Node) -> str:
    """``Conv2d 3x3/2`` for a 3x3 window at stride 2."""
    window = getattr(node.attrs, "window", None)
    if window is None:
        return node.op
    stride = "" if max(window.stride) == 1 else f"/{'x'.join(map(str, _once(window.stride)))}"
    dilation = "" if max(window.dilation) == 1 else f" dilated {max(window.dilation)}"
    return f"{node.op} {'x'.join(map(str, window.kernel))}{stride}{dilation}"


def shape_of(graph: Graph, name: str) -> str:
    return " \N{MULTIPLICATION SIGN} ".join(map(str, graph.values[name].shape[1:])) or "scalar"


def _once(pair: tuple[int, int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(pair))


def _alive(buffers: Sequence[Buffer], step: int) -> int:
    return sum(b.size for b in buffers if b.lower <= step < b.upper)


def _about(graph: Graph, alive: Sequence[int]) -> str:
    nodes = step_nodes(graph)
    if not nodes:
        return "a network without steps"
    peak = alive.index(max(alive))
    return (
        f"{len(nodes)} steps from {nodes[0].name} to {nodes[-1].name}; most memory, "
        f"{format_bytes(alive[peak])}, is alive at {nodes[peak].name}"
    )


def _heading(graph: Graph) -> Iterator[ET.Element]:
    macs = sum(node_macs(graph, node) for node in graph.nodes)
    weights = sum(array.nbytes for array in graph.constants.values())
    parameters = int(graph.meta.get("parameters", 0))
    yield write(24, 34, f"{graph.name}: the network", "head")
    counts = f"{len(step_nodes(graph))} steps · {macs:,} MACs · constants {format_bytes(weights)}"
    more = f" · {parameters:,} parameters" if parameters else ""
    yield write(24, 56, counts + more, "muted")
    used, x = {kind_of(node.op) for node in graph.nodes}, 24.0
    for kind in (kind for kind in KINDS if kind in used):
        yield tag("rect", x=x, y=70, width=13, height=13, rx=3, class_=f"k-{kind}")
        yield write(x + 19, 81, KINDS[kind][0], "small")
        x += 40 + text_width(KINDS[kind][0], 10.5)


def _columns(charts: Sequence[Chart], left: float) -> Iterator[ET.Element]:
    for index, chart in enumerate(charts):
        yield write(_column(left, index), _TOP_PX - 14, chart.title, "small strong")


def _column(left: float, index: int) -> float:
    return left + _BOX_PX + 28 + index * _COLUMN_PX


def _box(graph: Graph, row: Row, left: float, kernels: Mapping[str, str]) -> Iterator[ET.Element]:
    if row.node is None:
        yield from _end(row, left)
        return
    node, kind = row.node, kind_of(row.node.op)
    about = f"{node.name}: {window_text(node)}, output {shape_of(graph, node.output)}"
    if node.name in kernels:
        about += f", kernel {kernels[node.name]}"
    frame: dict[str, Any] = {
        "x": left,
        "y": row.top,
        "width": _BOX_PX,
        "height": row.height,
        "rx": 6,
    }
    yield tag("rect", tag("title", text=about), class_="card", **frame)
    yield tag("rect", class_=f"k-{kind}", **{**frame, "width": 12, "rx": 5})
    name, x = short_name(node.name, _NAME_CHARACTERS), left + 22
    if row.kind == RowKind.ALIAS:
        yield write(x, row.middle + 4, f"{short_name(node.name, 24)} · {node.op}", "small muted")
        return
    yield write(x, row.top + 18, name, "strong")
    yield write(x, row.top + 34, window_text(node), "small muted")
    yield write(left + _BOX_PX - 10, row.top + 34, str(row.step), "small muted end num")


def _end(row: Row, left: float) -> Iterator[ET.Element]:
    """An input or output: a pill."""
    frame: dict[str, Any] = {
        "x": left,
        "y": row.top,
        "width": _BOX_PX,
        "height": row.height,
        "rx": row.height / 2,
    }
    yield tag("rect", tag("title", text=f"{row.kind}: {row.value}"), class_="card", **frame)
    name = short_name(row.value, 24)
    text = name if name == row.kind else f"{row.kind} {name}"
    yield write(left + _BOX_PX / 2, row.middle + 4, text, "strong mid")


def _bars(row: Row, charts: Sequence[Chart], left: float) -> Iterator[ET.Element]:
    """Full length is the largest of the column; the first step of most memory is marked."""
    if row.step < 0:
        return
    for index, chart in enumerate(charts):
        count, most = chart.numbers[row.step], max(chart.numbers)
        is_peak = index == len(charts) - 1 and row.step == chart.numbers.index(most)
        x, y = _column(left, index), row.middle - 6
        yield tag("rect", class_="track", x=x, y=y, width=_BAR_PX, height=12, rx=3)
        if count:
            width = max(_BAR_PX * count / most, 1)
            style = "hotbar" if is_peak else "bar"
            yield tag("rect", class_=style, x=x, y=y, width=width, height=12, rx=min(3, width / 2))
        text = f"{count:,}" + (" peak" if is_peak else "")
        yield write(x + _BAR_PX + 8, y + 10, text, "small num" + (" hot strong" if is_peak else ""))


def _arrows(
    graph: Graph, rows: Sequence[Row], reading: Mapping[int, Sequence[int]], left: float
) -> Iterator[ET.Element]:
    """Straight down to the row below, with the shape beside it."""
    x = left + _BOX_PX / 2
    for index, row in enumerate(rows):
        if row.kind == RowKind.OUTPUT:
            continue
        value = graph.values[row.value]
        text = f"{shape_of(graph, row.value)} · {format_bytes(value.bytes)}"
        straight = index + 1 in reading.get(index, ())
        if straight:
            end = rows[index + 1].top
            yield tag("path", class_="wire", d=f"M{x:g} {row.bottom:g}V{end - 5:g}")
            yield tag("path", class_="tip", d=f"M{x - 4:g} {end - 7:g}h8l-4 7z")
        yield write(x + 10, row.bottom + 17, text, "small muted num")


def _lane(rows: Sequence[Row], lane: Lane, left: float, gap: float) -> Iterator[ET.Element]:
    """Out of the box to its lane, down, and into every reader."""
    x, row = left - 14 - lane.track * gap, rows[lane.start]
    begin, last = row.middle + 8, rows[max(lane.ends)].middle - 8
    path = f"M{left:g} {begin:g}H{x + 6:g}q-6 0 -6 6V{last - 6:g}q0 6 6 6H{left - 6:g}"
    yield tag("path", tag("title", text=f"{row.value} skips ahead"), class_="wire", d=path)
    for end in lane.ends:
        y = rows[end].middle - 8
        if y != last:
            yield tag("path", class_="wire", d=f"M{x:g} {y - 6:g}q0 6 6 6H{left - 6:g}")
        yield tag("path", class_="tip", d=f"M{left - 8:g} {y - 4:g}l8 4l-8 4z")


def _lane_label(
    graph: Graph, rows: Sequence[Row], lane: Lane, left: float, gap: float
) -> Iterator[ET.Element]:
    """The shape along a lane that is long enough, where lanes are far enough apart."""
    if gap < _WIDE_GAP_PX or max(lane.ends) - lane.start < _LONG_ROWS:
        return
    x = left - 19 - lane.track * gap
    middle = (rows[lane.start].middle + rows[max(lane.ends)].middle) / 2
    turn, text = f"rotate(-90 {x:g} {middle:g})", shape_of(graph, rows[lane.start].value)
    yield write(x, middle, text, "small muted mid halo", transform=turn)
