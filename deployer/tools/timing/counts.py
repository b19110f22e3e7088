"""What the plugin wrote: exact counts of every region, block by block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deployer.errors import BenchError


@dataclass(frozen=True)
class Ran:
    """A translated block: ``instructions`` from ``address`` on, executed ``count`` times."""

    address: int
    instructions: int
    count: int


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


def parse_counts(lines: Iterable[str]) -> tuple[Counts, ...]:
    """Every run of every region, in order. Raises BenchError for a file cut short."""
    found: list[Counts] = []
    head: list[int] = []
    blocks: list[Ran] = []
    for line in lines:
        kind, *words = line.split()
        if kind == "R":
            found += _finished(head, blocks)
            head, blocks = [int(word) for word in words], []
        elif kind == "B" and head and len(words) == 4:
            address, count, _, times = words
            blocks.append(Ran(int(address, 16), int(count), int(times)))
        else:
            raise BenchError("the profile is damaged", why=[f"line {line.strip()!r}"])
    return (*found, *_finished(head, blocks))


def _finished(head: list[int], blocks: list[Ran]) -> list[Counts]:
    if not head:
        return []
    if sum(b.instructions * b.count for b in blocks) != head[1]:
        raise BenchError("the profile is damaged", why=["blocks and total do not agree"])
    region, instructions, loads, stores, mispredicted, data, fetch = head
    end = (data, fetch, tuple(blocks))
    return [Counts(region, instructions, loads, stores, mispredicted, *end)]
