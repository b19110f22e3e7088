"""All regions that end at one node: what each needs and costs, in patches or line buffers.

One backward pass gives the boxes of all nodes before it, and one simulation the rings: neither
depends on where a region begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from deployer.analysis import Reach, Slot, assign, boxes, even_split, pair_bytes, share
from deployer.ir import LINE_BUFFERS, PATCH, Node, Value
from deployer.restructure.facts import Candidate, Facts
from deployer.restructure.simulated import Kept, LineBuffering, readers_of, simulated

MAX_NODES = 48  # nodes of a region
PIECE_COUNTS = (1, 2, 3, 4, 5, 6, 8)
STRIPS = (1, 2, 3, 4)
CHUNKS = (1, 2, 4)


class Prefix:
    """The spatial nodes before and at ``last`` that a region ending there can have."""

    def __init__(self, facts: Facts, last: int):
        self.facts, self.last = facts, last
        first = last
        while first > 0 and facts.spatial[first - 1] and last - first + 1 < MAX_NODES:
            first -= 1
        self.first, graph = first, facts.graph
        self.nodes = graph.nodes[first : last + 1]
        self.grid = graph.nodes[last].output
        self.outputs = [n.output for n in self.nodes if self._leaves(n.output)]
        self.slots = assign(graph, self.nodes, lambda name: not self._leaves(name))

    def runs(self, fetch: bool) -> Iterator[tuple[int, list[Candidate]]]:
        if self.grid not in self.outputs:
            return
        patches = list(self._patches())
        height = self._heights[self.grid]
        line_buffered = [
            list(self._line_buffered(fetch, chunk)) for chunk in CHUNKS if chunk <= height
        ]
        for at, first in enumerate(range(self.last, self.first - 1, -1)):
            yield (
                first,
                [*patches[at], *(candidate for chunk in line_buffered for candidate in chunk[at])],
            )

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
        return self._along(1, PIECE_COUNTS)

    def _patches(self) -> Iterator[list[Candidate]]:
        """For runs of growing length."""
        facts, rows = self.facts, self._along(0, PIECE_COUNTS)
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
            down_all = pieces[0][:, 4 if factors.row_block > 1 else 2]
            cost = cost + (factors.pixel * across_all + factors.row * strips) * down_all
            if factors.thin:
                line = factors.thin.pixel * across_all + factors.thin.row * strips
                cost = cost + line * pieces[0][:, 3]
            cost = cost + factors.call * calls - facts.whole_costs[first]
            peaks = facts.whole(first, self.last + 1) + live[:, at:].max(axis=1)
            keep = _front(cost, peaks)
            yield [Candidate(float(cost[k]), int(peaks[k]), PATCH, splits[k]) for k in keep]

    def _line_buffered(self, fetch: bool, chunk: int) -> Iterator[list[Candidate]]:
        """For runs of growing length, ``chunk`` rows a call."""
        facts, values = self.facts, self.facts.graph.values
        kept = simulated(replace(self._line_buffering, chunk=chunk))
        owner, pairs = dict(self._line_buffering.owners), self._pairs(kept)
        strips = [w for w in self._columns if w in STRIPS]
        cost, held, spare = dict.fromkeys(strips, 0.0), dict.fromkeys(strips, 0), 0
        begun: set[str] = set()
        reads: list[str] = []
        for first in range(self.last, self.first - 1, -1):
            reads = list(dict.fromkeys([*(rule[0] for rule in facts.rules[first]), *reads]))
            name, factors = self.nodes[first - self.first].output, facts.factors[first]
            spare = max(spare, facts.spare(first))
            width, root = values[name].shape[2], owner[name]
            call = factors.call + factors.hop * self._depths[name]
            for w in strips:
                wide = self._columns[w].get(name, (width, width))[1]
                cost[w] -= facts.whole_costs[first]
                for tall, count in kept.sizes.get(name, ()):
                    pixel, row = factors.line(tall)
                    cost[w] += count * ((pixel * wide + row * w) * tall + call * w)
                if not self._leaves(root) and root not in begun:
                    held[w] += self._ring(root, kept.rings[root], w)
            begun.add(root)
            whole = facts.whole(first, self.last + 1) + spare
            options = [
                Candidate(cost[w], whole + held[w], LINE_BUFFERS, (1, w), chunk=chunk)
                for w in strips
            ]
            plain = Candidate(cost[1], whole + held[1], LINE_BUFFERS, chunk=chunk)
            paired = [name for name in reads if name in pairs]
            options += self._overlaps(first, plain, paired, pairs)
            if fetch and first == 0:
                options += self._fetching(plain, kept)
            yield options

    def _fetching(self, plain: Candidate, kept: Kept) -> list[Candidate]:
        """The input by rows: a ring takes the place of its bytes."""
        (name,) = self.facts.graph.inputs[:1]
        if self.facts.last[name] > self.last or name not in self._readers:
            return []
        value = self.facts.graph.values[name]
        ring = -(-min(kept.rings[name], value.shape[1]) * _pitch(value) // 4) * 4  # rows come whole
        less = self.facts.size[name] - ring
        return [plain._replace(peak=plain.peak - less, fetch=True)]

    def _ring(self, name: str, rows: int, strips: int) -> int:
        value = self.facts.graph.values[name]
        wide = self._columns[strips].get(name, (value.shape[2], 0))[0]
        return -(-min(rows, value.shape[1]) * wide * value.shape[3] * value.dtype.bytes // 4) * 4

    def _overlaps(
        self, first: int, plain: Candidate, reads: Sequence[str], pairs: Mapping[str, int]
    ) -> Iterator[Candidate]:
        """With each input of the run that dies in it and may share its bytes with the grid."""
        facts = self.facts
        for name in reads:
            born = facts.born[name]
            if born < first or (born == first and name in facts.graph.inputs):
                both = facts.size[name] + facts.size[self.grid]
                yield Candidate(
                    plain.cost,
                    plain.peak - both,
                    LINE_BUFFERS,
                    over=name,
                    pair=pairs[name],
                    chunk=plain.chunk,
                )

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
        return readers_of(self._rules)

    @cached_property
    def _depths(self) -> dict[str, int]:
        """Nodes from each value to the nearest whose rows are pulled."""
        found = dict.fromkeys(self.outputs, 0)
        for node in reversed(self.nodes):
            behind = [found[value] for value, _ in self._readers.get(node.output, ())]
            found.setdefault(node.output, 1 + min(behind, default=-1))
        return found

    @cached_property
    def _heights(self) -> dict[str, int]:
        names = dict.fromkeys((*self._rules, *self._readers))
        return {name: self.facts.graph.values[name].shape[1] for name in names}

    @cached_property
    def _line_buffering(self) -> LineBuffering:
        values = self.facts.graph.values
        sharing = (self.grid, *(name for name in self._readers if self._dies(name)))
        return LineBuffering(
            rules=tuple((name, tuple(reads)) for name, reads in self._rules.items()),
            heights=tuple(self._heights.items()),
            outputs=tuple(self.outputs),
            grid=self.grid,
            owners=tuple((n, self.slots.get(n, Slot(n)).owner) for n in self._rules),
            pitches=tuple((name, _pitch(values[name])) for name in sharing),
        )

    def _pairs(self, kept: Kept) -> dict[str, int]:
        """Bytes of a buffer that the grid shares with each value that dies here, where that saves
        any."""
        size, grid = self.facts.size, self.facts.size[self.grid]
        pairs = {n: pair_bytes(size[n], grid, -(-gap // 4) * 4) for n, gap in kept.gaps.items()}
        return {name: pair for name, pair in pairs.items() if pair < size[name] + grid}

    def _dies(self, name: str) -> bool:
        """Whether the value, which owns its bytes, is not needed behind the last node."""
        facts = self.facts
        return (
            facts.owner[name] == name
            and facts.last[name] <= self.last
            and name not in facts.graph.outputs
        )


def _sums(spans: np.ndarray, starts: np.ndarray, cores: int) -> list[tuple[int, ...]]:
    """The numbers of ``_along`` for the pieces from each of ``starts`` on."""
    wide = spans >= cores
    largest = np.maximum.reduceat(spans, starts)
    even = (spans + 1) // 2 * 2
    parts = (spans, np.where(wide, -(-spans // cores), 0), np.where(wide, 0, spans), even)
    sums = [np.add.reduceat(part, starts).tolist() for part in parts]
    return list(zip(largest.tolist(), *sums, strict=True))


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
