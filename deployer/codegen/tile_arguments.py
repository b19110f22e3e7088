"""Arguments of a step in tiles: those of the first, and what sets those of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deployer.codegen.arguments import arguments
from deployer.codegen.call import Call, Struct
from deployer.codegen.statement import Expression, Statement, Term, expression, statement
from deployer.codegen.tile_step import TileStep, axes_of, border_padding_of, differs, times
from deployer.ir import Axis, Cut, input_name
from deployer.schedule import has_zero_alone

_ENDS = {"input": input_name(0), "output": "output"}  # of a Transpose: fields and their buffers


def first(step: TileStep) -> Call:
    """The arguments of the first tile."""
    call = arguments(step.call, step.node)
    fields = _transposed(step) if step.transposes else _fields(step, dict(call.fields))
    return replace(call, fields={**call.fields, **fields})


def _fields(step: TileStep, fields: dict[str, Term | Struct]) -> Struct:
    """Of other operators than Transpose."""
    tiling = step.tiling
    rows, columns, channels = (axis.cut(0) for _, axis in axes_of(tiling))
    depth = step.first_inputs
    for name, buffer, pixel in step.inputs:
        places = (1, 1) if pixel else (rows.inputs, columns.inputs)
        fields[name] = _tensor(step, fields[name], buffer, (*places, depth))
    if step.grouped:
        fields["groups"] = str(max(channels.count // tiling.unit, 1))
    if step.border_padding:
        fields["input"] = _padded_input(step, arguments(step.call, step.node).fields["input"])
    size = rows.count, columns.count, channels.count
    fields["output"] = _tensor(step, fields["output"], "output", size)
    if isinstance(window := fields.get("window"), dict):
        pads = _pads(step, rows, columns)
        sides = _lying(window) if step.lies else window
        fields["window"] = {**sides, "pads": expression("pads", *pads)}
    for name in ("weights", "table", "scratch"):
        if step.has(name) and name in fields:
            at = step.first_at(name)
            fields[name] = step.near(at) if name == "table" else at
    if step.slopes:
        fields["requant"] = _slopes(step, fields["requant"])
    return fields


def _transposed(step: TileStep) -> Struct:
    """The first rows of a Transpose within them."""
    _, width, channels = step.hwc(step.node.output)
    rows = step.tiling.rows.cut(0).count
    ends = {name: step.near(step.first_at(buffer)) for name, buffer in _ENDS.items()}
    return {**ends, "shape": f"{{1, {rows}, {width}, {channels}}}"}


def _set_transposed(step: TileStep) -> Iterator[Statement]:
    for name, buffer in _ENDS.items():
        if _moves(step, buffer):
            yield statement("tile_set", name, step.near(step.at(buffer)))
    if differs(step.tiling.rows, "count"):
        yield statement("tile_set", "shape[1]", _cut("rows", "count"))


def _pads(step: TileStep, rows: Cut, columns: Cut) -> tuple[int, int, int, int]:
    """Of a tile: top, left, bottom and right, of outputs where a convolution is transposed."""
    tiling, padded = step.tiling, step.border_padding
    if tiling.rows.up:
        top = tiling.rows.offset(rows, padded=False)
        return top, tiling.columns.offset(columns, padded=padded), 0, 0
    left, right = (0, 0) if padded else (columns.before, columns.after)
    return rows.before, left, rows.after, right


def _lying(window: Struct) -> Struct:
    """``window`` of rows that are cut as columns."""
    other = {"height": "width", "width": "height"}
    parts = [(name.rpartition("_"), value) for name, value in window.items()]
    return {f"{what}_{other[side]}": v for (what, _, side), v in parts if side in other}


def _slopes(step: TileStep, requant: Term | Struct) -> Struct:
    """Tables of requantization in the inner memory."""
    assert isinstance(requant, dict)
    found = {table.field: expression("untyped", table.near) for table in step.slopes}
    return {**requant, **found}


def first_border_padding(step: TileStep) -> Struct:
    """Of the first tile, whose input is new."""
    rows, columns = step.first_cut
    depth = step.first_inputs * step.case.element_bytes
    return {
        "first": step.first_at("input"),
        "runs": str(rows.inputs + 1),
        "pitch": str((columns.inputs + border_padding_of(columns)) * depth),
        "bytes": str(border_padding_of(columns) * depth),
        "zero": str(step.call.zero(step.node.inputs[0])),
    }


def setting(step: TileStep) -> Iterator[Statement]:
    """Assignments of what is not the same in all tiles."""
    if step.transposes:
        yield from _set_transposed(step)
        return
    if step.border_padding:
        yield from _set_border_padding(step)
    else:
        yield from _set_inputs(step)
    outputs: int | Expression = step.tiling.channels.cut(0).count
    if differs(step.tiling.channels, "count"):
        outputs = _cut("channels", "count")
    yield from _set_tensor(step, "output", "output", "count", outputs)
    if "window" in arguments(step.call, step.node).fields:
        yield from _set_pads(step)
    if step.slopes and step.tiling.channels.count > 1:
        yield statement("tile_set", "first", _cut("channels", "begin"))
    if step.has("weights"):
        if step.tiling.buffer("weights").sides > 1:
            yield statement("tile_set", "weights", step.at("weights"))
        yield from _tables(step)


def _set_inputs(step: TileStep) -> Iterator[Statement]:
    for name, buffer, pixel in step.inputs:
        if pixel:
            yield from _set_pixel(step, name, buffer)
        else:
            yield from _set_tensor(step, name, buffer, "inputs", step.inner)


def _tensor(
    step: TileStep, whole: Term | Struct, buffer: str, size: tuple[int, int, int]
) -> Struct:
    """One that lies in the inner memory without gaps."""
    assert isinstance(whole, dict)
    height, width, depth = size
    return {
        **whole,
        "data": step.near(step.first_at(buffer)),
        "height": str(height),
        "width": str(width),
        "channels": str(depth),
        "row_pitch": str(width * depth),
        "pixel_pitch": str(depth),
    }


def _padded_input(step: TileStep, whole: Term | Struct) -> Struct:
    """The first tile's, whose zero points are columns like others."""
    rows, columns, depth = *step.first_cut, step.first_inputs
    across = columns.before + columns.inputs + columns.after
    found = _tensor(step, whole, "input", (rows.inputs, across, depth))
    skipped = (border_padding_of(columns) - columns.before) * depth
    pitch = (columns.inputs + border_padding_of(columns)) * depth
    begin = expression("sum", step.first_at("input"), skipped * step.case.element_bytes)
    return {**found, "data": step.near(begin), "row_pitch": str(pitch)}


