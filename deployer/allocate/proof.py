"""Bounds above the live set: the lowest packing of a part bounds that of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from deployer.allocate import search, sweep
from deployer.allocate.instance import Instance, part_of
from deployer.allocate.sections import parts
from deployer.allocate.solver_name import SolverName

_MIN_CORE_SHARE = 0.95  # of the live-set bound: a part this full belongs to the core


@dataclass(frozen=True)
class Bound:
    """No packing is lower than ``bytes``; ``prover`` says how that is known, if not by counting."""

    bytes: int
    prover: str = ""


def raise_bound(instance: Instance, ceiling: int, *, nodes: int, tries: int) -> Bound:
    """The live-set bound or better, up to ``ceiling``, a height known to be enough."""
    bound = by_parts(instance, ceiling, nodes)
    if bound < ceiling and tries:
        heart = part_of(instance, core(instance))
        below = sweep.next_lower(heart, ceiling)
        if below < instance.bound or sweep.can_pack(heart, below, tries) is False:
            return Bound(ceiling, SolverName.SWEEP)
    return Bound(bound, SolverName.SEARCH if bound > instance.bound else "")


def core(instance: Instance) -> tuple[int, ...]:
    """The buffers of the parts about as full as the fullest one."""
    shares = [(part, part_of(instance, part).bound) for part in parts(instance)]
    return tuple(
        sorted(
            {i for part, bound in shares if bound >= _MIN_CORE_SHARE * instance.bound for i in part}
        )
    )


def by_parts(instance: Instance, ceiling: int, nodes: int) -> int:
    """The largest of the parts' lowest heights, as far as ``nodes`` placements tell."""
    bound = instance.bound
    for part in _fullest_first(instance):
        if bound >= ceiling or nodes <= 0:
            break
        bound, nodes = _raised(part, bound, ceiling, nodes)
    return bound


def _fullest_first(instance: Instance) -> Iterator[Instance]:
    shares = [part_of(instance, group) for group in parts(instance)]
    yield from sorted(shares, key=lambda part: (-part.bound, part.count))


def _raised(part: Instance, bound: int, ceiling: int, nodes: int) -> tuple[int, int]:
    """Up from ``bound`` until the part can be packed: each failure names the next height to try.

    Returns the new bound and the nodes left.
    """
    while bound < ceiling and sum(part.sizes) > bound and nodes > 0:
        found = search.pack(part, bound, nodes)
        nodes -= found.nodes
        if found.offsets is not None or found.least <= bound:
            break
        bound = min(found.least, ceiling)
    return bound, nodes
