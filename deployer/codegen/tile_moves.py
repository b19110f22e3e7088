"""What moves between a step's tiles in the inner memory and its tensors in the arena's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.codegen.statement import Statement, statement
from deployer.codegen.tile_step import TileStep, times
from deployer.ir import input_name
from deployer.kernelset import GROUP_CHANNELS


@dataclass(frozen=True)
class Move:
    """Commands to the DMA, given only where ``when``, a field of the tile, is set; "" always."""

    call: Statement
    when: str = ""


def loads(step: TileStep) -> Iterator[Move]:
    for index, value in enumerate(step.activations):
        if input_name(index) == step.tiling.kept:
            continue
        far = f"s->inputs[{index}]"
        yield Move(_move(step, "load", value, input_name(index), far), _when(step, "input"))
    if step.has("weights"):
        yield Move(_weights(step), _when(step, "weights"))
    if step.has("table"):
        table = statement("load_run", step.at("table"), "s->weights", 256)
        yield Move(table, _when(step, "weights"))


def stores(step: TileStep) -> Iterator[Move]:
    yield Move(_move(step, "store", step.node.output, "output", "s->output"))


def far(step: TileStep) -> Iterator[tuple[str, str]]:
    """Where tensors lie as a whole, the inputs apart."""
    if step.has("weights"):
        yield "weights", step.call.weights(step.node)
    if step.has("table"):
        yield "weights", step.call.symbol(step.node.inputs[1])
    yield "output", step.call.data(step.node.output)


def _when(step: TileStep, what: str) -> str:
    return f"fresh_{what}" if step.tiling.count > 1 or step.tiling.prefetched else ""


def _weights(step: TileStep) -> Statement:
    source, size = "s->weights", step.tiling.group_bytes
    groups = f"(t->channels.count + {GROUP_CHANNELS - 1}) / {GROUP_CHANNELS}"
    if step.tiling.channels.count == 1:
        total = -(-step.tiling.channels.outputs // GROUP_CHANNELS) * size
        return statement("load_run", step.at("weights"), source, total)
    skipped = f"t->channels.begin / {GROUP_CHANNELS} * {size}"
    return statement("load_run", step.at("weights"), f"{source} + {skipped}", f"{groups} * {size}")


def _move(step: TileStep, direction: str, value: str, buffer: str, whole_at: str) -> Statement:
    """The commands for one tensor, which lies at ``whole_at``: one run, equally spaced lines,
    or boxes of short lines."""
    call, (height, width, depth) = step.call, step.call.hwc(value)
    row, pixel = call.pitches(value)
    begin, count = ("first", "inputs") if direction == "load" else ("begin", "count")
    cut = direction == "store" or step.tiling.sliced
    whole = not cut or step.tiling.channels.count == 1
    channels = str(depth) if whole else "t->channels.count"
    skipped = [
        *([f"t->rows.{begin} * {row}"] if step.tiling.rows.count > 1 else []),
        *([f"t->columns.{begin} * {pixel}"] if step.tiling.columns.count > 1 else []),
        *([] if whole else ["t->channels.begin"]),
    ]
    far = " + ".join([whole_at, *skipped])
    rows = f"t->rows.{count}" if step.tiling.rows.count > 1 else str(height)
    columns = f"t->columns.{count}" if step.tiling.columns.count > 1 else str(width)
    near = step.at(buffer)
    if direction == "load" and step.beside:
        return _load_beside(step, near, far, rows, columns, value)
    along = step.tiling.columns.count == 1
    if whole and (pixel == depth or width == 1):
        if along and (row == width * pixel or height == 1):
            return statement(f"{direction}_run", near, far, times(rows, width * depth))
        return statement(f"{direction}_lines", near, far, rows, times(columns, depth), row)
    if along and (row == width * pixel or height == 1):
        return statement(f"{direction}_lines", near, far, times(rows, width), channels, pixel)
    return statement(f"{direction}_boxes", near, far, rows, row, columns, pixel, channels)


def _load_beside(
    step: TileStep, near: str, far: str, rows: str, columns: str, value: str
) -> Statement:
    depth, (row, pixel) = step.case.in_channels, step.call.pitches(value)
    beside = times(step.pixels_beside, depth)
    ends = f"{near} + {beside}", far, rows
    if pixel == depth:
        return statement("load_beside", *ends, times(columns, depth), row, beside)
    return statement("load_boxes_beside", *ends, row, columns, pixel, depth, beside)
