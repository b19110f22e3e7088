"""What the plugin wrote: exact counts of every region, block by block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from deployer.errors import BenchError


@dataclass(frozen=True)
class Ran:
    """A translated block: ``instructions`` from ``address`` on, executed ``count`` times."""

    address: int
    instructions: int
    count: int
    mispredicted: int = 0


@dataclass(frozen=True)
class Loaded:
    """Loads of the instruction at ``address``: in the bank of the load right before, and of an
    address that is no multiple of their size."""

    address: int
    same_bank: int
    unaligned: int


@dataclass(frozen=True)
class OuterCounts:
    """Misses of the first caches by what the one behind them did: ``missed`` there, too;
    ``streamed``: asked for ahead and there, ``streamed_missed``: asked for ahead, from memory."""

    missed: int = 0
    streamed: int = 0
    streamed_missed: int = 0


NO_OUTER = OuterCounts()


@dataclass(frozen=True)
class Counts:
    """One run of a region. Instructions, loads and stores are exact; mispredictions and misses are
    the plugin's models of a branch predictor and of caches."""

    region: int
    instructions: int
    loads: int
    stores: int
    mispredicted: int
    data_misses: int
    fetch_misses: int
    blocks: tuple[Ran, ...]
    loaded: tuple[Loaded, ...] = ()
    outer: OuterCounts = NO_OUTER


def parse_counts(lines: Iterable[str]) -> tuple[Counts, ...]:
    """Every run of every region, in order. Raises BenchError for a file cut short."""
    found: list[Counts] = []
    run = _Run([])
    for line in lines:
        kind, *words = line.split()
        if kind == "R":
            found += run.finished()
            run = _Run([int(word) for word in words])
        elif not run.head or not run.takes(kind, words):
            raise BenchError("the profile is damaged", why=[f"line {line.strip()!r}"])
    return (*found, *run.finished())


@dataclass
class _Run:
    """A region while its lines are read; ``head``: the numbers of its first."""

    head: list[int]
    blocks: list[Ran] = field(default_factory=list)
    loaded: list[Loaded] = field(default_factory=list)
    outer: OuterCounts = NO_OUTER

    def takes(self, kind: str, words: list[str]) -> bool:
        """Whether it is a line of such a kind."""
        if kind == "B" and len(words) == 5:
            address, count, _, times, wrong = words
            self.blocks.append(Ran(int(address, 16), int(count), int(times), int(wrong)))
        elif kind == "I" and len(words) == 3:
            address, same_bank, unaligned = words
            self.loaded.append(Loaded(int(address, 16), int(same_bank), int(unaligned)))
        elif kind == "O" and len(words) == 3:
            self.outer = OuterCounts(*map(int, words))
        else:
            return False
        return True

    def finished(self) -> list[Counts]:
        if not self.head:
            return []
        if sum(b.instructions * b.count for b in self.blocks) != self.head[1]:
            raise BenchError("the profile is damaged", why=["blocks and total do not agree"])
        region, instructions, loads, stores, mispredicted, data, fetch = self.head
        parts = (data, fetch, tuple(self.blocks), tuple(self.loaded), self.outer)
        return [Counts(region, instructions, loads, stores, mispredicted, *parts)]
