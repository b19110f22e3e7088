"""All regions that end at one node: what each needs and costs, patched or streamed.

One backward pass gives the boxes of all nodes before it, and one simulation the rings: neither
depends on where a region begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from deployer.analysis.overlap import pair_bytes
from deployer.analysis.regions import boxes, even_split, share
from deployer.analysis.spatial import Reach
from deployer.analysis.storage import Slot, assign
from deployer.analysis.stream import Rows, Window, pull, ring_rows
from deployer.ir.graph import Node
from deployer.ir.types import Value
from deployer.restructure.facts import Facts, Way

LONGEST = 48  # nodes of a region
COUNTS = (1, 2, 3, 4, 5, 6, 8)
STRIPS = (1, 2, 3, 4)
CHUNKS = (1, 2, 4)


class Prefix:
    """The spatial nodes before and at ``last`` that a region ending there can have."""

    def __init__(self, facts: Facts, last: int):
        self.facts, self.last = facts, last
        first = last
        while first > 0 and facts.spatial[first - 1] and last - first + 1 < LONGEST:
            first -= 1
        self.first, graph = first, facts.graph
        self.nodes = graph.nodes[first : last + 1]
        self.grid = graph.nodes[last].output
        self.outputs = [n.output for n in self.nodes if self._leaves(n.output)]
        self.slots = assign(graph, self.nodes, lambda name: not self._leaves(name))

    def runs(self, fetch: bool) -> Iterator[tuple[int, list[Way]]]:
        if self.grid not in self.outputs:
            return
        patches = list(self._patches())
        height = self._heights[self.grid]
        streams = [list(self._streams(fetch, chunk)) for chunk in CHUNKS if chunk <= height]
        for at, first in enumerate(range(self.last, self.first - 1, -1)):
            yield first, [*patches[at], *(way for chunk in streams for way in chunk[at])]

    @cached_property
    def _position(self) -> dict[str, int]:
        return {node.output: i for i, node in enumerate(self.nodes)}

    def _pixel(self, name: str) -> int:
        value = self.facts.graph.values[name]
        return value.shape[3] * value.dtype.bytes

    def _leaves(self, value: str) -> bool:
        return self.facts.last[value] > self.last or value in self.facts.graph.outputs

    def _along(self, axis: int, counts: Sequence[int]) -> dict[int, dict[str, tuple[int, ...]]]:
        """Per number of pieces and value: the largest piece, the sum of all, those that cores
        divide as the largest share, the sum of those with fewer rows than cores, all in
        pairs."""
        values, facts = self.facts.graph.values, self.facts
        rules = facts.rules[self.first : self.last + 1]
        along = [
            (node.output, [(name, (down, across)[axis]) for name, down, across in inputs])
            for node, inputs in zip(self.nodes, rules, strict=True)
        ]
        extents = {name: values[name].shape[1 + axis] for name in self.outputs}
        counts = [count for count in counts if count <= extents[self.grid]]
        starts = np.cumsum([0, *counts[:-1]])
        seeds = {name: _shares(counts, extents[self.grid], n) for name, n in extents.items()}
        found: dict[int, dict[str, tuple[int, ...]]] = {count: {} for count in counts}
        for name, (lo, hi) in boxes(along, seeds).items():
            for count, row in zip(counts, _sums(hi - lo, starts, facts.cores), strict=True):
                found[count][name] = row
        return found

    @cached_property
    def _columns(self) -> dict[int, dict[str, tuple[int, ...]]]:
        return self._along(1, COUNTS)

    def _patches(self) -> Iterator[list[Way]]:
        """For runs of growing length."""
        facts, rows = self.facts, self._along(0, COUNTS)
        splits = [(h, w) for h in rows for w in self._columns if h * w > 1]
        tall, wide = (_table(spans, self.nodes) for spans in (rows, self._columns))
        high = np.array([list(rows).index(h) for h, _ in splits], int)
        across = np.array([list(self._columns).index(w) for _, w in splits], int)
        calls = np.array([h * w for h, w in splits])
        strips = np.array([w for _, w in splits])
        live = np.tile([facts.spare(i) for i in range(self.first, self.last + 1)], (len(splits), 1))
        begins: dict[str, int] = {}
        cost = np.zeros(len(splits))
        for first in range(self.last, self.first - 1, -1):
            at = first - self.first
            name, factors = self.nodes[at].output, facts.factors[first]
            pieces = tall[at][high], wide[at][across]
            owner = self.slots[name].owner
            if not self._leaves(owner):
                root = self._position[owner]
                tile = tall[root][high][:, 0] * wide[root][across][:, 0] * self._pixel(owner)
                end = begins.setdefault(owner, facts.last[owner] + 1 - self.first)
                live[:, at:end] += (-(-tile // 4) * 4)[:, None]
                begins[owner] = at
            across_all = pieces[1][:, 1]
            down_all = pieces[0][:, 4 if factors.together > 1 else 2]
            cost = cost + (factors.pixel * across_all + factors.row * strips) * down_all
            if factors.thin:
                line = factors.thin.pixel * across_all + factors.thin.row * strips
                cost = cost + line * pieces[0][:, 3]
            cost = cost + factors.call * calls - facts.whole_costs[first]
            peaks = facts.whole(first, self.last + 1) + live[:, at:].max(axis=1)
            keep = _front(cost, peaks)
            yield [Way(float(cost[k]), int(peaks[k]), "patch", splits[k]) for k in keep]

    def _streams(self, fetch: bool, chunk: int) -> Iterator[list[Way]]:
        """For runs of growing length, ``chunk`` rows a call."""
        facts, values = self.facts, self.facts.graph.values
        calls = list(pull(self._rules, self._heights, self.outputs, self.grid, chunk))
        sizes = _sizes(calls)
        owner = {name: self.slots.get(name, Slot(name)).owner for name in self._rules}
        rings = ring_rows(calls, self._readers, self._heights, owner)
        lows = self._lows(calls)
        strips = [w for w in self._columns if w in STRIPS]
        cost, held, spare = dict.fromkeys(strips, 0.0), dict.fromkeys(strips, 0), 0
        begun: set[str] = set()
        for first in range(self.last, self.first - 1, -1):
            name, factors = self.nodes[first - self.first].output, facts.factors[first]
            spare = max(spare, facts.spare(first))
            width, root = values[name].shape[2], owner[name]
            call = factors.call + factors.hop * self._depths[name]
            for w in strips:
                wide = self._columns[w].get(name, (width, width))[1]
                cost[w] -= facts.whole_costs[first]
                for tall, count in sizes.get(name, ()):
                    pixel, row = factors.line(tall)
                    cost[w] += count * ((pixel * wide + row * w) * tall + call * w)
                if not self._leaves(root) and root not in begun:
                    held[w] += self._ring(root, rings[root], w)
            begun.add(root)
            whole = facts.whole(first, self.last + 1) + spare
            options = [Way(cost[w], whole + held[w], "stream", (1, w)) for w in strips]
            options += self._overlaps(first, cost[1], whole + held[1], lows)
            if fetch and first == 0:
                options += self._fetching(cost[1], whole + held[1], rings)
            yield [replace(way, chunk=chunk) for way in options] if chunk > 1 else options

    def _fetching(self, cost: float, peak: int, rings: Mapping[str, int]) -> list[Way]:
        """The input by rows: its bytes give way to a ring."""
        (name,) = self.facts.graph.inputs[:1]
        if self.facts.last[name] > self.last or name not in self._readers:
            return []
        value = self.facts.graph.values[name]
        ring = -(-min(rings[name], value.shape[1]) * _pitch(value) // 4) * 4  # rows come whole
        less = self.facts.size[name] - ring
        return [Way(cost, peak - less, "stream", fetch=True)]

    def _ring(self, name: str, rows: int, strips: int) -> int:
        value = self.facts.graph.values[name]
        wide = self._columns[strips].get(name, (value.shape[2], 0))[0]
        return -(-min(rows, value.shape[1]) * wide * value.shape[3] * value.dtype.bytes // 4) * 4

    def _overlaps(
        self, first: int, cost: float, peak: int, lows: Mapping[str, list[tuple[int, int]]]
    ) -> Iterator[Way]:
        """With each input of the run that dies in it and may share its bytes with the grid."""
        facts, values = self.facts, self.facts.graph.values
        reads = dict.fromkeys(r[0] for rules in facts.rules[first : self.last + 1] for r in rules)
        for name in reads:
            owner = facts.owner[name]
            if name not in lows or facts.born[owner] > first or facts.last[owner] > self.last:
                continue
            if owner not in facts.graph.inputs and facts.born[owner] == first:
                continue
            if owner in facts.graph.outputs or owner != name:
                continue
            pitch, step = (_pitch(values[n]) for n in (name, self.grid))
            gap = max(made * step - low * pitch for made, low in lows[name])
            sizes = facts.size[name], facts.size[self.grid]
            pair = pair_bytes(*sizes, max(0, -(-gap // 4) * 4))
            if pair < sum(sizes):
                yield Way(cost, peak - sum(sizes), "stream", over=name, pair=pair)

    @cached_property
    def _rules(self) -> dict[str, list[tuple[str, Reach]]]:
        rules = self.facts.rules[self.first : self.last + 1]
        inputs = (n for n in self.facts.graph.inputs if self.facts.last[n] <= self.last)
        made: dict[str, list[tuple[str, Reach]]] = {n: [] for n in inputs if self.first == 0}
        for node, reads in zip(self.nodes, rules, strict=True):
            made[node.output] = [(name, down) for name, down, _ in reads]
        return made

    @cached_property
    def _readers(self) -> dict[str, list[tuple[str, Reach]]]:
        found: dict[str, list[tuple[str, Reach]]] = {}
        for value, inputs in self._rules.items():
            for name, reach in inputs:
                found.setdefault(name, []).append((value, reach))
        return found

    @cached_property
    def _depths(self) -> dict[str, int]:
        """Nodes from each value to the nearest that a stream is asked for."""
        found = dict.fromkeys(self.outputs, 0)
        for node in reversed(self.nodes):
            behind = [found[value] for value, _ in self._readers.get(node.output, ())]
            found.setdefault(node.output, 1 + min(behind, default=-1))
        return found

    @cached_property
    def _heights(self) -> dict[str, int]:
        names = dict.fromkeys((*self._rules, *self._readers))
        return {name: self.facts.graph.values[name].shape[1] for name in names}

    def _lows(self, calls: Sequence[Rows]) -> dict[str, list[tuple[int, int]]]:
        """Per value: rows of the grid made and the first row still read, at each write to it."""
        window = Window(self._readers, self._heights)
        found: dict[str, list[tuple[int, int]]] = {name: [] for name in self._readers}
        for call in calls:
            slot = self.slots.get(call.value)
            if slot and slot.owner == self.grid:
                for name, rows in found.items():
                    rows.append((call.hi, window.lowest(name)))
            window.seen(call)
        return found


def _sums(spans: np.ndarray, starts: np.ndarray, cores: int) -> list[tuple[int, ...]]:
    """The numbers of ``_along`` for the pieces from each of ``starts`` on."""
    wide = spans >= cores
    largest = np.maximum.reduceat(spans, starts)
    even = (spans + 1) // 2 * 2
    parts = (spans, np.where(wide, -(-spans // cores), 0), np.where(wide, 0, spans), even)
    sums = [np.add.reduceat(part, starts).tolist() for part in parts]
    return list(zip(largest.tolist(), *sums, strict=True))


def _sizes(calls: Sequence[Rows]) -> dict[str, list[tuple[int, int]]]:
    """Per value, how many calls make how many rows."""
    found: dict[str, list[tuple[int, int]]] = {}
    for (name, tall), count in Counter((c.value, c.hi - c.lo) for c in calls).items():
        found.setdefault(name, []).append((tall, count))
    return found


def _shares(counts: Sequence[int], grid: int, extent: int) -> tuple[np.ndarray, np.ndarray]:
    """The pieces of all counts, one count after the other."""
    parts = [share(even_split(grid, count), grid, extent) for count in counts]
    first, last = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(last)


def _table(spans: Mapping[int, Mapping[str, tuple[int, ...]]], nodes: Sequence[Node]) -> np.ndarray:
    """[node, count]: the numbers of ``_sums``."""
    none = (0, 0, 0, 0, 0)
    return np.array([[row.get(n.output, none) for row in spans.values()] for n in nodes])


def _front(cost: np.ndarray, peaks: np.ndarray) -> list[int]:
    order = np.lexsort((peaks, cost))
    kept, lowest = [], None
    for k in order:
        if lowest is None or peaks[k] < lowest:
            lowest = peaks[k]
            kept.append(int(k))
    return kept


def _pitch(value: Value) -> int:
    return value.shape[2] * value.shape[3] * value.dtype.bytes
