"""Artifacts as plain text, for ``deployer inspect``: good to read at 100 columns, ASCII only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from deployer.ir.chart import chart_letters, memory_chart, short_name
from deployer.ir.graph import Graph, Node
from deployer.ir.ops import OPS
from deployer.ir.plan import ConstantPlace, MemoryPlan, Placement, Schedule, StepTiles, TilePlan
from deployer.ir.region import CHANNELS, LINE_BUFFERS, Region
from deployer.ir.spills import SpillPlan
from deployer.ir.types import Value
from deployer.printed import printed
from deployer.units import format_bytes

_NAME_COLUMNS = 22  # columns of a name
_NUMERIC = {"#", "MACs", "weights", "bytes", "scratch", "tiles", "from", "to", "size", "offset"} | {
    "misses",
    "saves",
    "inside",
    "in",
    "out",
    "cycles",
    "busy",
    "waits",
    "MAC/c",
}


def show(artifact: Any) -> str:
    """The view of any artifact of the IR. Raises TypeError for anything else."""
    for kind, view in _VIEWS.items():
        if isinstance(artifact, kind):
            return view(artifact)
    raise TypeError(f"no view of a {type(artifact).__name__}")


def graph_text(graph: Graph) -> str:
    """Inputs and outputs, a row per node, then regions and notes."""
    macs = sum(_macs(graph, node) for node in graph.nodes)
    weights = sum(array.nbytes for array in graph.constants.values())
    rows = [_node_row(graph, index, node) for index, node in enumerate(graph.nodes)]
    return _lines(
        f"graph {graph.name}: {len(graph.nodes)} nodes, {macs:,} MACs, "
        f"constants {format_bytes(weights)}",
        *(f"  in   {_value_text(graph.values[name])}" for name in graph.inputs),
        *(f"  out  {_value_text(graph.values[name])}" for name in graph.outputs),
        "",
        *table(("#", "node", "operator", "output", "type", "quant", "MACs", "weights"), rows),
        *(["", *_region_lines(graph)] if graph.regions else []),
        *(["", *(f"note: {note}" for note in graph.notes)] if graph.notes else []),
    )


def schedule_text(schedule: Schedule) -> str:
    """A row per step: its kernel, output and scratch; the live-set peak above."""
    graph = schedule.graph
    nodes = {node.name: node for node in graph.nodes}
    rows = []
    for step in schedule.steps:
        output = graph.values[nodes[step.node].output]
        cells = (shape_text(output.shape), f"{output.bytes:,}", f"{step.scratch:,}")
        rows.append((str(step.index), _cut(step.node), step.kernel, *cells))
    return _lines(
        f"schedule of {graph.name}: {len(rows)} steps, "
        f"at most {format_bytes(schedule.peak)} alive together",
        "",
        *table(("#", "node", "kernel", "output", "bytes", "scratch"), rows),
    )


def plan_text(plan: MemoryPlan) -> str:
    """Heights and proof, a chart of every memory over time, then the buffers."""
    heights = ", ".join(f"{name} {format_bytes(height)}" for name, height in plan.heights)
    letters = chart_letters(plan)
    places = sorted(plan.placements, key=lambda p: (p.memory, p.offset, p.buffer.lower))
    rows = [(letters[p.buffer.id], *_place_row(p)) for p in places]
    return _lines(
        f"memory plan: arena {format_bytes(plan.arena)} ({heights or 'empty'})",
        f"{plan.status}, proven bound {format_bytes(plan.bound)}, by {plan.solver}",
        *([plan.waits.text] if plan.waits else []),
        "",
        *(line for name, _ in plan.heights for line in (*memory_chart(plan, name), "")),
        *table(("", "buffer", "from", "to", "size", "memory", "offset"), rows),
        *(["", *_spill_lines(plan.spills)] if plan.spills else []),
        *(["", *_constant_lines(plan.constants)] if plan.constants else []),
    )


def _spill_lines(plan: SpillPlan) -> list[str]:
    """Where spilled values and their parts lie."""
    rows = [(_cut(s.value), _number(s.bytes), _number(s.offset)) for s in plan.spills]
    return [f"spilled to {plan.memory}:", *table(("value", "size", "offset"), rows)]


def _constant_lines(places: Sequence[ConstantPlace]) -> list[str]:
    """What start-up copies, what that saves most a byte first, and the rest in a line."""
    copied = sorted((p for p in places if p.copied), key=lambda p: (-p.saves / p.bytes, p.name))
    rest = [place for place in places if not place.copied]
    rows = [
        (_cut(p.name), _cut(p.node), *map(_number, (p.bytes, p.misses, p.saves)), p.memory)
        for p in copied
    ]
    return [
        *(
            ["copied at start-up (misses and cycles saved an inference are estimated):"]
            if rows
            else []
        ),
        *(table(("constant", "node", "bytes", "misses", "saves", "memory"), rows) if rows else []),
        f"{len(rest)} constants, {format_bytes(sum(p.bytes for p in rest))}, stay where the image "
        f"is: {sum(p.misses for p in rest):,} lines missed (estimated)",
    ]


def tiles_text(plan: TilePlan, schedule: Schedule | None = None) -> str:
    """A row per step: the tile and how many there are; of tiles in an inner memory what they hold,
    move and cost. ``schedule`` has the products that rates need."""
    cut = any(step.tiling for step in plan.steps)
    macs = _macs_of(schedule) if schedule else {}
    rows = [
        (str(i), *_tile_row(step), *(_costs_row(step, macs) if cut else ()))
        for i, step in enumerate(plan.steps)
    ]
    whole = sum(step.count == 1 for step in plan.steps)
    return _lines(
        f"tile plan: {len(rows)} steps, {whole} in one tile",
        *(_cut_lines(plan) if cut else ()),
        "",
        *table((*_TILE_HEAD, *(_COST_HEAD if cut else ())), rows),
    )


_TILE_HEAD = ("#", "node", "tile", "tiles")
_COST_HEAD = ("inner", "inside", "in", "out", "cycles", "busy", "waits", "MAC/c")


def _cut_lines(plan: TilePlan) -> Iterator[str]:
    """Bytes and cycles of all, and what the columns say."""
    cuts = [step.tiling for step in plan.steps if step.tiling]
    heights = ", ".join(f"{name} {format_bytes(size)}" for name, size in plan.heights.items())
    cycles, waits = (sum(getattr(t.costs, n) for t in cuts) for n in ("cycles", "waiting"))
    yield f"{len(cuts)} steps in {heights}: {cycles:,} cycles, {waits:,} waiting (estimated)"
    yield "inner: channels, all of a place first; places, all of some channels first"
    yield "inside: bytes in the inner memory; in, out: bytes moved; busy, waits: of the cycles"


def _tile_row(step: StepTiles) -> tuple[str, ...]:
    return _cut(step.node), shape_text(step.tile), _number(step.count)


def _costs_row(step: StepTiles, macs: Mapping[str, int]) -> tuple[str, ...]:
    tiling = step.tiling
    if tiling is None:
        return ("-", *("" for _ in _COST_HEAD[1:]))
    costs, places = tiling.costs, tiling.rows.count * tiling.columns.count
    inner = "channels" if tiling.channels_inner else "places"
    rate = f"{macs[step.node] / costs.cycles:.2f}" if macs.get(step.node) else ""
    return (
        inner if min(places, tiling.channels.count) > 1 else "",
        *map(_number, (tiling.bytes, costs.bytes_in, costs.bytes_out, costs.cycles)),
        *(f"{share / costs.cycles:.0%}" for share in (costs.compute, costs.waiting)),
        rate,
    )


def _macs_of(schedule: Schedule) -> dict[str, int]:
    return {node.name: _macs(schedule.graph, node) for node in schedule.graph.nodes}


def shape_text(shape: Sequence[int]) -> str:
    """``(1, 32, 32, 3)`` to ``"1x32x32x3"``."""
    return "x".join(map(str, shape)) or "scalar"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns two spaces apart, numbers flush right, no trailing blanks."""
    cells = [tuple(header), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(_align, row, header, widths)).rstrip() for row in cells]


