"""What an order of steps costs in memory, whatever the order: who writes and reads which bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from deployer.analysis import alias_facts_of, clusters, owners, step_nodes
from deployer.ir import OVER, Graph, Node


@dataclass(frozen=True)
class Steps:
    """Step n writes ``writes[n]`` and reads ``reads[n]`` (buffers), after the steps ``needs[n]``.

    ``users[b]``, the steps that write or read a buffer, and ``needs[n]`` are sets of steps, as
    bits. ``kept`` buffers live to the end. ``given`` ones are there from the start, ``resident``
    bytes: the inputs; ``unread`` bytes of inputs are only needed in the first step.
    """

    sizes: tuple[int, ...]
    writes: tuple[tuple[int, ...], ...]
    reads: tuple[tuple[int, ...], ...]
    users: tuple[int, ...]
    needs: tuple[int, ...]
    scratch: tuple[int, ...]
    kept: frozenset[int]
    given: frozenset[int]
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
        return self.scratch[n] + sum(self.sizes[b] for b in self.touched[n])

    def extra(self, done: int, n: int) -> int:
        """Bytes that step n needs while it runs, on top of what is alive after ``done``."""
        grown = self.scratch[n]
        for b in self.writes[n]:
            if not self._there(done, b):
                grown += self.sizes[b]
        return grown if done else grown + self.unread

    def change(self, done: int, n: int) -> int:
        """Bytes alive after step n less those alive before."""
        after, grown = done | 1 << n, 0
        for b in self.touched[n]:
            stays = b in self.kept or self.users[b] & ~after
            grown += self.sizes[b] * (bool(stays) - self._there(done, b))
        return grown

    def _there(self, done: int, b: int) -> bool:
        """Whether a buffer is alive before its next user runs."""
        return b in self.given or bool(self.users[b] & done)

    @cached_property
    def touched(self) -> tuple[tuple[int, ...], ...]:
        """Buffers each step writes or reads, once each."""
        pairs = zip(self.writes, self.reads, strict=True)
        return tuple(tuple(dict.fromkeys((*written, *read))) for written, read in pairs)

    @cached_property
    def first(self) -> int:
        """The steps that need no other, as bits."""
        return sum(1 << n for n, needs in enumerate(self.needs) if not needs)

    @cached_property
    def _followers(self) -> tuple[tuple[int, ...], ...]:
        """The steps that need each."""
        found: list[list[int]] = [[] for _ in self.needs]
        for n, needs in enumerate(self.needs):
            for m in bits(needs):
                found[m].append(n)
        return tuple(map(tuple, found))

    def ready_after(self, ready: int, done: int, n: int) -> int:
        """The steps, as bits, that are ready once n, the last of ``done``, is; ``ready`` were
        before it."""
        met = (1 << m for m in self._followers[n] if not self.needs[m] & ~done)
        return ready & ~(1 << n) | sum(met)

    def peak(self, order: Sequence[int]) -> int:
        """The live-set peak of ``order``, as analysis.peak counts it."""
        done, alive, peak = 0, self.resident, self.resident + self.unread
        for n in order:
            peak = max(peak, alive + self.extra(done, n))
            alive += self.change(done, n)
            done |= 1 << n
        return peak


def bits(chosen: int) -> Iterator[int]:
    """The members of a set of steps, ascending."""
    while chosen:
        lowest = chosen & -chosen
        yield lowest.bit_length() - 1
        chosen ^= lowest


def steps_of(graph: Graph, scratch: Mapping[str, int]) -> Steps:
    """The steps of ``graph`` with ``scratch`` bytes per node; constants are no buffers. What shares
    bytes is one buffer, and what is written over a value waits for its other readers."""
    nodes, owner = step_nodes(graph), owners(graph)
    buffer, sizes = _buffers(graph, owner)
    names = list(sizes)
    index = {name: names.index(b) for name, b in buffer.items()}
    writes = [
        tuple(index[owner[name]] for name in node.outputs if owner[name] in index) for node in nodes
    ]
    reads, users = [], [0] * len(names)
    for n, node in enumerate(nodes):
        found = dict.fromkeys(owner[name] for name in graph.activations(node))
        reads.append(tuple(dict.fromkeys(index[name] for name in found if name in index)))
        for b in (*reads[-1], *writes[n]):
            users[b] |= 1 << n
    kept = frozenset(index[owner[name]] for name in graph.outputs if owner.get(name) in index)
    given = frozenset(index[name] for name in graph.inputs if name in index)
    used = frozenset(b for b in given if users[b] or b in kept)
    return Steps(
        sizes=tuple(sizes.values()),
        writes=tuple(writes),
        reads=tuple(reads),
        users=tuple(users),
        needs=tuple(_needs(graph, nodes, owner)),
        scratch=tuple(scratch.get(node.name, 0) for node in nodes),
        kept=kept,
        given=used,
        resident=sum(sizes[names[b]] for b in used),
        unread=sum(sizes[names[b]] for b in given - used),
    )


def _buffers(graph: Graph, owner: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """The buffer of every owner, and the bytes of every buffer."""
    nowhere = graph.constants.keys() | graph.outside
    names = [name for name in dict.fromkeys(owner.values()) if name not in nowhere]
    buffer = {name: name for name in names}
    sizes = {name: graph.values[name].bytes for name in names}
    if graph.shares:
        for cluster in clusters(alias_facts_of(graph), graph.shares):
            for name in cluster.spots:
                if name in buffer:
                    buffer[name] = cluster.buffer.id
            sizes[cluster.buffer.id] = cluster.buffer.size
    return buffer, {b: sizes[b] for b in dict.fromkeys(buffer.values())}


def _needs(graph: Graph, nodes: Sequence[Node], owner: Mapping[str, str]) -> Iterator[int]:
    """The steps that write what a step reads, and the other readers of what it overwrites."""
    writer = {owner[name]: n for n, node in enumerate(nodes) for name in node.outputs}
    readers: dict[str, int] = {}
    for n, node in enumerate(nodes):
        for name in graph.activations(node):
            readers[owner[name]] = readers.get(owner[name], 0) | 1 << n
    over = {(share.node, owner[share.value]) for share in graph.shares if share.kind == OVER}
    for n, node in enumerate(nodes):
        found = 0
        for name in {owner[name] for name in graph.activations(node)}:
            found |= 1 << writer[name] if name in writer else 0
            found |= readers[name] & ~(1 << n) if (node.name, name) in over else 0
        yield found
