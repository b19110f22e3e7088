"""A step in tiles as its generated code sees it: where its arrays lie, and what tiles differ in."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.codegen.call import CallContext
from deployer.codegen.statement import Expression, Term, expression
from deployer.ir import OPS, SLOPE_TABLES, Axis, Cut, Entries, Node, Tiling, input_name
from deployer.kernelset import (
    KernelCase,
    by_symbol,
    case_of,
    keeps_rows,
    lies,
    piece_sections,
    pieces_of,
)


@dataclass(frozen=True)
class SlopeTable:
    """A ``field`` of the requantization of a PRelu: its array, near and far."""

    field: str
    far: str
    near: Expression
    bytes: int


@dataclass(frozen=True, eq=False)
class TileStep:
    """``node`` in the tiles of ``tiling``, which lie in the C array ``array``."""

    call: CallContext
    node: Node
    tiling: Tiling
    array: str
    case: KernelCase

    def at(self, name: str) -> Expression:
        """A buffer, or the side of it that a tile uses."""
        buffer = self.tiling.buffer(name)
        if name == "output" and self.tiling.gathered:
            return expression("sum", self.first_at(name), self._gathered_before)
        if buffer.sides == 1 or name == "turns":
            return self.first_at(name)
        side = "input" if name.startswith("input") else name
        return expression("sum", self.first_at(name), expression("tile_side", side, buffer.size))

    def first_at(self, name: str) -> Expression:
        """Where the first tile has it."""
        return expression("sum", self.array, self.tiling.buffer(name).offset)

    @property
    def _gathered_before(self) -> Expression:
        """Bytes of the output that the tiles before this one make: rows, or channels of a pixel."""
        tiling, size = self.tiling, self.case.element_bytes
        if tiling.rows.count > 1:
            size *= tiling.columns.outputs * tiling.channels.outputs
            return expression("product", expression("tile_cut", "rows", "begin"), size)
        begin = expression("tile_cut", "channels", "begin")
        return begin if size == 1 else expression("product", begin, size)

    @property
    def lies(self) -> bool:
        """Whether columns of one pixel are cut as rows."""
        return lies(by_symbol(self.call.step.kernel), case_of(self.call.graph, self.node))

    def hwc(self, value: str) -> tuple[int, int, int]:
        """Rows, columns and channels of a tensor that is cut."""
        height, width, depth = self.call.hwc(value)
        return (width, height, depth) if self.lies else (height, width, depth)

    def near(self, at: Term) -> Term:
        """An address of bytes as one of the tensors' type."""
        return at if self.case.element_bytes == 1 else expression("untyped", at)

    def pitches(self, value: str) -> tuple[int, int]:
        """Elements from a pixel to the one below, and to the one on its right."""
        row, pixel = self.call.pitches(value)
        return (self.call.hwc(value)[0] * row, row) if self.lies else (row, pixel)

    @property
    def activations(self) -> tuple[str, ...]:
        return self.call.graph.activations(self.node)

    @property
    def inputs(self) -> tuple[tuple[str, str, bool], ...]:
        """Fields of the arguments, the buffers they point to, and whether these hold one pixel for
        all of the output, which is on the right."""
        pixels = self.case.pixels
        if len(pixels) == 1:
            return (("input", input_name(0), False),)
        left, right = (1, 0) if pixels[0] else (0, 1)
        return (
            ("left", input_name(left), pixels[left]),
            ("right", input_name(right), pixels[right]),
        )

    @property
    def transposes(self) -> bool:
        """Whether rows are cut of tensors that the arguments have as shapes alone."""
        return keeps_rows(self.node)

    @property
    def border_padding(self) -> bool:
        return by_symbol(self.call.step.kernel).border_padding(self.case)

    def has(self, name: str) -> bool:
        return any(buffer.id == name for buffer in self.tiling.buffers)

    @property
    def border_padding_pixels(self) -> int | Expression:
        columns = self.tiling.columns
        if columns.count > 1:
            return expression("tile_border_padding")
        return border_padding_of(columns.cut(0))

    @property
    def slopes(self) -> tuple[SlopeTable, ...]:
        """The tables of all channels of a PRelu, one behind the other."""
        if OPS[self.node.op].entries is not Entries.SLOPES:
            return ()
        found, offset, count = [], self.tiling.buffer("table").offset, self.case.out_channels + 1
        for field, size in SLOPE_TABLES.items():
            near = expression("sum", self.array, offset)
            far = self.call.symbol(getattr(self.node.rq, field))
            found.append(SlopeTable(field, far, near, size * count))
            offset += size * count
        return tuple(found)

    @property
    def grouped(self) -> bool:
        """Whether output channels need those of their group, as many in every tile."""
        return self.case.grouped

    @property
    def has_units(self) -> bool:
        """Whether output channels need others of the input than those of their own number."""
        return (self.tiling.unit, self.tiling.depth) != (1, 1)

    @property
    def input_channels(self) -> int | Expression:
        """Of a tile of a step whose inputs are cut as its output is."""
        tiling = self.tiling
        if not differs(tiling.channels, "count"):
            return tiling.input_channels(tiling.channels.tile)
        if self.has_units:
            return expression("tile_inputs", tiling.unit, tiling.depth)
        return expression("tile_cut", "channels", "count")

    @property
    def inner(self) -> int | Expression:
        """Channels of a tile's input."""
        return self.input_channels if self.tiling.sliced else self.case.in_channels

    @property
    def first_inputs(self) -> int:
        """Channels of the input of the first tile."""
        tiling = self.tiling
        if not tiling.sliced:
            return self.case.in_channels
        return tiling.input_channels(tiling.channels.cut(0).count)

    @property
    def weight_bytes(self) -> int:
        """Of a tile: each group of channels begins with a piece of its own."""
        tiling = self.tiling
        channels = tiling.channels.cut(0).count
        unit = tiling.unit if self.grouped else channels
        return pieces_of(channels, unit) * tiling.group_bytes

    @property
    def weight_sections(self) -> tuple[int, ...]:
        """Bytes of a tile in each section of the weights: one, or those of the remainders of a
        transposed convolution."""
        if not self.tiling.rows.up or self.tiling.channels.count == 1:
            return (self.weight_bytes,)
        weights = self.call.graph.constants[self.node.inputs[1]]
        case = case_of(self.call.graph, self.node)
        pieces = self.weight_bytes // self.tiling.group_bytes
        sections = piece_sections(weights, case.stride, case.groups, case.element_bytes)
        return tuple(pieces * size for size in sections)

    @property
    def first_cut(self) -> tuple[Cut, Cut]:
        return self.tiling.rows.cut(0), self.tiling.columns.cut(0)


def border_padding_of(columns: Cut) -> int:
    """Pixels between two rows of a tile."""
    return max(columns.before, columns.after)


def differs(axis: Axis, field: str) -> bool:
    """Whether tiles along ``axis`` have several values of a field of their cuts."""
    return len({getattr(cut, field) for cut in axis.cuts}) > 1


def times(count: int | Expression, size: int) -> int | Expression:
    if isinstance(count, int):
        return count * size
    return count if size == 1 else expression("product", count, size)


def axes_of(tiling: Tiling) -> tuple[tuple[str, Axis], ...]:
    return ("rows", tiling.rows), ("columns", tiling.columns), ("channels", tiling.channels)