def _align(cell: str, column: str, width: int) -> str:
    return cell.rjust(width) if column in _NUMERIC else cell.ljust(width)


def _node_row(graph: Graph, index: int, node: Node) -> tuple[str, ...]:
    output = graph.values[node.output]
    weights = sum(graph.constants[n].nbytes for n in node.inputs if n in graph.constants)
    rule = f" {node.requant.rule}" if node.requant else ""
    return (
        str(index),
        _cut(node.name),
        f"{node.op}{_window_text(node)}",
        shape_text(output.shape),
        output.dtype.name.lower(),
        f"{_quant_text(output)}{rule}",
        _number(_macs(graph, node)),
        _number(weights),
    )


def _region_lines(graph: Graph) -> list[str]:
    rows = [(str(i), *_region_row(region)) for i, region in enumerate(graph.regions)]
    return table(("region", "first node", "last node", "pieces", "memory"), rows)


def _region_row(region: Region) -> tuple[str, ...]:
    wide = max(1, len(region.columns) - 1)
    if region.mode == LINE_BUFFERS:
        tall = "row by row" if region.chunk == 1 else f"{region.chunk} rows at a time"
        pieces = tall if wide == 1 else f"{tall}, {wide} strips"
    elif region.mode == CHANNELS:
        pieces = f"{len(region.channels) - 1} groups of channels"
    else:
        pieces = f"{max(1, len(region.rows) - 1)}x{wide} patches"
    shared = [f"{_cut(region.over[1])} over {_cut(region.over[0])}"] if region.over else []
    shared += [f"{_cut(name)} by rows" for name in region.fetch]
    upwards = ", upwards" if region.reverse else ""
    names = _cut(region.nodes[0]), _cut(region.nodes[-1])
    return *names, f"{pieces}{upwards}", ", ".join(shared)


