"""Geometry of a region: which box of each value every call computes and reads, and what is stored.

For the planner, liveness, the checking interpreter and the code generator alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deployer.analysis.line_buffers import (
    Pulling,
    Rows,
    Rules,
    Window,
    overlap_offset,
    pulled,
    rings_of,
)
from deployer.analysis.spatial import Reach, need, needs, reaches
from deployer.analysis.storage import Slot, slots_of
from deployer.ir import LINE_BUFFERS, Graph, Region, Scope

Span = tuple[int, int]
Spans = Mapping[str, tuple[np.ndarray, np.ndarray]]
_ALIGN_BYTES = 4  # between the two tensors of an overlap


@dataclass(frozen=True)
class Piece:
    """One call: the box of ``value`` that its node computes, or of an input that is fetched.

    ``row`` and ``column`` index the region's pieces; one with line buffers has one row of pieces.
    """

    value: str
    rows: Span
    columns: Span
    row: int
    column: int


@dataclass(frozen=True)
class Operand:
    """The box of an activation that a call reads."""

    value: str
    rows: Span
    columns: Span


@dataclass(frozen=True)
class Ends:
    """Padding beyond the operands of a call, at either end of an axis (cropped from the full
    result in a transposed convolution)."""

    before: int
    after: int


@dataclass(frozen=True)
class Stored:
    """The buffer of an interior value or a fetched input; a ring holds row y at y % rows."""

    rows: int
    columns: int
    channels: int
    bytes: int


@dataclass(frozen=True, eq=False)
class RegionLayout:
    """Everything that follows from a graph and one of its regions."""

    scope: Scope

    @property
    def region(self) -> Region:
        return self.scope.region

    @property
    def line_buffered(self) -> bool:
        return self.region.mode == LINE_BUFFERS

    @property
    def summed(self) -> str:
        """The output that is summed up group by group, "" if none is; it exists at the end only."""
        return ""

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """Where each value the region writes, or fetches, lies."""
        return {**slots_of(self.scope), **{name: Slot(name) for name in self.region.fetch}}

    def members(self, owner: str) -> tuple[str, ...]:
        """The values that lie in the owner's buffer, itself among them."""
        return tuple(name for name, slot in self.slots.items() if slot.owner == owner)

    def most_channels(self, value: str) -> int:
        """Channels of the largest piece of ``value``."""
        return self.scope.graph.values[value].shape[-1]

    @cached_property
    def rules(self) -> tuple[tuple[tuple[str, Reach, Reach], ...], ...]:
        """Per node: its activations with the rules of rows and of columns."""
        return tuple(reaches(self.scope.graph, node) for node in self.scope.nodes)

    @cached_property
    def columns(self) -> Spans:
        """Per value, first column and the one behind the last of every column piece; inputs are
        fetched by whole rows."""
        whole = {name: (0, self.scope.extent(name, 1)) for name in self.region.fetch}
        fetched = {n: (np.array([lo]), np.array([hi])) for n, (lo, hi) in whole.items()}
        return {**self._spans(1, self.region.columns), **fetched}

    @cached_property
    def rows(self) -> Spans:
        """The same for the row pieces of a patched region."""
        return self._spans(0, self.region.rows)

    @cached_property
    def calls(self) -> tuple[Rows, ...]:
        """With line buffers: the calls for one column piece, each with the rows it makes."""
        return tuple(self._mirrored(call) for call in self._pulled)

    @cached_property
    def stored(self) -> Mapping[str, Stored]:
        """The buffers: of owners that are interior, and of fetched inputs."""
        rings = self._rings if self.line_buffered else {}
        found = {}
        for name in dict.fromkeys(slot.owner for slot in self.slots.values()):
            if name in self.scope.outputs:
                continue
            value = self.scope.graph.values[name]
            tall = (
                rings[name]
                if self.line_buffered
                else int(np.subtract(*self.rows[name][::-1]).max())
            )
            wide = int(np.subtract(*self.columns[name][::-1]).max())
            size = tall * wide * value.shape[3] * value.dtype.bytes
            found[name] = Stored(tall, wide, value.shape[3], size)
        return found

    def pieces(self) -> Iterator[Piece]:
        """Every call in order of execution."""
        across = max(1, len(self.region.columns) - 1)
        if self.line_buffered:
            for column in range(across):
                for call in self.calls:
                    wide = _span(self.columns[call.value], column)
                    yield Piece(call.value, (call.lo, call.hi), wide, 0, column)
            return
        order: Sequence[int] = range(max(1, len(self.region.rows) - 1))
        for row in reversed(order) if self.region.reverse else order:
            for column in range(across):
                for node in self.scope.nodes:
                    tall = _span(self.rows[node.output], row)
                    wide = _span(self.columns[node.output], column)
                    yield Piece(node.output, tall, wide, row, column)

    def unlike(self, value: str) -> Iterator[Piece]:
        """Of the calls that make ``value`` one for each combination of sizes and paddings."""
        _, downs, acrosses = zip(*self._rules_of(value), strict=True)
        columns = unlike_spans(*self.columns[value], acrosses)
        for tall in unlike_spans(*self._tall[value], downs):
            yield from (Piece(value, tall, wide, 0, 0) for wide in columns)

    @cached_property
    def _tall(self) -> Spans:
        """Per value, first row and the one behind the last of every call."""
        if not self.line_buffered:
            return self.rows
        found: dict[str, list[Span]] = {}
        for call in self.calls:
            found.setdefault(call.value, []).append((call.lo, call.hi))
        return {value: tuple(np.array(spans).T) for value, spans in found.items()}

    def operands(self, piece: Piece) -> tuple[Operand, ...]:
        """What the call of ``piece`` reads, in the order of the node's activations."""
        found = []
        for name, down, across in self._rules_of(piece.value):
            box = need(down, *piece.rows), need(across, *piece.columns)
            found.append(Operand(name, *box))
        return tuple(found)

    def pads(self, piece: Piece) -> tuple[Ends, Ends]:
        """Rows and columns of padding of the call, in place of the window's pads."""
        _, down, across = self._rules_of(piece.value)[0]
        return Ends(*down.pads(*piece.rows)), Ends(*across.pads(*piece.columns))

    def start(self, piece: Piece) -> tuple[int, int]:
        """Row and column at which the box of ``piece`` begins in the magnification of what its
        call reads."""
        _, down, across = self._rules_of(piece.value)[0]
        begins = ((down, piece.rows), (across, piece.columns))
        top, left = (reach.pads(*span)[0] - reach.pad for reach, span in begins)
        return top, left

    def origin(self, value: str, piece: Piece) -> tuple[int, int]:
        """Row and column of ``value`` at the start of its buffer during ``piece``; of a ring, row
        0, and a whole tensor begins at 0, 0."""
        slot = self.slots.get(value)
        if slot is None or slot.owner not in self.stored:
            return 0, 0
        left = int(self.columns[slot.owner][0][piece.column])
        return (0 if self.line_buffered else int(self.rows[slot.owner][0][piece.row])), left

    def gap(self) -> int:
        """Bytes between the starts (reversed: the ends) of the two tensors of ``region.over``."""
        source, target = self.region.over
        graph = self.scope.graph
        pitches = [_pitch(graph, name) for name in (source, target)]
        writers = self.members(target)
        if self.line_buffered:
            sizes = (source, pitches[0]), (writers, pitches[1])
            window = Window(self._pulled, self._readers, self._heights)
            gap = overlap_offset(window, *sizes)
        else:
            gap = self._patch_gap(writers, *pitches)
        return -(-gap // _ALIGN_BYTES) * _ALIGN_BYTES

    @cached_property
    def _heights(self) -> Mapping[str, int]:
        names = (*self.scope.inputs, *self.scope.writer)
        return {name: self.scope.extent(name, 0) for name in names}

    @cached_property
    def _vertical(self) -> Rules:
        """Rules of rows per value made or fetched, counted from the end if reversed."""
        mirrored = self.region.reverse
        made: dict[str, tuple[tuple[str, Reach], ...]] = dict.fromkeys(self.region.fetch, ())
        for node, rules in zip(self.scope.nodes, self.rules, strict=True):
            rows = ((name, down.mirrored() if mirrored else down) for name, down, _ in rules)
            made[node.output] = tuple(rows)
        return made

    @cached_property
    def _readers(self) -> Rules:
        found: dict[str, list[tuple[str, Reach]]] = {}
        for value, inputs in self._vertical.items():
            for name, reach in inputs:
                found.setdefault(name, []).append((value, reach))
        return found

    @cached_property
    def _pulled(self) -> tuple[Rows, ...]:
        return pulled(self._pulling)

    @cached_property
    def _pulling(self) -> Pulling:
        region = self.region
        outputs = self.scope.outputs
        return Pulling.of(self._vertical, self._heights, outputs, region.grid, region.chunk)

    @cached_property
    def _rings(self) -> Mapping[str, int]:
        owners = {name: slot.owner for name, slot in self.slots.items()}
        rings = rings_of(self._pulling, self._readers, owners)
        return {name: min(rows, self._heights[name]) for name, rows in rings.items()}

    def _mirrored(self, call: Rows) -> Rows:
        if not self.region.reverse:
            return call
        height = self._heights[call.value]
        return Rows(call.value, height - call.hi, height - call.lo)

    def _rules_of(self, value: str) -> tuple[tuple[str, Reach, Reach], ...]:
        at = self.scope.writer.get(value)
        return () if at is None else self.rules[at]

    def _spans(self, axis: int, points: Sequence[int]) -> Spans:
        rules = [(n.output, rules) for n, rules in zip(self.scope.nodes, self.rules, strict=True)]
        extents = {name: self.scope.extent(name, axis) for name in self.scope.outputs}
        split = points or (0, extents[self.region.grid])
        seeds = {name: share(split, split[-1], extent) for name, extent in extents.items()}
        along = [(v, [(name, (down, across)[axis]) for name, down, across in r]) for v, r in rules]
        return boxes(along, seeds)

    def _patch_gap(self, writers: Sequence[str], source_pitch: int, target_pitch: int) -> int:
        """Rows below those of the next piece are free once all readers of this one are done."""
        source, target = self.region.over
        (low, high), (_, hi) = self.rows[source], self.rows[target]
        low, hi = low.copy(), hi.copy()
        if self.region.reverse:
            height, made = self._heights[source], self._heights[target]
            low, hi = (height - high)[::-1], (made - self.rows[target][0])[::-1]
        writes = min(self.scope.writer[name] for name in writers)
        if max(self.scope.readers[source]) < writes and len(self.region.columns) <= 2:
            low = np.append(low[1:], self._heights[source])
        low = np.minimum.accumulate(low[::-1])[::-1]
        return max(0, int((hi * target_pitch - low * source_pitch).max()))


def boxes(
    rules: Sequence[tuple[str, Sequence[tuple[str, Reach]]]],
    seeds: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Along one axis, the range of every value that the pieces in ``seeds`` need.

    ``rules``: per node in order, its output and what it reads. Values nobody needs are left out.
    """
    spans = dict(seeds)
    for value, inputs in reversed(rules):
        if value not in spans:
            continue
        for name, reach in inputs:
            lo, hi = needs(reach, *spans[value])
            if name in spans:
                lo, hi = np.minimum(lo, spans[name][0]), np.maximum(hi, spans[name][1])
            spans[name] = lo, hi
    return spans


def share(points: Sequence[int], whole: int, extent: int) -> tuple[np.ndarray, np.ndarray]:
    """The pieces of an axis ``extent`` long, in proportion to split points of one ``whole`` long;
    none is empty."""
    cuts = np.asarray(points) * extent // whole
    first = np.minimum(cuts[:-1], extent - 1)
    return first, np.maximum(cuts[1:], first + 1)


def even_split(extent: int, count: int) -> tuple[int, ...]:
    """Points of ``count`` pieces, as even as they can be."""
    return tuple(extent * i // count for i in range(count + 1))


def _span(spans: tuple[np.ndarray, np.ndarray], at: int) -> Span:
    return int(spans[0][at]), int(spans[1][at])


def _pitch(graph: Graph, name: str) -> int:
    value = graph.values[name]
    return value.shape[2] * value.shape[3] * value.dtype.bytes


def unlike_spans(lo: np.ndarray, hi: np.ndarray, reaches: Sequence[Reach]) -> list[Span]:
    """Of the spans [lo, hi) of a node's output one for each combination of what calls depend on:
    its size, that of every input's part, and the pads beside the first."""
    parts = [needs(reach, lo, hi) for reach in reaches]
    pads = reaches[0].pads_beside(lo, hi, *parts[0])
    keys = np.stack([hi - lo, *(last - first for first, last in parts), *pads])
    found: dict[tuple[int, ...], int] = {}
    for at, key in enumerate(zip(*keys.tolist(), strict=True)):
        found.setdefault(key, at)
    return [(int(lo[at]), int(hi[at])) for _, at in sorted(found.items())]
