"""Tensors that overlap in one buffer: the input and the output of a region, chained.

A region that runs downwards reads its input at the high end of the buffer and writes its output
from the low end, into rows that are no longer needed; one that runs upwards the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deployer.analysis.regions import RegionLayout
from deployer.ir import Buffer, InvariantError

_ALIGN_BYTES = 4  # kernels load words


@dataclass(frozen=True)
class Chain:
    """``size`` bytes from the birth of the first value to the death of the last.

    ``offsets``: bytes into the buffer per value, in order of birth; the buffer's id is the first.
    """

    size: int
    offsets: Mapping[str, int]

    @property
    def buffer(self) -> str:
        return next(iter(self.offsets))

    def merged(self, live: Mapping[str, Buffer]) -> Buffer:
        parts = [live[name] for name in self.offsets]
        lower, upper = min(b.lower for b in parts), max(b.upper for b in parts)
        return Buffer(self.buffer, lower, upper, self.size)


def chains(
    layouts: Sequence[RegionLayout],
    owner: Mapping[str, str],
    live: Mapping[str, Buffer],
    ends: Sequence[int],
) -> Iterator[Chain]:
    """``ends``: the step behind each region; ``live``: every owner's buffer without overlaps.

    Raises InvariantError when an input is needed behind its region, or when two regions of a chain
    run in the same direction.
    """
    links: list[list[RegionLayout]] = []
    for layout, end in zip(layouts, ends, strict=True):
        if not layout.region.over:
            continue
        source = owner[layout.region.over[0]]
        if live[source].upper > end:
            raise InvariantError(f"{source} is overwritten before its last use")
        before = next((c for c in links if owner[c[-1].region.over[1]] == source), None)
        if before is None:
            links.append([layout])
            continue
        if before[-1].region.reverse == layout.region.reverse:
            raise InvariantError(f"two overlaps at {source} run in one direction")
        before.append(layout)
    yield from (_chain(chain, owner, live) for chain in links)


def pair_bytes(source: int, target: int, gap: int) -> int:
    """Bytes of a buffer that holds both, starts or ends ``gap`` (a multiple of 4) apart."""
    return -(-max(source + gap + _ALIGN_BYTES - 1, target) // _ALIGN_BYTES) * _ALIGN_BYTES


def _chain(
    chain: Sequence[RegionLayout], owner: Mapping[str, str], live: Mapping[str, Buffer]
) -> Chain:
    pairs = [(owner[link.region.over[0]], link.region.over[1]) for link in chain]
    size = max(
        pair_bytes(live[a].size, live[b].size, link.gap())
        for (a, b), link in zip(pairs, chain, strict=True)
    )
    high = not chain[0].region.reverse
    offsets = {}
    for name in (pairs[0][0], *(target for _, target in pairs)):
        offsets[name] = (size - live[name].size) // _ALIGN_BYTES * _ALIGN_BYTES if high else 0
        high = not high
    return Chain(size, offsets)
