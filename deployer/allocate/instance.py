"""A problem as arrays of integers, for the solvers, and what solvers answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deployer.allocate.problem import Problem, live_bound


@dataclass(frozen=True, eq=False)
class Instance:
    """Buffer i takes ``sizes[i]`` bytes in [lowers[i], uppers[i]).

    ``neighbours[i]`` are the buffers ever alive together with i; ``bound`` is the live-set bound.
    """

    sizes: tuple[int, ...]
    lowers: tuple[int, ...]
    uppers: tuple[int, ...]
    neighbours: tuple[tuple[int, ...], ...]
    bound: int

    @property
    def count(self) -> int:
        return len(self.sizes)

    @cached_property
    def spans(self) -> tuple[int, ...]:
        """Steps each buffer lives."""
        return tuple(u - lo for lo, u in zip(self.lowers, self.uppers, strict=True))

    def height(self, offsets: Sequence[int]) -> int:
        """Bytes from 0 to the highest end."""
        return max((o + s for o, s in zip(offsets, self.sizes, strict=True)), default=0)

    def conflicts(self) -> tuple[tuple[int, int], ...]:
        """Every pair alive together, once."""
        return tuple((i, j) for i, near in enumerate(self.neighbours) for j in near if i < j)


@dataclass(frozen=True)
class Packing:
    """A solver's answer: one offset per buffer."""

    offsets: tuple[int, ...]
    height: int
    solver: str


@dataclass(frozen=True)
class Solution:
    """The best packing known and the largest height below which there is proven to be none.

    ``prover`` names what raised the bound above the live set, if anything did.
    """

    packing: Packing
    bound: int
    prover: str = ""

    @property
    def optimal(self) -> bool:
        return self.packing.height == self.bound

    @property
    def solver(self) -> str:
        """What found the packing, then what proved more than the live set does."""
        found = self.packing.solver
        return f"{found}, then {self.prover}" if self.prover not in {"", found} else found


def instance_of(problem: Problem) -> Instance:
    """The arrays of ``problem``: sizes rounded up to its alignment."""
    lowers = tuple([buffer.lower for buffer in problem.buffers])
    uppers = tuple([buffer.upper for buffer in problem.buffers])
    neighbours = _neighbours(lowers, uppers)
    return Instance(problem.sizes, lowers, uppers, neighbours, problem.bound)


def part_of(instance: Instance, members: Sequence[int]) -> Instance:
    """The buffers ``members`` alone, in that order."""
    lowers = tuple([instance.lowers[i] for i in members])
    uppers = tuple([instance.uppers[i] for i in members])
    sizes = tuple([instance.sizes[i] for i in members])
    near = _neighbours(lowers, uppers)
    return Instance(sizes, lowers, uppers, near, live_bound(lowers, uppers, sizes))


def _neighbours(lowers: Sequence[int], uppers: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Sweep over time: what begins meets what is still alive."""
    found: list[list[int]] = [[] for _ in lowers]
    alive: list[int] = []
    for i in sorted(range(len(lowers)), key=lowers.__getitem__):
        begin = lowers[i]
        alive = [j for j in alive if uppers[j] > begin]
        for j in alive:
            found[j].append(i)
        found[i] += alive
        alive.append(i)
    return tuple([tuple(near) for near in found])
