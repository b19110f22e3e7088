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
    mispredicted: int = 0


@dataclass(frozen=True)
class Loaded:
    """Loads of the instruction at ``address``: in the bank of the load right before, and of an
    address that is no multiple of their size."""

    address: int
    same_bank: int
    unaligned: int


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


def parse_counts(lines: Iterable[str]) -> tuple[Counts, ...]:
    """Every run of every region, in order. Raises BenchError for a file cut short."""
    found: list[Counts] = []
    head: list[int] = []
    blocks: list[Ran] = []
    loaded: list[Loaded] = []
    for line in lines:
        kind, *words = line.split()
        if kind == "R":
            found += _finished(head, blocks, loaded)
            head, blocks, loaded = [int(word) for word in words], [], []
        elif kind == "B" and head and len(words) == 5:
            address, count, _, times, wrong = words
            blocks.append(Ran(int(address, 16), int(count), int(times), int(wrong)))
        elif kind == "I" and head and len(words) == 3:
            address, same_bank, unaligned = words
            loaded.append(Loaded(int(address, 16), int(same_bank), int(unaligned)))
        else:
            raise BenchError("the profile is damaged", why=[f"line {line.strip()!r}"])
    return (*found, *_finished(head, blocks, loaded))


def _finished(head: list[int], blocks: list[Ran], loaded: list[Loaded]) -> list[Counts]:
    if not head:
        return []
    if sum(b.instructions * b.count for b in blocks) != head[1]:
        raise BenchError("the profile is damaged", why=["blocks and total do not agree"])
    region, instructions, loads, stores, mispredicted, data, fetch = head
    end = (data, fetch, tuple(blocks), tuple(loaded))
    return [Counts(region, instructions, loads, stores, mispredicted, *end)]
