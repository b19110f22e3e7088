"""The order of steps with the lowest peak: exactly over sets of finished steps, else by beam.

A set of finished steps fixes what is alive, whatever their order was, so only sets are searched
(down-sets, as bits; Serenity, arXiv:2003.02369, does the same). The set with the lowest peak
so far goes first, the most advanced of equals: the first complete one is optimal. A ready step that
needs no more than the peak so far and leaves no more alive than before can only help, so nothing
else is tried beside it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import lru_cache

from deployer.schedule.steps import Steps, bits

_Partial = tuple[int, int, tuple[int, ...], int]  # peak, bytes alive, steps, those ready then
MAX_STATES = 20_000  # sets looked at before the beam takes over
MAX_READY = 16  # steps that may follow a set, on average: of more, fewer sets are looked at
MAX_BEAM = 64


@dataclass(frozen=True)
class Order:
    """``steps`` in order. ``exact``: no order has a lower ``peak``."""

    steps: tuple[int, ...]
    peak: int
    exact: bool


@lru_cache(maxsize=16)
def best_order(steps: Steps, *, states: int = MAX_STATES, beam: int = MAX_BEAM) -> Order:
    """The given order unless one with a lower peak is found. Deterministic.

    What was found is kept: a plan asks for the same steps again and again.
    """
    given = tuple(range(steps.count))
    peak = steps.peak(given)
    if peak <= steps.floor:
        return Order(given, peak, True)
    found, exact = _exact(steps, peak, states)
    if found is None and not exact:
        found = _beam(steps, peak, beam)
    return Order(given, peak, exact) if found is None else Order(found, steps.peak(found), exact)


def _exact(steps: Steps, limit: int, states: int) -> tuple[tuple[int, ...] | None, bool]:
    """An order below ``limit``, None if there is none; and whether that is certain."""
    came: dict[int, tuple[int, int]] = {}  # set of steps: the set before, the step between
    queue = [(steps.floor, 0, 0, steps.resident, 0, -1, steps.first)]
    looked = 0
    while queue:
        peak, depth, done, alive, before, n, ready = heapq.heappop(queue)
        if done in came:
            continue
        came[done] = before, n
        if done == steps.all_done:
            return _path(came, done), True
        looked += ready.bit_count()
        if len(came) > states or looked > states * MAX_READY:
            return None, False
        for m, highest, left in _choices(steps, done, alive, ready, peak):
            needed, after = max(peak, highest), done | 1 << m
            if needed < limit and after not in came:
                following = steps.ready_after(ready, after, m)
                heapq.heappush(queue, (needed, depth - 1, after, left, done, m, following))
    return None, True


def _choices(
    steps: Steps, done: int, alive: int, ready: int, peak: int
) -> list[tuple[int, int, int]]:
    """The steps of the set ``ready``, or only one that cannot hurt; with each the bytes alive while
    it runs and after it."""
    found = []
    for n in bits(ready):
        highest, left = alive + steps.extra(done, n), alive + steps.change(done, n)
        if highest <= peak and left <= alive:
            return [(n, highest, left)]
        found.append((n, highest, left))
    return found


def _path(came: dict[int, tuple[int, int]], done: int) -> tuple[int, ...]:
    order = []
    while done:
        done, n = came[done]
        order.append(n)
    return tuple(reversed(order))


def _beam(steps: Steps, limit: int, width: int) -> tuple[int, ...] | None:
    """Step by step, the ``width`` sets of lowest peak and fewest bytes alive."""
    layer: dict[int, _Partial] = {0: (steps.floor, steps.resident, (), steps.first)}
    for _ in range(steps.count):
        following: dict[int, _Partial] = {}
        for done, (peak, alive, order, ready) in layer.items():
            for n, highest, left in _choices(steps, done, alive, ready, peak):
                needed, after = max(peak, highest), done | 1 << n
                entry = (needed, left, (*order, n), steps.ready_after(ready, after, n))
                if needed < limit and (after not in following or entry < following[after]):
                    following[after] = entry
        kept = sorted(following.items(), key=lambda item: (item[1], item[0]))
        layer = dict(kept[:width])
    return min(layer.values())[2] if layer else None
