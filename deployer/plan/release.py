"""Shares that are given up where weights are fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from deployer.analysis import lifetimes
from deployer.ir import INSIDE, VIEW, Schedule, Share
from deployer.plan.chunks import code_bytes_of
from deployer.plan.fetchable import PrefetchProblem, alive_by_step

LEAST_BYTES = 16 << 10  # of weights, that make fetching worth while


def without_costly_aliases(given: PrefetchProblem) -> Schedule:
    """Without the shares that bind more bytes for longer than they save: what shares is one buffer
    from its first step to its last. Each step keeps room for some of its weights."""
    found, scratch = given.schedule, {s.node: s.scratch for s in given.schedule.steps}
    before = np.array(given.alive)
    best, most = before.sum(), np.maximum(given.room - least_weight_bytes(given), before)
    for left in _fewer(found.graph.shares):
        graph = replace(given.schedule.graph, shares=left)
        levels = alive_by_step(lifetimes(graph, scratch), len(found.steps))
        if (levels <= most).all() and levels.sum() < best:
            best = levels.sum()
            found = replace(found, graph=graph, peak=int(levels.max()))
    return found


def _fewer(shares: Sequence[Share]) -> Iterator[tuple[Share, ...]]:
    """Candidates to give some up, views never: those that put values inside of others, all; of both
    kinds those of the last steps first."""
    views = tuple(share for share in shares if share.kind == VIEW)
    beside = tuple(share for share in shares if share.kind != INSIDE)
    yield from dict.fromkeys((views, beside))
    for kept in dict.fromkeys((tuple(shares), beside)):
        for index, share in enumerate(kept):
            if share.kind != VIEW:
                yield *kept[:index], *(each for each in kept[index:] if each.kind == VIEW)


def released(given: PrefetchProblem) -> PrefetchProblem:
    """``given`` with the shares that are left."""
    return replace(given, schedule=without_costly_aliases(given))


def required_bytes(given: PrefetchProblem) -> np.ndarray:
    """Bytes without which a step cannot run, of each, and of the code of parts."""
    own = np.array(given.alive) + np.array(given.held) + least_weight_bytes(given)
    total: np.ndarray = own + chunk_code_bytes(given)
    return total


def chunk_code_bytes(given: PrefetchProblem) -> int:
    """Bytes, where weights are fetched in no more parts than have to be."""
    counts = (count for count in _least_chunks(given) if count > 1)
    return code_bytes_of(counts, given.code_size)


def least_weight_bytes(given: PrefetchProblem) -> np.ndarray:
    """Bytes of the weights of each step, or of a part of them."""
    found = np.zeros(len(given.alive), np.int64)
    for item in given.fetchable:
        found[item.step] = min(item.bytes, LEAST_BYTES) if item.divides else item.bytes
    return found


def _least_chunks(given: PrefetchProblem) -> Iterator[int]:
    """Into how many parts weights are cut of which one is to lie in the room."""
    for item in given.fetchable:
        if item.divides:
            yield -(-item.bytes // max(given.room - given.alive[item.step], LEAST_BYTES))
