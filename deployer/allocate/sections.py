"""Time reduced to what an exact search needs: maximal live sets, and parts that barely touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deployer.allocate.instance import Instance


@dataclass(frozen=True)
class Sections:
    """``members[s]``: a live set that is part of no other, in order of time.

    ``of[i]`` are the sections of buffer i. Two buffers meet exactly if they share a section, so no
    other step can matter.
    """

    members: tuple[tuple[int, ...], ...]
    of: tuple[tuple[int, ...], ...]


def sections_of(instance: Instance) -> Sections:
    """A live set is maximal just before something ends, if something began since the last end."""
    events = sorted(
        [(upper, 0, i) for i, upper in enumerate(instance.uppers)]
        + [(lower, 1, i) for i, lower in enumerate(instance.lowers)]
    )
    alive: dict[int, None] = {}
    members: list[tuple[int, ...]] = []
    grown = False
    for _, begins, i in events:
        if begins:
            alive[i] = None
        else:
            if grown:
                members.append(tuple(alive))
            del alive[i]
        grown = bool(begins)
    of: list[list[int]] = [[] for _ in instance.sizes]
    for s, names in enumerate(members):
        for i in names:
            of[i].append(s)
    return Sections(tuple(members), tuple(map(tuple, of)))


def parts(instance: Instance, through: int = 1) -> tuple[tuple[int, ...], ...]:
    """The buffers between instants that at most ``through`` of them outlive, in order of time.

    A buffer that outlives such an instant is in the parts on both sides, so a packing of the whole
    holds one of every part: no packing of the whole is lower than the lowest one of a part. With
    ``through`` 0 the parts are independent.
    """
    cuts = list(_cuts(instance, through))
    order = sorted(range(instance.count), key=instance.lowers.__getitem__)
    found = []
    for begin, end in zip([None, *cuts], [*cuts, None], strict=True):
        found.append(tuple(i for i in order if _meets(instance, i, begin, end)))
    return tuple(part for part in found if part)


def _cuts(instance: Instance, through: int) -> Iterator[int]:
    """Instants outlived by at most ``through`` buffers, other than the first and the last."""
    begins, ends = sorted(instance.lowers), sorted(instance.uppers)
    begun = ended = 0
    for instant in sorted({*begins, *ends})[1:-1]:
        while begun < len(begins) and begins[begun] < instant:
            begun += 1
        while ended < len(ends) and ends[ended] <= instant:
            ended += 1
        if begun - ended <= through:
            yield instant


def _meets(instance: Instance, i: int, begin: int | None, end: int | None) -> bool:
    after = begin is None or instance.uppers[i] > begin
    return after and (end is None or instance.lowers[i] < end)


def independent(instance: Instance, members: Sequence[int]) -> list[list[int]]:
    """``members``, in order of start, split where nothing is alive on both sides."""
    groups: list[list[int]] = []
    end = 0
    lowers, uppers = instance.lowers, instance.uppers
    for i in members:
        if not groups or lowers[i] >= end:
            groups.append([])
            end = uppers[i]
        groups[-1].append(i)
        if uppers[i] > end:
            end = uppers[i]
    return groups
