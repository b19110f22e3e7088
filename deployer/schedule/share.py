"""Which values share bytes: chosen to lower the peak, and where a copy is saved for nothing.

The steps of most bytes are worked on first. A share helps where both of what it joins are alive; if
it raises the peak elsewhere, shares there may lower it again, so short sequences are tried. One set
is better than another when its levels, highest first, are lower at the first that differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import inf

import numpy as np

from deployer.analysis import AliasFacts, Cluster, Misplaced, alias_facts_of, clusters, lifetimes
from deployer.ir import OVER, VIEW, Buffer, Graph, Share
from deployer.schedule.alias_candidates import Move, OverlapOffset, moves, runs
from deployer.schedule.inside import insides

MAX_DEPTH = 4  # shares in a sequence that only its end justifies
MAX_WIDTH = 3  # sequences followed of each length
MAX_FILLED = 100  # attempts to put a buffer into idle bytes, for one state
MAX_SMALL_TENSORS = (
    100  # tensors of a network whose runs of overlaps are tried where nothing else helps
)
MAX_ROOMS = 4  # places tried in each
_ALIGN_BYTES = 4  # a buffer takes its size rounded up


def with_shares(
    graph: Graph,
    scratch: Mapping[str, int],
    offset_of: OverlapOffset,
    whole: Collection[str] = (),
    *,
    copying: bool = True,
) -> Graph:
    """``graph``, its order kept, with the shares found; the peak of live bytes never rises.

    ``scratch``: bytes per node's kernel. ``offset_of``: what kernelset.overlap_offset says of a
    node's input. ``whole``: values whose kernels take no windows. Without ``copying`` everything is
    a view that can be, at whatever peak, and idle bytes are left alone.
    """
    search = _Search(
        alias_facts_of(replace(graph, shares=())), dict(scratch), offset_of, whole, copying
    )
    shares = search.found()
    return replace(graph, shares=tuple(sorted(shares, key=search.order)))


@dataclass(frozen=True, eq=False)
class _State:
    """Clusters by the owners in them, and bytes alive per step."""

    clusters: Mapping[str, Cluster]
    levels: np.ndarray

    @cached_property
    def falling(self) -> np.ndarray:
        return np.sort(self.levels)[::-1]

    @property
    def peak(self) -> int:
        return int(self.falling[0])

    @property
    def shares(self) -> tuple[Share, ...]:
        unique = {id(c): c for c in self.clusters.values()}
        return tuple(share for c in unique.values() for share in c.shares)

    def better(self, other: _State) -> bool:
        lower = self.falling != other.falling
        at = int(lower.argmax())
        return bool(lower[at]) and bool(self.falling[at] < other.falling[at])


class _Search:
    """Shares on one graph in its order."""

    def __init__(
        self,
        facts: AliasFacts,
        scratch: dict[str, int],
        offset_of: OverlapOffset,
        whole: Collection[str],
        copying: bool,
    ):
        self._facts = facts
        self._scratch = scratch
        self._copying = copying
        self._moves = moves(facts, offset_of, whole)
        self._runs = tuple(runs(facts, self._moves))
        self._single = _single(facts)
        self._owned: dict[Move, tuple[str, ...]] = {}
        self._spots = {node.name: i for i, node in enumerate(facts.graph.nodes)}

    def order(self, share: Share) -> tuple[int, str]:
        """By node, then by value."""
        return self._spots[share.node], share.value

    def found(self) -> tuple[Share, ...]:
        """The lowest peak; then again from views that leave it possible, which save copies."""
        plain = self._start()
        if not self._copying:
            return self._searched(self._viewing(plain)).shares
        lowest = self._searched(plain)
        if all(move[0].kind != VIEW for move in self._moves):
            return lowest.shares
        viewing = self._searched(self._viewing(plain, lowest.peak))
        return (viewing if viewing.peak <= lowest.peak else lowest).shares

    def _viewing(self, state: _State, peak: float = inf) -> _State:
        """With the views that raise no step above ``peak``."""
        for move in self._moves:
            found = self._with(state, move) if move[0].kind == VIEW else None
            if found is not None and (found.levels <= np.maximum(state.levels, peak)).all():
                state = found
        return state

    def _searched(self, state: _State) -> _State:
        while (lower := self._lowered(state)) is not None:
            state = lower
        state = self._without_idle(state)
        return self._viewing(state, state.peak)

    def _start(self) -> _State:
        graph = self._facts.graph
        buffers = lifetimes(graph, self._scratch)
        levels = np.zeros(max(b.upper for b in buffers), np.int64)
        for buffer in buffers:
            _add(levels, buffer, 1)
        return _State({}, levels)

    def _lowered(self, state: _State) -> _State | None:
        """The best state a short sequence leads to, None when none is better."""
        best = self._filled(state, state.peak)
        front = [state]
        for _ in range(MAX_DEPTH if best is None else 0):
            reached = [found for here in front for found in self._next(here)]
            for found in reached:
                filled = found if found.better(state) else self._filled(found, state.peak)
                if filled is not None and filled.better(best or state):
                    best = filled
            if best is not None:
                break
            front = sorted(reached, key=lambda s: s.peak)[:MAX_WIDTH]
        if best is None and len(self._facts.tensors) <= MAX_SMALL_TENSORS:
            for found in self._next(state, self._runs):
                best = found if found.better(best or state) else best
        return best

    def _next(self, state: _State, moves: Iterable[Move] | None = None) -> Iterator[_State]:
        """One move further, where it can lower the highest step."""
        step = int(state.levels.argmax())
        for move in self._moves if moves is None else moves:
            if self._helps(state, move, step):
                found = self._with(state, move)
                if found is not None and found.levels[step] < state.levels[step]:
                    yield found

    def _filled(self, state: _State, goal: int) -> _State | None:
        """With buffers put into idle bytes of clusters until the peak is below ``goal``."""
        if not self._copying or not state.clusters:
            return None
        stack = [state]
        for _ in range(MAX_FILLED):
            if not stack or stack[-1].peak < goal:
                break
            here = stack.pop()
            step = int(here.levels.argmax())
            found = (self._replaced(here, cluster) for cluster in self._insides(here, step))
            lower = (s for s in found if s.levels[step] < here.levels[step])
            stack += reversed(list(islice(lower, MAX_ROOMS)))
        return stack[-1] if stack and stack[-1].peak < goal else None

    def _insides(self, state: _State, step: int) -> Iterator[Cluster]:
        """The largest first, into the largest first."""
        alive = {b.id: (b, c) for b, c in self._alive(state, step)}
        order = sorted(alive.values(), key=lambda pair: (-pair[0].size, pair[0].id))
        for guest, inner in order:
            for room, host in order:
                if host is not None and room is not guest and guest.size <= room.size:
                    yield from insides(self._facts, host, guest, inner)

    def _alive(self, state: _State, step: int) -> Iterator[tuple[Buffer, Cluster | None]]:
        """Whole tensors and clusters of them at ``step``."""
        for name in self._facts.tensors:
            cluster = state.clusters.get(name)
            buffer = cluster.buffer if cluster else self._single.get(name)
            own = buffer is not None and (cluster is not None or buffer.id == name)
            if buffer is not None and own and buffer.lower <= step < buffer.upper:
                yield buffer, cluster

    def _helps(self, state: _State, move: Move, step: int) -> bool:
        """Whether the move joins different buffers that are alive at ``step``."""
        first = ""
        for owner in self._owners(move):
            buffer = self._buffer(state, owner)
            if not buffer.lower <= step < buffer.upper or buffer.id == first:
                continue
            if first:
                return True
            first = buffer.id
        return False

    def _owners(self, move: Move) -> tuple[str, ...]:
        """In the order of the move: the anchors of clusters hang on it."""
        if move not in self._owned:
            members = (name for share in move for name in self._facts.members(share))
            self._owned[move] = tuple(dict.fromkeys(members))
        return self._owned[move]

    def _buffer(self, state: _State, owner: str) -> Buffer:
        cluster = state.clusters.get(owner)
        return cluster.buffer if cluster else self._single[owner]

    def _with(self, state: _State, move: Move) -> _State | None:
        """None when the move changes nothing or cannot be."""
        touched = self._facts.reached(self._owners(move))
        old = {id(c): c for name in touched if (c := state.clusters.get(name))}
        before = [share for cluster in old.values() for share in cluster.shares]
        shares = dict.fromkeys((*before, *move))
        return self._rebuilt(state, old.values(), shares) if len(shares) > len(before) else None

    def _rebuilt(
        self, state: _State, old: Iterable[Cluster], shares: Iterable[Share]
    ) -> _State | None:
        """``old`` clusters taken apart, those of ``shares`` in their place; None if they clash."""
        levels, kept = state.levels.copy(), dict(state.clusters)
        for cluster in old:
            self._count(levels, cluster, -1)
            for name in self._whole(cluster):
                del kept[name]
        try:
            made = list(clusters(self._facts, tuple(shares)))
        except Misplaced:
            return None
        for cluster in made:
            self._count(levels, cluster, 1)
            kept |= dict.fromkeys(self._whole(cluster), cluster)
        return _State(kept, levels)

    def _replaced(self, state: _State, cluster: Cluster) -> _State:
        """``cluster`` in place of those that it consists of."""
        levels, names = state.levels.copy(), self._whole(cluster)
        old = {id(c): c for name in names if (c := state.clusters.get(name))}
        for part in old.values():
            self._count(levels, part, -1)
        self._count(levels, cluster, 1)
        return _State({**state.clusters, **dict.fromkeys(names, cluster)}, levels)

    def _whole(self, cluster: Cluster) -> tuple[str, ...]:
        return tuple(name for name in cluster.spots if name in self._facts.live)

    def _count(self, levels: np.ndarray, cluster: Cluster, sign: int) -> None:
        """The cluster in place of its members, or the other way round."""
        _add(levels, cluster.buffer, sign)
        members = {b.id: b for name in self._whole(cluster) for b in (self._single[name],)}
        for buffer in members.values():
            _add(levels, buffer, -sign)

    def _without_idle(self, state: _State) -> _State:
        """Without overlaps that lower nothing."""
        for share in reversed(state.shares):
            if share.kind == OVER:
                cluster = state.clusters[self._facts.members(share)[0]]
                others = [other for other in cluster.shares if other != share]
                found = self._rebuilt(state, [cluster], others)
                state = found if found is not None and found.peak <= state.peak else state
        return state


def _single(facts: AliasFacts) -> dict[str, Buffer]:
    """The buffer of every owner when nothing but regions shares bytes."""
    merged = {n: chain.merged(facts.live) for chain in facts.chains for n in chain.offsets}
    return {**facts.live, **merged}


def _add(levels: np.ndarray, buffer: Buffer, sign: int) -> None:
    levels[buffer.lower : buffer.upper] += sign * (-(-buffer.size // _ALIGN_BYTES) * _ALIGN_BYTES)
