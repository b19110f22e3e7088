"""Functions of a step in tiles: what dpl/tiles.h calls. What no tile changes is a constant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from deployer.codegen.arguments import arguments
from deployer.codegen.call import Call, CallContext, Struct
from deployer.ir.graph import Node
from deployer.ir.tiling import Axis, Tiling
from deployer.kernelset.kernel import KernelCase, case_of

HEADER = "dpl/tiles.h"
SOURCE = "kernels/runtime/tiles.c"
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
    the tiling that is ``ahead`` of this one's end, "" without."""

    call: Call
    kernel: str
    notes: tuple[str, ...]
    count: int
    counts: tuple[tuple[str, int], ...]
    turns: str
    sliced: int
    channels_inner: int
    cuts: tuple[tuple[str, str], ...]
    loads: tuple[Move, ...]
    stores: tuple[Move, ...]
    setting: tuple[str, ...]
    ahead: bool = False
    next: str = ""

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
        sliced=int(tiling.sliced),
        channels_inner=int(tiling.channels_inner),
        cuts=tuple(_cuts(tiling)),
        loads=tuple(step.loads()),
        stores=(Move(step.move("store", node.output, "output")),),
        setting=tuple(step.setting()),
        ahead=tiling.ahead,
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
            yield Move(self.move("load", value, _input(index)), self._when("input"))
        if self._has("weights"):
            yield Move(self._weights(), self._when("weights"))
        if self._has("table"):
            table = self.call.symbol(self.node.inputs[1])
            yield Move(f"dpl_dma_in({self.at('table')}, {table}, 256)", self._when("weights"))

    def _when(self, what: str) -> str:
        return f"fresh_{what}" if self.tiling.count > 1 or self.tiling.ahead else ""

    def _has(self, name: str) -> bool:
        return any(buffer.id == name for buffer in self.tiling.buffers)

    def _weights(self) -> str:
        source, size = self.call.weights(self.node), self.tiling.group_bytes
        groups = f"(t->channels.count + {GROUP - 1}) / {GROUP}"
        if self.tiling.channels.count == 1:
            total = -(-self.tiling.channels.outputs // GROUP) * size
            return f"dpl_dma_in({self.at('weights')}, {source}, {total})"
        skipped = f"t->channels.begin / {GROUP} * {size}"
        return f"dpl_dma_in({self.at('weights')}, {source} + {skipped}, {groups} * {size})"

    def move(self, way: str, value: str, buffer: str) -> str:
        """The commands for one tensor: one run, equally spaced lines, or boxes of short lines."""
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
        far = " + ".join([call.data(value), *skipped])
        rows = f"t->rows.{count}" if self.tiling.rows.count > 1 else str(height)
        columns = f"t->columns.{count}" if self.tiling.columns.count > 1 else str(width)
        near = self.at(buffer)
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

    def first(self) -> Call:
        """The arguments of the first tile."""
        call, tiling = arguments(self.call, self.node), self.tiling
        fields = dict(call.fields)
        rows, columns, channels = (axis.cut(0) for _, axis in _axes(tiling))
        depth = channels.count if tiling.sliced else self.case.in_channels
        for name, buffer in self._inputs:
            fields[name] = self._tensor(fields[name], buffer, (rows.inputs, columns.inputs, depth))
        size = rows.count, columns.count, channels.count
        fields["output"] = self._tensor(fields["output"], "output", size)
        if isinstance(window := fields.get("window"), dict):
            pads = rows.before, columns.before, rows.after, columns.after
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
        for name, buffer in self._inputs:
            depth = "" if self.tiling.sliced else str(self.case.in_channels)
            yield from self._set_tensor(name, buffer, "inputs", depth)
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

    def _set_pads(self) -> Iterator[str]:
        for axis, sides in (("rows", ("top", "bottom")), ("columns", ("left", "right"))):
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


def _differs(axis: Axis, field: str) -> bool:
    """Whether tiles along ``axis`` have several values of a field of their cuts."""
    return len({getattr(cut, field) for cut in axis.cuts}) > 1


def _times(count: str, size: int) -> str:
    if count.isdigit():
        return str(int(count) * size)
    return count if size == 1 else f"{count} * {size}"
