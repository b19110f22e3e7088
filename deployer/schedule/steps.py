"""What an order of steps costs in memory, whatever the order: who writes and reads which bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deployer.analysis.liveness import owners, step_nodes
from deployer.ir.graph import Graph


@dataclass(frozen=True)
class Steps:
    """Step n writes ``writes[n]`` and reads ``reads[n]`` (buffers), after the steps ``needs[n]``.

    ``readers[b]`` and ``needs[n]`` are sets of steps, as bits. ``kept`` buffers live to the end.
    ``resident`` bytes are there from the start: the inputs, of which ``unread`` bytes are only
    needed in the first step.
    """

    sizes: tuple[int, ...]
    writes: tuple[tuple[int, ...], ...]
    reads: tuple[tuple[int, ...], ...]
    readers: tuple[int, ...]
    needs: tuple[int, ...]
    scratch: tuple[int, ...]
    kept: frozenset[int]
    resident: int
    unread: int

    @property
    def count(self) -> int:
        return len(self.needs)

    @property
    def all_done(self) -> int:
        return (1 << self.count) - 1

    @property
    def floor(self) -> int:
        """A peak no order can avoid: the hungriest step, the inputs, the outputs."""
        kept = sum(self.sizes[b] for b in self.kept)
        return max([self.resident, kept, *(self._alone(n) for n in range(self.count))])

    def _alone(self, n: int) -> int:
        touched = {*self.reads[n], *self.writes[n]}
        return self.scratch[n] + sum(self.sizes[b] for b in touched)

    def extra(self, done: int, n: int) -> int:
        """Bytes that step n needs while it runs, on top of what is alive after ``done``."""
        grown = self.scratch[n] + sum([self.sizes[b] for b in self.writes[n]])
        return grown if done else grown + self.unread

    def change(self, done: int, n: int) -> int:
        """Bytes alive after step n less those alive before."""
        after, kept = done | 1 << n, self.kept
        grown = 0
        for b in self.writes[n]:
            if self.readers[b] or b in kept:
                grown += self.sizes[b]
        for b in self.reads[n]:
            if not self.readers[b] & ~after and b not in kept:
                grown -= self.sizes[b]
        return grown

    def peak(self, order: Sequence[int]) -> int:
        """The live-set peak of ``order``, as analysis.peak counts it."""
        done, alive, peak = 0, self.resident, self.resident + self.unread
        for n in order:
            peak = max(peak, alive + self.extra(done, n))
            alive += self.change(done, n)
            done |= 1 << n
        return peak


def steps_of(graph: Graph, scratch: Mapping[str, int]) -> Steps:
    """The steps of ``graph`` with ``scratch`` bytes per node; constants are no buffers."""
    nodes, owner = step_nodes(graph), owners(graph)
    names = [name for name in dict.fromkeys(owner.values()) if name not in graph.constants]
    index = {name: b for b, name in enumerate(names)}
    writer = {owner[name]: n for n, node in enumerate(nodes) for name in node.outputs}
    reads, readers = [], [0] * len(names)
    for n, node in enumerate(nodes):
        found = dict.fromkeys(owner[name] for name in graph.activations(node))
        reads.append(tuple(index[name] for name in found if name in index))
        for b in reads[-1]:
            readers[b] |= 1 << n
    kept = frozenset(index[owner[name]] for name in graph.outputs if owner.get(name) in index)
    sizes = [graph.values[name].bytes for name in names]
    inputs = [b for b, name in enumerate(names) if name not in writer]
    return Steps(
        sizes=tuple(sizes),
        writes=tuple(tuple(index[name] for name in node.outputs) for node in nodes),
        reads=tuple(reads),
        readers=tuple(readers),
        needs=tuple(_needs(row, names, writer) for row in reads),
        scratch=tuple(scratch.get(node.name, 0) for node in nodes),
        kept=kept,
        resident=sum(sizes[b] for b in inputs if readers[b] or b in kept),
        unread=sum(sizes[b] for b in inputs if not (readers[b] or b in kept)),
    )


def _needs(reads: Sequence[int], names: Sequence[str], writer: Mapping[str, int]) -> int:
    found = 0
    for b in reads:
        if names[b] in writer:
            found |= 1 << writer[names[b]]
    return found
