"""The search for a packing of a given height in Python: node by node what canonical/*.c does.

For where no compiler is. Tests hold the two against each other. ``search`` says how it works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deployer.allocate.task import End, Task

_BUFFERS_A_NODE = 100  # buffers looked at that count as one more node
_SEEN_MOST = 1 << 20  # states: more are forgotten
_NONE_BELOW = -1

Note = tuple[int, bool, int, int]  # a buffer before a change: postponed, rests, floor
State = frozenset[tuple[int, int, bool]]


class OutOfNodes(Exception):
    """A run was cut short."""


@dataclass(frozen=True)
class _Group:
    """Buffers that wait, in the order of their rank, in the sections [begin, end)."""

    members: list[int]
    begin: int
    end: int


class PlainSearch:
    """Runs on one task. What they learn stays: blame of sections, states that failed, ``least``."""

    def __init__(self, task: Task):
        self.task = task
        self.offsets: tuple[int, ...] = ()
        self.least = sum(task.sizes)
        self.members = [task.alive(s) for s in range(task.sections)]
        self.near = task.near()
        self.of = [range(first, end) for first, end in zip(task.first, task.end, strict=True)]
        self.blame = [0] * task.sections
        self.seen: set[State] = set()

    def run(self, order: str, limit: int) -> tuple[End, int]:
        """From the start; the end of it and the nodes visited."""
        self._reset()
        self.order, self.limit, self.nodes = order, limit, 0
        everyone = _Group(list(range(self.task.count)), 0, self.task.sections)
        try:
            found = self._pieces(everyone, -1)
        except OutOfNodes:
            return End.CUT, self.nodes
        self.offsets = tuple(self.rests)
        return End.FOUND if found else End.NONE, self.nodes

    def close(self) -> None:
        """Nothing is held."""

    def _reset(self) -> None:
        task = self.task
        self.rests, self.floor = [0] * task.count, [0] * task.count
        self.waiting, self.postponed = [True] * task.count, [False] * task.count
        self.left = [sum(task.sizes[i] for i in members) for members in self.members]
        self.dirty: set[int] = set()  # sections whose piles may have grown
        self.placed: list[int] = []
        self.notes: list[Note] = []

    def _pieces(self, group: _Group, but: int) -> bool:
        """What is left without ``but``, piece by piece; ranked anew where it falls apart."""
        left = [i for i in group.members if i != but]
        for piece in _apart(self.task, left):
            if but < 0 or len(piece.members) < len(group.members) - 1:
                piece.members.sort(key=self._rank)
            if not self._search(piece):
                return False
        return True

    def _rank(self, i: int) -> tuple[int, int, int, int]:
        first, second, third = (-self._key(i, letter) for letter in self.order)
        return first, second, third, i

    def _key(self, i: int, letter: str) -> int:
        if letter == "W":
            return self.task.spans[i]
        if letter == "A":
            return self.task.spans[i] * self.task.sizes[i]
        if letter == "B":
            return sum([self.blame[s] for s in self.of[i]])
        return max([self.left[s] for s in self.of[i]])

    def _search(self, group: _Group) -> bool:
        if self.nodes >= self.limit:
            raise OutOfNodes
        self.nodes += 1 + len(group.members) // _BUFFERS_A_NODE
        state = frozenset([(i, self.rests[i], self.postponed[i]) for i in group.members])
        if state in self.seen:
            return False
        if self._any_next(group):
            return True
        if len(self.seen) < _SEEN_MOST:
            self.seen.add(state)
        return False

    def _any_next(self, group: _Group) -> bool:
        marks = len(self.placed), len(self.notes)
        for i in self._candidates(group):
            if self._with(group, i):
                return True
            if not self._postpone(i):
                break
        self._undo(*marks)
        return False

    def _candidates(self, group: _Group) -> list[int]:
        """What may be placed next, the lowest first.

        Where another fits completely beneath, that one could sink; twins may be swapped.
        """
        rests, sizes, twin = self.rests, self.task.sizes, self.task.twin
        below = min([rests[i] + sizes[i] for i in group.members])
        found = [
            i
            for i in group.members
            if rests[i] < below
            and not self.postponed[i]
            and (twin[i] < 0 or not self.waiting[twin[i]])
        ]
        return sorted(found, key=rests.__getitem__)

    def _with(self, group: _Group, i: int) -> bool:
        """Whether it goes on with ``i`` placed where it rests."""
        if not self._level(group, i):
            return False
        marks = len(self.placed), len(self.notes)
        self._place(i)
        if self._settle(group) and self._pieces(group, i):
            return True
        self._undo(*marks)
        return False

    def _postpone(self, i: int) -> bool:
        """``i`` is not placed where it rests. False when nothing can come below it."""
        self._note(i)
        self.postponed[i] = True
        return self._lifted(i) != _NONE_BELOW

    def _place(self, i: int) -> None:
        end = self.rests[i] + self.task.sizes[i]
        self.waiting[i] = False
        self.placed.append(i)
        for s in self.of[i]:
            self.left[s] -= self.task.sizes[i]
        for j in self.near[i]:
            if self.waiting[j] and self.rests[j] < end:
                self._note(j)
                self.rests[j] = self.floor[j] = end
                self.postponed[j] = False
                self.dirty.update(self.of[j])

    def _note(self, i: int) -> None:
        self.notes.append((i, self.postponed[i], self.rests[i], self.floor[i]))

    def _undo(self, placed: int, notes: int) -> None:
        for i in self.placed[placed:]:
            self.waiting[i] = True
            for s in self.of[i]:
                self.left[s] += self.task.sizes[i]
        for i, postponed, rests, floor in reversed(self.notes[notes:]):
            self.postponed[i], self.rests[i], self.floor[i] = postponed, rests, floor
        del self.placed[placed:], self.notes[notes:]

    def _fits(self, section: int, need: int) -> bool:
        if need <= self.task.height:
            return True
        self.blame[section] += 1
        self.least = min(self.least, need)
        return False

    def _level(self, group: _Group, i: int) -> bool:
        """Whether ``i`` may be the next: what waits then begins no lower than it rests."""
        level, size = self.rests[i], self.task.sizes[i]
        return all(
            self._fits(s, level + self.left[s] - (size if s in self.of[i] else 0))
            for s in range(group.begin, group.end)
        )

    def _lifted(self, i: int) -> int:
        """The lowest end of those that can come below ``i``: they begin below where it would end if
        it sank."""
        below = self.rests[i] + self.task.sizes[i]
        ends = [
            self.floor[j] + self.task.sizes[j]
            for j in self.near[i]
            if self.waiting[j] and self.floor[j] < below
        ]
        return min(ends, default=_NONE_BELOW)

    def _settle(self, group: _Group) -> bool:
        """Raise the floors of what is postponed; false when what waits does not fit any more."""
        good = all(self._raise_floor(i) for i in group.members)
        good = good and all(self._fits(s, self._pile(s)) for s in sorted(self.dirty))
        self.dirty.clear()
        return good

    def _raise_floor(self, i: int) -> bool:
        if not (self.waiting[i] and self.postponed[i]):
            return True
        lifted = self._lifted(i)
        if lifted != self.floor[i] and lifted != _NONE_BELOW:
            self._note(i)
            self.floor[i] = lifted
            self.dirty.update(self.of[i])
        return lifted != _NONE_BELOW

    def _pile(self, section: int) -> int:
        """All that begin at some floor or above lie on each other from there: the highest pile."""
        total = need = 0
        waiting = [i for i in self.members[section] if self.waiting[i]]
        for i in sorted(waiting, key=self.floor.__getitem__, reverse=True):
            total += self.task.sizes[i]
            need = max(need, self.floor[i] + total)
        return need


def _apart(task: Task, members: Sequence[int]) -> Iterator[_Group]:
    """``members`` split where no section is on both sides, in order of time."""
    reach = dict.fromkeys(range(task.sections), 0)
    for i in members:
        reach[task.first[i]] = max(reach[task.first[i]], task.end[i])
    begin = end = -1
    for s in range(task.sections):
        if s >= end and begin >= 0:
            yield _piece(task, members, begin, end)
            begin = -1
        if reach[s]:
            begin, end = (s, reach[s]) if begin < 0 else (begin, max(end, reach[s]))
    if begin >= 0:
        yield _piece(task, members, begin, end)


def _piece(task: Task, members: Sequence[int], begin: int, end: int) -> _Group:
    inside = [i for i in members if task.first[i] >= begin and task.end[i] <= end]
    return _Group(inside, begin, end)
