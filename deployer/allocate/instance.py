"""A problem as arrays of integers, for the solvers."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.allocate.problem import Problem


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

    def height(self, offsets: tuple[int, ...]) -> int:
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


def instance_of(problem: Problem) -> Instance:
    """The arrays of ``problem``: sizes rounded up to its alignment."""
    lowers = tuple(buffer.lower for buffer in problem.buffers)
    uppers = tuple(buffer.upper for buffer in problem.buffers)
    neighbours = _neighbours(lowers, uppers)
    return Instance(problem.sizes, lowers, uppers, neighbours, problem.bound)


def _neighbours(lowers: tuple[int, ...], uppers: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Sweep over time: what begins meets what is still alive."""
    found: list[list[int]] = [[] for _ in lowers]
    alive: list[int] = []
    for i in sorted(range(len(lowers)), key=lambda i: lowers[i]):
        alive = [j for j in alive if uppers[j] > lowers[i]]
        for j in alive:
            found[i].append(j)
            found[j].append(i)
        alive.append(i)
    return tuple(tuple(sorted(near)) for near in found)