def _set_tensor(
    step: TileStep, name: str, buffer: str, field: str, channels: int | Expression
) -> Iterator[Statement]:
    """``field``: of the cuts of rows and columns."""
    tiling = step.tiling
    wide, deep = differs(tiling.columns, field), isinstance(channels, Expression)
    columns = _cut("columns", field) if wide else getattr(tiling.columns.cut(0), field)
    if _moves(step, buffer):
        yield statement("tile_set", f"{name}.data", step.near(step.at(buffer)))
    if differs(tiling.rows, field):
        yield statement("tile_set", f"{name}.height", _cut("rows", field))
    if wide:
        yield statement("tile_set", f"{name}.width", columns)
    if wide or deep:
        yield statement("tile_set", f"{name}.row_pitch", expression("product", columns, channels))
    if deep:
        yield statement("tile_channels", name, channels)


def _moves(step: TileStep, buffer: str) -> bool:
    """Whether tiles have it in several places."""
    gathered = buffer == "output" and step.tiling.gathered
    return gathered or step.tiling.buffer(buffer).sides > 1


def _set_pixel(step: TileStep, name: str, buffer: str) -> Iterator[Statement]:
    if step.tiling.buffer(buffer).sides > 1:
        yield statement("tile_set", f"{name}.data", step.near(step.at(buffer)))
    if isinstance(step.inner, Expression):
        yield statement("tile_channels", name, step.inner)


def _cut(axis: str, field: str) -> Expression:
    return expression("tile_cut", axis, field)


def _set_border_padding(step: TileStep) -> Iterator[Statement]:
    tiling, size = step.tiling, step.case.element_bytes
    depth, wide = step.first_inputs * size, "wide_" if size > 1 else ""
    at, rows = step.at("input"), tiling.rows
    yield statement("border_padding")
    if differs(rows, "inputs"):
        yield statement("tile_set", "input.height", _cut("rows", "inputs"))
        yield statement("border_padding_runs")
    yield statement("border_padding_bytes", times(step.border_padding_pixels, depth))
    if tiling.columns.count > 1:
        yield statement(f"border_padding_{wide}columns", at, step.first_inputs)
    elif tiling.buffer("input").sides > 1:
        columns = tiling.columns.cut(0)
        yield statement("border_padding_first", at)
        yield statement(
            f"border_padding_{wide}data", (border_padding_of(columns) - columns.before) * depth
        )


def _set_offsets(step: TileStep) -> Iterator[Statement]:
    """The pads of a transposed convolution, where they differ."""
    tiling, axes = step.tiling, (("rows", "top"), ("columns", "left"))
    for name, side in axes[:1] if step.border_padding else axes:
        axis: Axis = getattr(tiling, name)
        if len({axis.offset(cut, padded=False) for cut in axis.cuts}) > 1:
            offset = expression("tile_offset", name, axis.pad, axis.stride)
            yield statement("tile_set", f"window.pads.{side}", offset)


def _set_pads(step: TileStep) -> Iterator[Statement]:
    if step.tiling.rows.up:
        yield from _set_offsets(step)
        return
    cut = (("rows", ("top", "bottom")), ("columns", ("left", "right")))
    for axis, sides in cut[:1] if step.border_padding else cut:
        for side, edge in zip(sides, ("before", "after"), strict=True):
            if differs(getattr(step.tiling, axis), edge):
                yield statement("tile_set", f"window.pads.{side}", _cut(axis, edge))


def _tables(step: TileStep) -> Iterator[Statement]:
    """Bias and requantization of the tile's channels; they stay where they are, or came with
    the weights."""
    fields = arguments(step.call, step.node).fields
    if step.tiling.channels.count == 1:
        return
    requant = fields["requant"]
    assert isinstance(requant, dict)
    found = {"bias": fields["bias"]}
    if requant["channel_step"] == "1":
        alone = ("rounding", "shift") if has_zero_alone(step.node) else ()
        names = (name for name in ("multiplier", "rounding", "shift") if name not in alone)
        found |= {f"requant.{name}": requant[name] for name in names}
    begin = _cut("channels", "begin")
    for name, table in found.items():
        assert isinstance(table, str)
        if table != "0":
            yield statement("tile_set", name, expression("sum", table, begin))
