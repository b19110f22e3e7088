"""Functions of a step in tiles: what dpl/tiles.h calls. What no tile changes is a constant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from deployer.codegen.arguments import arguments
from deployer.codegen.call import Call, CallContext, Struct
from deployer.ir.graph import Node
from deployer.ir.tiling import Axis, Cut, Tiling
from deployer.kernelset.kernel import KernelCase, case_of
from deployer.kernelset.select import by_symbol

HEADER = "dpl/beside.h"  # with dpl/tiles.h
SOURCES = ("kernels/runtime/beside.c", "kernels/runtime/tiles.c")
GROUP = 4  # output channels whose weights lie together

_INPUTS: Mapping[str, tuple[str, ...]] = {
    "Add": ("left", "right"),
    "Sub": ("left", "right"),
    "Mul": ("left", "right"),
}


@dataclass(frozen=True)
class Move:
    """Commands to the DMA, given only where ``when``, a field of the tile, is set; "" always."""

    call: str
    when: str = ""


@dataclass(frozen=True)
class TilesView:
    """``call``: of the first tile. ``cuts``: the fields of a tile and the expressions that fill
    them. ``setting``: lines that turn the arguments of any tile into those of another. ``next``:
    the tiling that is ``ahead`` of this one's end, "" without. ``beside``: the fields of the zero
    points beside the rows of the first tile, {} without. ``names``: of the arguments and each
    function, "" where it has none; ``own``: those that are written with this step."""

    call: Call
    kernel: str
    notes: tuple[str, ...]
    count: int
    counts: tuple[tuple[str, int], ...]
    turns: str
    far: tuple[tuple[str, str], ...]
    sliced: int
    channels_inner: int
    cuts: tuple[tuple[str, str], ...]
    loads: tuple[Move, ...]
    stores: tuple[Move, ...]
    setting: tuple[str, ...]
    ahead: bool = False
    next: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()

    @property
    def parts(self) -> dict[str, object]:
        """What it is made of: arguments and functions, which steps of the same have together."""
        found: dict[str, object] = {
            "args": (self.call, self.beside),
            "load": (self.loads, self.loads_differ),
            "store": (self.stores, self.stores_differ),
            "compute": (self.call.struct, self.kernel, bool(self.beside)),
        }
        if self.count > 1:
            found |= {"cut": self.cuts, "set": (self.call.struct, self.setting)}
        return found

    @property
    def loads_differ(self) -> bool:
        """Whether what is loaded depends on the tile."""
        return any(move.when or "t->" in move.call for move in self.loads)

    @property
    def stores_differ(self) -> bool:
        """Whether where a tile goes depends on the tile."""
        return any("t->" in move.call for move in self.stores)


def tiles_view(call: CallContext, node: Node, tiling: Tiling, array: str) -> TilesView:
    """``node`` in the tiles of ``tiling``, which lie in the C array ``array``."""
    step = _Step(call, node, tiling, array, case_of(call.graph, node))
    return TilesView(
        call=step.first(),
        kernel=call.step.kernel,
        notes=_notes(tiling),
        count=tiling.count,
        counts=tuple((name, axis.count) for name, axis in _axes(tiling)),
        turns=step.at("turns"),
        far=tuple(step.far()),
        sliced=int(tiling.sliced),
        channels_inner=int(tiling.channels_inner),
        cuts=tuple(_cuts(tiling)),
        loads=tuple(step.loads()),
        stores=(Move(step.move("store", node.output, "output", "s->output")),),
        setting=tuple(step.setting()),
        ahead=tiling.ahead,
        beside=step.first_beside() if step.beside else {},
    )


def _axes(tiling: Tiling) -> tuple[tuple[str, Axis], ...]:
    return ("rows", tiling.rows), ("columns", tiling.columns), ("channels", tiling.channels)


def _notes(tiling: Tiling) -> tuple[str, ...]:
    """``4 tiles of 8x32x16, channels before places``, what lies in the inner memory, and what of it
    is there when the step begins."""
    size = "x".join(str(axis.tile) for _, axis in _axes(tiling))
    order = "all channels of a place first" if tiling.channels_inner else "all places first"
    arrays = (f"{b.id} {f'{b.sides} x ' if b.sides > 1 else ''}{b.size:,}" for b in tiling.buffers)
    costs = tiling.costs
    return (
        f"{tiling.count} tile{'s' if tiling.count > 1 else ''} of {size}, {order}",
        f"{tiling.memory} {tiling.bytes:,} bytes: {', '.join(arrays)}",
        f"estimated {costs.cycles:,} cycles, {costs.compute:,} in the kernel, "
        f"{costs.waiting:,} waiting for transfers",
        *(["arguments and first weights are fetched beside the step before"] * tiling.ahead),
        *(
            [f"{tiling.kept} is the output of the step before, where it lies"]
            if tiling.kept
            else []
        ),
    )


def _cuts(tiling: Tiling) -> Iterator[tuple[str, str]]:
    for (name, axis), index in zip(_axes(tiling), ("row", "column", "channel"), strict=True):
        numbers = axis.tile, axis.outputs, axis.inputs, axis.stride, axis.taps, axis.pad
        text = f"(dpl_axis){{{', '.join(map(str, numbers))}}}"
        if axis.count > 1:
            yield name, f"dpl_cut_at({text}, t->{index})"


@dataclass(frozen=True, eq=False)
class _Step:
    """One step and where things of it lie."""

    call: CallContext
    node: Node
    tiling: Tiling
    array: str
    case: KernelCase

    def at(self, name: str) -> str:
        """A buffer, or the side of it that a tile uses."""
        buffer = self.tiling.buffer(name)
        if buffer.sides == 1 or name == "turns":
            return self.first_at(name)
        side = "input" if name.startswith("input") else name
        return f"{self.first_at(name)} + t->{side}_side * {buffer.size}"

    def first_at(self, name: str) -> str:
        """Where the first tile has it."""
        return f"{self.array} + {self.tiling.buffer(name).offset}"

    @property
    def _activations(self) -> tuple[str, ...]:
        return self.call.graph.activations(self.node)

    def loads(self) -> Iterator[Move]:
        for index, value in enumerate(self._activations):
            if _input(index) == self.tiling.kept:
                continue
            far = f"s->inputs[{index}]"
            yield Move(self.move("load", value, _input(index), far), self._when("input"))
        if self._has("weights"):
            yield Move(self._weights(), self._when("weights"))
        if self._has("table"):
            table = f"dpl_dma_in({self.at('table')}, s->weights, 256)"
            yield Move(table, self._when("weights"))

    def far(self) -> Iterator[tuple[str, str]]:
        """Where tensors lie as a whole."""
        inputs = ", ".join(map(self.call.data, self._activations))
        yield "inputs", f"{{{inputs}}}"
        if self._has("weights"):
            yield "weights", self.call.weights(self.node)
        if self._has("table"):
            yield "weights", self.call.symbol(self.node.inputs[1])
        yield "output", self.call.data(self.node.output)

    def _when(self, what: str) -> str:
        return f"fresh_{what}" if self.tiling.count > 1 or self.tiling.ahead else ""

    @property
    def beside(self) -> bool:
        return by_symbol(self.call.step.kernel).beside(self.case)

    def _has(self, name: str) -> bool:
        return any(buffer.id == name for buffer in self.tiling.buffers)

    def _weights(self) -> str:
        source, size = "s->weights", self.tiling.group_bytes
        groups = f"(t->channels.count + {GROUP - 1}) / {GROUP}"
        if self.tiling.channels.count == 1:
            total = -(-self.tiling.channels.outputs // GROUP) * size
            return f"dpl_dma_in({self.at('weights')}, {source}, {total})"
        skipped = f"t->channels.begin / {GROUP} * {size}"
        return f"dpl_dma_in({self.at('weights')}, {source} + {skipped}, {groups} * {size})"

    def move(self, way: str, value: str, buffer: str, whole_at: str) -> str:
        """The commands for one tensor, which lies at ``whole_at``: one run, equally spaced lines,
        or boxes of short lines."""
        call, (height, width, depth) = self.call, self.call.hwc(value)
        row, pixel = call.pitches(value)
        begin, count = ("first", "inputs") if way == "load" else ("begin", "count")
        cut = way == "store" or self.tiling.sliced
        whole = not cut or self.tiling.channels.count == 1
        channels = str(depth) if whole else "t->channels.count"
        skipped = [
            *([f"t->rows.{begin} * {row}"] if self.tiling.rows.count > 1 else []),
            *([f"t->columns.{begin} * {pixel}"] if self.tiling.columns.count > 1 else []),
            *([] if whole else ["t->channels.begin"]),
        ]
        far = " + ".join([whole_at, *skipped])
        rows = f"t->rows.{count}" if self.tiling.rows.count > 1 else str(height)
        columns = f"t->columns.{count}" if self.tiling.columns.count > 1 else str(width)
        near = self.at(buffer)
        if way == "load" and self.beside:
            return self._load_beside(near, far, rows, columns, value)
        along = self.tiling.columns.count == 1
        pair = (near, far) if way == "load" else (far, near)
        verb = "dpl_dma_in" if way == "load" else "dpl_dma_out"
        ends = ", ".join(pair)
        if whole and (pixel == depth or width == 1):
            if along and (row == width * pixel or height == 1):
                return f"{verb}({ends}, {_times(rows, width * depth)})"
            return f"{verb}_lines({ends}, {rows}, {_times(columns, depth)}, {row})"
        if along and (row == width * pixel or height == 1):
            return f"{verb}_lines({ends}, {_times(rows, width)}, {channels}, {pixel})"
        return f"dpl_{way}_boxes({ends}, {rows}, {row}, {columns}, {pixel}, {channels})"

    @property
    def _pixels_beside(self) -> str:
        columns = self.tiling.columns
        if columns.count > 1:
            return "dpl_pixels_beside(&t->columns)"
        return str(_beside(columns.cut(0)))

    def _load_beside(self, near: str, far: str, rows: str, columns: str, value: str) -> str:
        depth, (row, pixel) = self.case.in_channels, self.call.pitches(value)
        beside = _times(self._pixels_beside, depth)
        ends = f"{near} + {beside}, {far}, {rows}"
        if pixel == depth:
            return f"dpl_load_beside({ends}, {_times(columns, depth)}, {row}, {beside})"
        return f"dpl_load_boxes_beside({ends}, {row}, {columns}, {pixel}, {depth}, {beside})"

    def first_beside(self) -> Mapping[str, str]:
        """Of the first tile, whose input is new."""
        rows, columns, depth = *self._first_cut, self.case.in_channels
        return {
            "first": self.first_at("input"),
            "runs": str(rows.inputs + 1),
            "pitch": str((columns.inputs + _beside(columns)) * depth),
            "bytes": str(_beside(columns) * depth),
            "zero": str(self.call.zero(self.node.inputs[0])),
        }

    @property
    def _first_cut(self) -> tuple[Cut, Cut]:
        return self.tiling.rows.cut(0), self.tiling.columns.cut(0)

    def _input_beside(self, whole: str | Struct) -> Struct:
        """The first tile's, whose zero points are columns like others."""
        rows, columns, depth = *self._first_cut, self.case.in_channels
        across = columns.before + columns.inputs + columns.after
        found = self._tensor(whole, "input", (rows.inputs, across, depth))
        skipped = (_beside(columns) - columns.before) * depth
        pitch = (columns.inputs + _beside(columns)) * depth
        return {**found, "data": f"{found['data']} + {skipped}", "row_pitch": str(pitch)}

    def first(self) -> Call:
        """The arguments of the first tile."""
        call, tiling = arguments(self.call, self.node), self.tiling
        fields = dict(call.fields)
        rows, columns, channels = (axis.cut(0) for _, axis in _axes(tiling))
        depth = channels.count if tiling.sliced else self.case.in_channels
        for name, buffer in self._inputs:
            fields[name] = self._tensor(fields[name], buffer, (rows.inputs, columns.inputs, depth))
        if self.beside:
            fields["input"] = self._input_beside(arguments(self.call, self.node).fields["input"])
        size = rows.count, columns.count, channels.count
        fields["output"] = self._tensor(fields["output"], "output", size)
        if isinstance(window := fields.get("window"), dict):
            left, right = (0, 0) if self.beside else (columns.before, columns.after)
            pads = rows.before, left, rows.after, right
            fields["window"] = {**window, "pads": f"{{{', '.join(map(str, pads))}}}"}
        for name in ("weights", "table", "scratch"):
            if self._has(name):
                fields[name] = self.first_at(name)
        return replace(call, fields=fields)

    def _tensor(self, whole: str | Struct, buffer: str, size: tuple[int, int, int]) -> Struct:
        """One that lies in the inner memory without gaps."""
        assert isinstance(whole, dict)
        height, width, depth = size
        return {
            **whole,
            "data": self.first_at(buffer),
            "height": str(height),
            "width": str(width),
            "channels": str(depth),
            "row_pitch": str(width * depth),
            "pixel_pitch": str(depth),
        }

    @property
    def _inputs(self) -> Iterator[tuple[str, str]]:
        """Fields of the arguments and the buffers they point to."""
        for index, name in enumerate(_INPUTS.get(self.node.op, ("input",))):
            yield name, _input(index)

    def setting(self) -> Iterator[str]:
        """Assignments of what is not the same in all tiles."""
        for name, buffer in () if self.beside else self._inputs:
            depth = "" if self.tiling.sliced else str(self.case.in_channels)
            yield from self._set_tensor(name, buffer, "inputs", depth)
        if self.beside:
            yield from self._set_beside()
        yield from self._set_tensor("output", "output", "count", "")
        if "window" in arguments(self.call, self.node).fields:
            yield from self._set_pads()
        if self._has("weights"):
            if self.tiling.buffer("weights").sides > 1:
                yield f"a->weights = {self.at('weights')};"
            yield from self._tables()

    def _set_tensor(self, name: str, buffer: str, field: str, depth: str) -> Iterator[str]:
        """``field``: of the cuts of rows and columns. ``depth``: of all tiles; "" as cut."""
        tiling = self.tiling
        wide = _differs(tiling.columns, field)
        deep = not depth and _differs(tiling.channels, "count")
        columns = f"t->columns.{field}" if wide else str(getattr(tiling.columns.cut(0), field))
        depth = depth or ("t->channels.count" if deep else str(tiling.channels.cut(0).count))
        if tiling.buffer(buffer).sides > 1:
            yield f"a->{name}.data = {self.at(buffer)};"
        if _differs(tiling.rows, field):
            yield f"a->{name}.height = t->rows.{field};"
        if wide:
            yield f"a->{name}.width = {columns};"
        if wide or deep:
            yield f"a->{name}.row_pitch = {columns} * {depth};"
        if deep:
            yield f"a->{name}.channels = a->{name}.pixel_pitch = {depth};"

    def _set_beside(self) -> Iterator[str]:
        tiling, depth = self.tiling, self.case.in_channels
        at, rows = self.at("input"), tiling.rows
        height = "t->rows.inputs" if rows.count > 1 else str(rows.cut(0).inputs)
        yield "dpl_beside *b = (dpl_beside *)(a + 1);"
        if _differs(rows, "inputs"):
            yield f"a->input.height = {height};"
            yield f"b->runs = {height} + 1;"
        yield f"b->bytes = t->fresh_input ? {_times(self._pixels_beside, depth)} : 0;"
        if tiling.columns.count > 1:
            yield f"dpl_set_beside(&a->input, b, &t->columns, {at}, {depth});"
        elif tiling.buffer("input").sides > 1:
            columns = tiling.columns.cut(0)
            yield f"b->first = {at};"
            yield f"a->input.data = b->first + {(_beside(columns) - columns.before) * depth};"

    def _set_pads(self) -> Iterator[str]:
        cut = (("rows", ("top", "bottom")), ("columns", ("left", "right")))
        for axis, sides in cut[:1] if self.beside else cut:
            for side, reach in zip(sides, ("before", "after"), strict=True):
                if _differs(getattr(self.tiling, axis), reach):
                    yield f"a->window.pads.{side} = t->{axis}.{reach};"

    def _tables(self) -> Iterator[str]:
        """Bias and requantization of the tile's channels; they stay where they are, or came with
        the weights."""
        fields = arguments(self.call, self.node).fields
        if self.tiling.channels.count == 1 or fields["bias"] == "0":
            return
        yield f"a->bias = {fields['bias']} + t->channels.begin;"
        requant = fields["requant"]
        assert isinstance(requant, dict)
        if requant["channel_step"] == "1":
            for name in ("multiplier", "rounding", "shift"):
                yield f"a->requant.{name} = {requant[name]} + t->channels.begin;"


def _input(index: int) -> str:
    """The buffer of an operand."""
    return f"input_{index}" if index else "input"


def _beside(columns: Cut) -> int:
    """Pixels between two rows of a tile."""
    return max(columns.before, columns.after)


def _differs(axis: Axis, field: str) -> bool:
    """Whether tiles along ``axis`` have several values of a field of their cuts."""
    return len({getattr(cut, field) for cut in axis.cuts}) > 1


def _times(count: str, size: int) -> str:
    if count.isdigit():
        return str(int(count) * size)
    return count if size == 1 else f"{count} * {size}"