def _macs(graph: Graph, node: Node) -> int:
    return OPS[node.op].macs(node.attrs, graph.shapes(node.inputs))


def _window_text(node: Node) -> str:
    """`` 3x3/2`` for a 3x3 window at stride 2."""
    window = getattr(node.attrs, "window", None)
    if window is None:
        return ""
    kernel = f" {shape_text(window.kernel)}"
    if max(window.stride) == 1:
        return kernel
    return f"{kernel}/{shape_text(tuple(dict.fromkeys(window.stride)))}"


def _value_text(value: Value) -> str:
    quant = f", {_quant_text(value)}" if value.quant else ""
    return f"{value.name}: {value.dtype.name.lower()} {shape_text(value.shape)}{quant}"


def _quant_text(value: Value) -> str:
    """Scale and zero point: ``0.0235 z-128``."""
    if value.quant is None:
        return "-"
    scale = f"{value.quant.scale[0]:.4g}" if len(value.quant.scale) == 1 else "per channel"
    return f"{scale} z{value.quant.zero_point}"


def _place_row(place: Placement) -> tuple[str, ...]:
    buffer = place.buffer
    numbers = (buffer.lower, buffer.upper, buffer.size)
    return _cut(buffer.id), *map(_number, numbers), place.memory, _number(place.offset)


def _number(count: int) -> str:
    return f"{count:,}"


def _cut(name: str) -> str:
    return short_name(name, _NAME_COLUMNS)


def _lines(*lines: str) -> str:
    """A line each, whatever names in them hold."""
    return "\n".join(map(printed, lines)).rstrip("\n") + "\n"


_VIEWS: dict[type, Callable[[Any], str]] = {
    Graph: graph_text,
    Schedule: schedule_text,
    MemoryPlan: plan_text,
    TilePlan: tiles_text,
}
