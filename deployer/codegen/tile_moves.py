"""What moves between a step's tiles in the inner memory and its tensors in the arena's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.choices import Word
from deployer.codegen.statement import Expression, Statement, Term, expression, statement
from deployer.codegen.tile_step import TileStep, times
from deployer.ir import input_name
from deployer.kernelset import GROUP_CHANNELS


class Direction(Word):
    """Of a tile: into the inner memory, or out of it. Templates begin with the word."""

    LOAD = "load"
    STORE = "store"


@dataclass(frozen=True)
class Move:
    """Commands to the DMA, given only where ``when``, a field of the tile, is set; "" always."""

    call: Statement
    when: str = ""


def loads(step: TileStep) -> Iterator[Move]:
    for index, value in enumerate(step.activations):
        if input_name(index) == step.tiling.kept:
            continue
        far = expression("far_input", index)
        if step.case.pixels[index]:
            moved = _pixel(step, input_name(index), far)
        else:
            moved = _move(step, Direction.LOAD, value, input_name(index), far)
        yield Move(moved, _when(step, "input"))
    if step.has("weights"):
        sections = _weight_sections(step) if step.tiling.rows.up else [_weights(step)]
        yield from (Move(each, _when(step, "weights")) for each in sections)
    if step.has("table"):
        yield from (Move(each, _when(step, "weights")) for each in _tables(step))


def stores(step: TileStep) -> Iterator[Move]:
    yield Move(
        _move(step, Direction.STORE, step.node.output, "output", expression("far", "output"))
    )


def far(step: TileStep) -> Iterator[tuple[str, Term]]:
    """Where tensors lie as a whole, the inputs apart."""
    if step.has("weights"):
        yield "weights", step.call.weights(step.node)
    if step.has("table") and not step.slopes:
        yield "weights", step.near(step.call.symbol(step.node.inputs[1]))
    yield "output", step.call.data(step.node.output)


def _when(step: TileStep, what: str) -> str:
    return f"fresh_{what}" if step.tiling.count > 1 or step.tiling.prefetched else ""


def _weight_sections(step: TileStep) -> Iterator[Statement]:
    """Of a transposed convolution: as many channels of each remainder in every tile."""
    near, far = 0, 0
    for size in step.weight_sections:
        begin: list[Term] = [expression("far", "weights")]
        if step.tiling.channels.count > 1:
            begin += [far, expression("product", expression("tile_index", "channel"), size)]
        at = expression("sum", step.at("weights"), near)
        yield statement("load_run", at, expression("sum", *begin), size)
        near, far = near + size, far + size * step.tiling.channels.count


def _weights(step: TileStep) -> Statement:
    source, size = expression("far", "weights"), step.tiling.group_bytes
    if step.tiling.channels.count == 1:
        return statement("load_run", step.at("weights"), source, step.weight_bytes)
    if step.grouped:
        skipped = expression("product", expression("tile_index", "channel"), step.weight_bytes)
        begin = expression("sum", source, skipped)
        return statement("load_run", step.at("weights"), begin, step.weight_bytes)
    skipped = expression("tile_groups_before", GROUP_CHANNELS, size)
    groups = expression("tile_groups", GROUP_CHANNELS, size)
    return statement("load_run", step.at("weights"), expression("sum", source, skipped), groups)


def _pixel(step: TileStep, buffer: str, far: Expression) -> Statement:
    """Some channels of an input that is one pixel."""
    if step.tiling.channels.count > 1:
        begin = times(expression("tile_cut", "channels", "begin"), step.case.element_bytes)
        far = expression("sum", far, begin)
    return statement("load_run", step.at(buffer), far, times(step.inner, step.case.element_bytes))


def _tables(step: TileStep) -> Iterator[Statement]:
    """Those of a function, or of slopes, an array behind the other."""
    if not step.slopes:
        size = step.call.graph.constants[step.node.inputs[1]].nbytes
        yield statement("load_run", step.at("table"), expression("far", "weights"), size)
    for array in step.slopes:
        yield statement("load_run", array.near, array.far, array.bytes)


def _move(
    step: TileStep, direction: Direction, value: str, buffer: str, whole_at: Expression
) -> Statement:
    """The commands for one tensor, which lies at ``whole_at``: one run, equally spaced lines,
    or boxes of short lines."""
    height, width, depth = step.hwc(value)
    depth *= step.case.element_bytes
    row, pixel = (pitch * step.case.element_bytes for pitch in step.pitches(value))
    begin, count = ("first", "inputs") if direction is Direction.LOAD else ("begin", "count")
    loads, tiling = direction is Direction.LOAD, step.tiling
    whole = tiling.channels.count == 1 or (loads and not tiling.sliced)
    channels: int | Expression = depth
    passed = expression("tile_cut", "channels", "begin")
    if not whole:
        channels = step.input_channels if loads else expression("tile_cut", "channels", "count")
        channels = times(channels, step.case.element_bytes)
    if loads and step.has_units:
        passed = expression("tile_inputs_before", tiling.unit, tiling.depth)
    skipped: list[int | Expression] = [
        expression("product", expression("tile_cut", axis, begin), pitch)
        for axis, pitch in (("rows", row), ("columns", pixel))
        if getattr(step.tiling, axis).count > 1
    ]
    skipped += [] if whole else [times(passed, step.case.element_bytes)]
    far = expression("sum", whole_at, *skipped)
    rows = expression("tile_cut", "rows", count) if step.tiling.rows.count > 1 else height
    columns = expression("tile_cut", "columns", count) if step.tiling.columns.count > 1 else width
    near = step.at(buffer)
    if direction is Direction.LOAD and step.border_padding:
        return _load_padded(step, near, far, rows, columns, value, channels)
    along = step.tiling.columns.count == 1
    if whole and (pixel == depth or width == 1):
        if along and (row == width * pixel or height == 1):
            return statement(f"{direction}_run", near, far, times(rows, width * depth))
        return statement(f"{direction}_lines", near, far, rows, times(columns, depth), row)
    if along and (row == width * pixel or height == 1):
        return statement(f"{direction}_lines", near, far, times(rows, width), channels, pixel)
    return statement(f"{direction}_boxes", near, far, rows, row, columns, pixel, channels)


def _load_padded(
    step: TileStep,
    near: Expression,
    far: Expression,
    rows: int | Expression,
    columns: int | Expression,
    value: str,
    depth: int | Expression,
) -> Statement:
    """``depth``: bytes of a pixel, as many in every tile."""
    assert isinstance(depth, int)
    row, pixel = (pitch * step.case.element_bytes for pitch in step.pitches(value))
    padding = times(step.border_padding_pixels, depth)
    ends = expression("sum", near, padding), far, rows
    if pixel == depth:
        return statement("load_padded_rows", *ends, times(columns, depth), row, padding)
    return statement("load_padded_boxes", *ends, row, columns, pixel, depth, padding)
