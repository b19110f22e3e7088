"""Is a memory plan sound? Written apart from the solvers: it shares no code with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from deployer.errors import UsageError
from deployer.ir import Buffer, MemoryPlan, Placement, PlanStatus


def validate(
    plan: MemoryPlan,
    *,
    buffers: Iterable[Buffer] | None = None,
    capacities: Mapping[str, int] | None = None,
    alignment: int = 4,
) -> None:
    """Raise UsageError listing every violation (see ``violations``)."""
    found = violations(plan, buffers=buffers, capacities=capacities, alignment=alignment)
    if found:
        raise UsageError("the memory plan contradicts itself", why=found)


def violations(
    plan: MemoryPlan,
    *,
    buffers: Iterable[Buffer] | None = None,
    capacities: Mapping[str, int] | None = None,
    alignment: int = 4,
) -> tuple[str, ...]:
    """What is wrong with ``plan``, one line each.

    Two buffers alive together must not share a byte; offsets are aligned; heights cover every
    buffer; the bound and the status agree with the heights. If given, exactly ``buffers`` are
    placed and no height exceeds ``capacities`` (bytes per memory).
    """
    return (
        *_misplaced(plan, alignment),
        *_overlapping(plan.placements),
        *_heights(plan, capacities),
        *_claims(plan),
        *(_missing(plan, buffers) if buffers is not None else ()),
    )


def _misplaced(plan: MemoryPlan, alignment: int) -> Iterator[str]:
    heights = dict(plan.heights)
    for p in plan.placements:
        end = p.offset + p.buffer.size
        if p.memory not in heights:
            yield f"{p.buffer.id}: memory {p.memory} has no height"
        elif end > heights[p.memory]:
            yield f"{p.buffer.id}: ends at {end}, above the height {heights[p.memory]}"
        if p.offset < 0 or p.offset % alignment:
            yield f"{p.buffer.id}: offset {p.offset} is not a multiple of {alignment}"


def _overlapping(placements: tuple[Placement, ...]) -> Iterator[str]:
    """Step by step: sorted by offset, each buffer must end before the next begins."""
    reported: set[tuple[str, str]] = set()
    alive: list[Placement] = []
    begins = sorted(placements, key=lambda p: p.buffer.lower)
    for step, group in groupby(begins, key=lambda p: p.buffer.lower):
        alive = [p for p in alive if p.buffer.upper > step]
        alive += [p for p in group if p.buffer.size]
        for low, high in _clashes(alive):
            pair = (low.buffer.id, high.buffer.id)
            if pair not in reported:
                reported.add(pair)
                yield f"{pair[0]} and {pair[1]} share bytes at step {step}"


def _clashes(alive: list[Placement]) -> Iterator[tuple[Placement, Placement]]:
    """In each memory, what begins below the end of what lies beneath it."""
    top: dict[str, Placement] = {}
    for high in sorted(alive, key=lambda p: (p.offset, p.buffer.size)):
        low = top.get(high.memory)
        if low is not None and low.offset + low.buffer.size > high.offset:
            yield low, high
        if low is None or low.offset + low.buffer.size < high.offset + high.buffer.size:
            top[high.memory] = high


def _heights(plan: MemoryPlan, capacities: Mapping[str, int] | None) -> Iterator[str]:
    if capacities is None:
        return
    for memory, height in plan.heights:
        room = capacities.get(memory, 0)
        if height > room:
            yield f"{memory}: height {height} exceeds its {room} bytes"


def _claims(plan: MemoryPlan) -> Iterator[str]:
    total = sum(height for _, height in plan.heights)
    if plan.bound > total:
        yield f"the bound {plan.bound} is above the plan's {total} bytes"
    if plan.status == PlanStatus.OPTIMAL and total != plan.bound:
        yield f"called optimal at {total} bytes with the bound at {plan.bound}"
    if plan.status not in tuple(PlanStatus):
        yield f"unknown status {plan.status!r}"


def _missing(plan: MemoryPlan, buffers: Iterable[Buffer]) -> Iterator[str]:
    wanted, placed = list(buffers), Counter(p.buffer for p in plan.placements)
    for buffer in wanted:
        if placed[buffer] != 1:
            yield f"{buffer.id}: placed {placed[buffer]} times"
    for buffer in sorted(placed.keys() - set(wanted), key=lambda buffer: buffer.id):
        yield f"{buffer.id}: not one of the problem's buffers"
