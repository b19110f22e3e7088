"""Functions of a step in tiles: what dpl/tiles.h calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deployer.codegen.arguments import arguments
from deployer.codegen.call import Call, CallContext
from deployer.ir.graph import Node
from deployer.ir.tiling import Axis, Tiling
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
    """``cuts``: the fields of a tile and the expressions that fill them. ``setting``: lines that
    turn the arguments of the whole step into those of a tile. ``beside``: whether zero points are
    written beside the rows of its input."""

    call: Call
    kernel: str
    notes: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    turns: str
    sliced: int
    channels_inner: int
    cuts: tuple[tuple[str, str], ...]
    loads: tuple[Move, ...]
    stores: tuple[Move, ...]
    setting: tuple[str, ...]
    beside: bool

    @property
    def stores_differ(self) -> bool:
        """Whether where a tile goes depends on the tile."""
        return any("t->" in move.call for move in self.stores)


def tiles_view(call: CallContext, node: Node, tiling: Tiling, array: str) -> TilesView:
    """``node`` in the tiles of ``tiling``, which lie in the C array ``array``."""
    step = _Step(call, node, tiling, array, case_of(call.graph, node))
    return TilesView(
        call=arguments(call, node),
        kernel=call.step.kernel,
        notes=_notes(tiling),
        counts=tuple((name, axis.count) for name, axis in _axes(tiling)),
        turns=step.at("turns"),
        sliced=int(tiling.sliced),
        channels_inner=int(tiling.channels_inner),
        cuts=tuple(_cuts(tiling)),
        loads=tuple(step.loads()),
        stores=(Move(step.move("store", node.output, "output")),),
        setting=tuple(step.setting()),
        beside=step.beside,
    )


def _axes(tiling: Tiling) -> tuple[tuple[str, Axis], ...]:
    return ("rows", tiling.rows), ("columns", tiling.columns), ("channels", tiling.channels)


def _notes(tiling: Tiling) -> tuple[str, ...]:
    """``4 tiles of 8x32x16, channels before places`` and what lies in the inner memory."""
    size = "x".join(str(axis.tile) for _, axis in _axes(tiling))
    order = "all channels of a place first" if tiling.channels_inner else "all places first"
    arrays = (f"{b.id} {f'{b.sides} x ' if b.sides > 1 else ''}{b.size:,}" for b in tiling.buffers)
    costs = tiling.costs
    return (
        f"{tiling.count} tile{'s' if tiling.count > 1 else ''} of {size}, {order}",
        f"{tiling.memory} {tiling.bytes:,} bytes: {', '.join(arrays)}",
        f"estimated {costs.cycles:,} cycles, {costs.compute:,} in the kernel, "
        f"{costs.waiting:,} waiting for transfers",
    )


def _cuts(tiling: Tiling) -> Iterator[tuple[str, str]]:
    for (name, axis), index in zip(_axes(tiling), ("row", "column", "channel"), strict=True):
        numbers = axis.tile, axis.outputs, axis.inputs, axis.stride, axis.taps, axis.pad
        text = f"(dpl_axis){{{', '.join(map(str, numbers))}}}"
        one = axis.count == 1
        yield name, f"dpl_cut_whole({text})" if one else f"dpl_cut_at({text}, t->{index})"


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
        start = f"{self.array} + {buffer.offset}"
        if buffer.sides == 1 or name == "turns":
            return start
        side = "input" if name.startswith("input") else name
        return f"{start} + t->{side}_side * {buffer.size}"

    @property
    def _activations(self) -> tuple[str, ...]:
        return self.call.graph.activations(self.node)

    def loads(self) -> Iterator[Move]:
        for index, value in enumerate(self._activations):
            name = f"input_{index}" if index else "input"
            yield Move(self.move("load", value, name), "fresh_input")
        if self._has("weights"):
            yield Move(self._weights(), "fresh_weights")
        if self._has("table"):
            table = self.call.symbol(self.node.inputs[1])
            yield Move(f"dpl_dma_in({self.at('table')}, {table}, 256)", "fresh_weights")

    @property
    def beside(self) -> bool:
        return by_symbol(self.call.step.kernel).beside(self.case)

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

    def _load_beside(self, near: str, far: str, rows: str, columns: str, value: str) -> str:
        depth, (row, pixel) = self.case.in_channels, self.call.pitches(value)
        beside = _times("dpl_pixels_beside(&t->columns)", depth)
        ends = f"{near} + {beside}, {far}, {rows}"
        if pixel == depth:
            return f"dpl_load_beside({ends}, {_times(columns, depth)}, {row}, {beside})"
        return (
            f"dpl_load_boxes_beside({ends}, {row}, {columns}, {pixel}, {depth}, {beside})"
        )

    def _inputs(self) -> Iterator[str]:
        depth = "t->channels.count" if self.tiling.sliced else str(self.case.in_channels)
        names = _INPUTS.get(self.node.op, ("input",))
        for index, name in enumerate(names):
            data = self.at(f"input_{index}" if index else "input")
            yield f"dpl_set_tile(&a->{name}, {data}, t->rows.inputs, t->columns.inputs, {depth});"

    def _input_beside(self) -> str:
        zero = self.call.zero(self.node.inputs[0])
        return (
            f"dpl_set_beside(&a->input, &a->window, (dpl_beside *)(a + 1), t, {self.at('input')}, "
            f"{self.case.in_channels}, {zero});"
        )

    def setting(self) -> Iterator[str]:
        if not self.beside:
            yield from self._inputs()
        yield (
            f"dpl_set_tile(&a->output, {self.at('output')}, t->rows.count, t->columns.count, "
            "t->channels.count);"
        )
        fields = arguments(self.call, self.node).fields
        if "window" in fields:
            yield "dpl_set_pads(&a->window, t);"
        if self.beside:
            yield self._input_beside()
        if self._has("weights"):
            yield f"a->weights = {self.at('weights')};"
            yield from self._tables()
        if self._has("table"):
            yield f"a->table = {self.at('table')};"
        if "scratch" in fields:
            yield f"a->scratch = {self.at('scratch') if self._has('scratch') else '0'};"

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


def _times(count: str, size: int) -> str:
    if count.isdigit():
        return str(int(count) * size)
    return count if size == 1 else f"{count} * {size}"
