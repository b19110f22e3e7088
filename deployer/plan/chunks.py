"""Into how many parts layers are divided whose weights are fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from deployer.board import CodeSize
from deployer.plan.fetchable import PrefetchProblem
from deployer.tile import Traffic, choose, divides, outer_of

# Parts of a layer's weights that are to fit at once.
RESIDENT_CHUNKS = (1.2, 2, 3, 4, 5, 6, 8, 12, 16)
LEAST_PART_BYTES = 16 << 10  # of a part, where two of them have room
SHORT_BYTES = 4 * LEAST_PART_BYTES  # of room beside activations, for which parts are no larger
PART_WORTH = 500  # cycles that one part more is to save at least
UNFIT = float("inf")


def chunk_counts(given: PrefetchProblem, coarsened: int) -> list[dict[str, int]]:
    """Into how many parts each layer is divided: candidates, those of fewest estimated cycles
    first. More parts are prefetched earlier and leave sooner, and cost a step each. ``coarsened``:
    so many, the best, are tried with fewer parts, too."""
    search = _Search(given)
    starts = sorted((_counts(given, share) for share in RESIDENT_CHUNKS), key=search.rank)
    found = [search.coarser(one) for one in starts[:coarsened]] + starts
    ranked = sorted(found, key=search.rank)
    return [one for i, one in enumerate(ranked) if one not in ranked[:i]]


def _counts(given: PrefetchProblem, share: float) -> dict[str, int]:
    """As many parts as let ``share`` of them lie beside the step's activations; two, the current
    weights and the next, are paper 004's Eq. 5."""
    found, nodes = {}, {node.name: node for node in given.schedule.graph.nodes}
    for item in given.fetchable:
        free = max(given.room - given.alive[item.step], 0)
        least = min(free // 2, LEAST_PART_BYTES)
        limit = max(int(free / share), least) if free > SHORT_BYTES else least
        node = item.nodes[0]
        if item.bytes > limit > 0 and item.divides and divides(nodes[node]):
            found[node] = -(-item.bytes // limit)
    return found


def code_bytes_of(counts: Iterable[int], size: CodeSize) -> int:
    """Bytes that parts add to the code, for the number of each layer: they are of two sizes."""
    return sum(size.step + (count - 2) * size.again + size.alias for count in counts)


@dataclass(frozen=True)
class _Search:
    """What numbers of parts cost on ``given``."""

    given: PrefetchProblem

    @cached_property
    def _steps(self) -> dict[str, int]:
        return {step.node: step.index for step in self.given.schedule.steps}

    @cached_property
    def _bytes(self) -> dict[str, int]:
        return {item.nodes[0]: item.bytes for item in self.given.fetchable}

    def rank(self, counts: Mapping[str, int]) -> tuple[float, int]:
        """By estimated cycles, with what is best kept."""
        traffic, room = self._traffic(counts), self._room(counts)
        choice = choose(traffic, room)
        parts = sum(counts.values())
        cycles = sum(traffic.cycles) + choice.stalled if choice else UNFIT
        return cycles + PART_WORTH * parts, parts

    def coarser(self, counts: dict[str, int]) -> dict[str, int]:
        """With fewer parts wherever that costs no cycles, the layers of small parts first."""
        best, cycles, before = counts, self._cycles(counts), None
        while best != before:
            before = best
            for name in sorted(best, key=lambda one: self._bytes[one] / before[one]):
                for trial in _with_fewer(best, name):
                    now = self._cycles(trial)
                    if now <= cycles < UNFIT:
                        best, cycles = trial, now
                        break
        return best

    def _cycles(self, counts: Mapping[str, int]) -> float:
        """Estimated, with everything fetched."""
        traffic = self._traffic(counts)
        begins = traffic.earliest(self._room(counts))
        parts = PART_WORTH * sum(counts.values())
        return UNFIT if begins is None else traffic.timeline(begins).total + parts

    def _traffic(self, counts: Mapping[str, int]) -> Traffic:
        outer = outer_of(self.given.board)
        assert outer is not None
        parts = {self._steps[name]: count for name, count in counts.items()}
        return self.given.traffic.divided(parts, outer[1], self.given.part_cycles)

    def _room(self, counts: Mapping[str, int]) -> int:
        return self.given.room - code_bytes_of(counts.values(), self.given.code_size)


def _with_fewer(counts: Mapping[str, int], name: str) -> Iterator[dict[str, int]]:
    """With the layer ``name`` whole, or in fewer parts."""
    count = counts[name]
    for fewer in sorted({1, count // 2, count * 2 // 3, count - 1} - {0, count}):
        others = {each: n for each, n in counts.items() if each != name}
        yield others | ({name: fewer} if fewer > 1 else {})
