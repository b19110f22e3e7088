"""Do tensors that are needed at once lie in the same bytes?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

from deployer.analysis.alias_facts import AliasFacts
from deployer.analysis.places import Hwc, Misplaced, Spot
from deployer.ir import OVER, VIEW, Share, SliceAttrs

Box = tuple[Hwc, Hwc]


@dataclass(frozen=True, eq=False)
class Conflicts:
    """Tensors of one cluster that are needed at once in the same bytes.

    Two may share bytes where their contents are equal, one being a window of the other or
    both of a third; in the step that writes one over the other; and in a region that does.
    """

    facts: AliasFacts
    shares: Sequence[Share]
    spots: Mapping[str, Spot]

    def check(self, owners: Iterable[str]) -> None:
        """Raise Misplaced naming the first two that clash."""
        tensors = self.facts.tensors
        alive: list[str] = []
        for name in sorted(owners, key=lambda n: tensors[n].lower):
            alive = [other for other in alive if tensors[other].upper > tensors[name].lower]
            for other in alive:
                if self._meet(name, other) and not self._allowed(other, name):
                    raise Misplaced(f"{other} and {name} are needed at once")
            alive.append(name)

    def _meet(self, a: str, b: str) -> bool:
        """Whether they have bytes in common, or may have."""
        (low, high), (first, last) = self._extents[a], self._extents[b]
        if high <= first or last <= low:
            return False
        if self.spots[a].grid != self.spots[b].grid:
            return True
        return prod(_common(self._box(a), self._box(b))) > 0

    def _allowed(self, earlier: str, later: str) -> bool:
        if {(earlier, later), (later, earlier)} & self._over:
            return True
        parts, others = self._windows(earlier), self._windows(later)
        if earlier in others or later in parts:
            return True
        if any({earlier, later} <= self._windows(host) for host in self._inside):
            return True
        return self.spots[earlier].grid == self.spots[later].grid and self._agree(
            earlier, later, parts & others
        )

    def _agree(self, a: str, b: str, shared: Iterable[str]) -> bool:
        """Whether windows of both fill all they have in common."""
        box = self._box(a), self._box(b)
        left, taken = prod(_common(*box)), list[str]()
        for part in sorted(shared, key=lambda n: -self.facts.tensors[n].bytes):
            if all(prod(_common(self._box(part), self._box(other))) == 0 for other in taken):
                taken.append(part)
                left -= prod(self.facts.tensors[part].extents)
        return left <= 0

    @cached_property
    def _over(self) -> frozenset[tuple[str, str]]:
        """Pairs of which the second is written over the first when that is needed last."""
        facts, found = self.facts, set[tuple[str, str]]()
        for share in self.shares:
            value, output = facts.members(share)
            dies = facts.tensors[value].upper == facts.tensors[output].lower + 1
            if share.kind == OVER and dies:
                found.add((value, output))
        for chain in facts.chains:
            names = list(chain.offsets)
            found |= {pair for a, b in pairwise(names) for pair in ((a, b), (b, a))}
        return frozenset(found)

    @cached_property
    def _inside(self) -> Mapping[str, frozenset[str]]:
        """The views that each tensor is the host of."""
        found: dict[str, set[str]] = {}
        for share in self.shares:
            if share.kind != VIEW:
                continue
            value, output = self.facts.members(share)
            if isinstance(self.facts.nodes[share.node].attrs, SliceAttrs):
                value, output = output, value
            found.setdefault(output, set()).add(value)
        return {name: frozenset(parts) for name, parts in found.items()}

    def _windows(self, name: str) -> frozenset[str]:
        """Views of the tensor, and views of those."""
        if name not in self._closed:
            found, queue = set[str](), [name]
            while queue:
                parts = self._inside.get(queue.pop(), frozenset()) - found
                found |= parts
                queue += parts
            self._closed[name] = frozenset(found)
        return self._closed[name]

    @cached_property
    def _closed(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _extents(self) -> Mapping[str, tuple[int, int]]:
        found = {}
        for name, spot in self.spots.items():
            (height, width, channels), (rows, pixels) = (
                self.facts.tensors[name].extents,
                spot.pitches,
            )
            length = (height - 1) * rows + (width - 1) * pixels + channels
            found[name] = spot.offset, spot.offset + length * self.facts.tensors[name].element
        return found

    def _box(self, name: str) -> Box:
        return self.spots[name].at, self.facts.tensors[name].extents


def _common(a: Box, b: Box) -> Hwc:
    """Extents of what two boxes have in common."""
    sides = [
        max(0, min(p + m, q + n) - max(p, q))
        for p, m, q, n in zip(a[0], a[1], b[0], b[1], strict=True)
    ]
    return sides[0], sides[1], sides[2]
