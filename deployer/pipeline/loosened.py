"""Shares that are given up where weights are fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from deployer.analysis.liveness import lifetimes
from deployer.ir.plan import Schedule
from deployer.ir.share import INSIDE, VIEW, Share
from deployer.pipeline.parts import code_of
from deployer.pipeline.streaming import Streaming, levels_of

LEAST = 16 << 10  # bytes for weights that make fetching worth while


def loosened(given: Streaming) -> Schedule:
    """Without the shares that bind more bytes for longer than they save: what shares is one buffer
    from its first step to its last. Each step keeps room for some of its weights."""
    found, scratch = given.schedule, {s.node: s.scratch for s in given.schedule.steps}
    before = np.array(given.alive)
    best, most = before.sum(), np.maximum(given.room - some_weights(given), before)
    for left in _fewer(found.graph.shares):
        graph = replace(given.schedule.graph, shares=left)
        levels = levels_of(lifetimes(graph, scratch), len(found.steps))
        if (levels <= most).all() and levels.sum() < best:
            best = levels.sum()
            found = replace(found, graph=graph, peak=int(levels.max()))
    return found


def _fewer(shares: Sequence[Share]) -> Iterator[tuple[Share, ...]]:
    """Ways to give some up, views never: those that put values inside of others, all; of both kinds
    those of the last steps first."""
    views = tuple(share for share in shares if share.kind == VIEW)
    beside = tuple(share for share in shares if share.kind != INSIDE)
    yield from dict.fromkeys((views, beside))
    for kept in dict.fromkeys((tuple(shares), beside)):
        for index, share in enumerate(kept):
            if share.kind != VIEW:
                yield *kept[:index], *(each for each in kept[index:] if each.kind == VIEW)


def eased(given: Streaming) -> Streaming:
    """``given`` with the shares that are left."""
    return replace(given, schedule=loosened(given))


def needed(given: Streaming) -> np.ndarray:
    """Bytes without which a step cannot run, of each, and of the code of parts."""
    own = np.array(given.alive) + np.array(given.held) + some_weights(given)
    return own + code_of_parts(given)


def code_of_parts(given: Streaming) -> int:
    """Bytes, where weights are fetched in no more parts than have to be."""
    return code_of(count for count in _least_parts(given) if count > 1)


def some_weights(given: Streaming) -> np.ndarray:
    """Bytes of the weights of each step, or of a part of them."""
    found = np.zeros(len(given.alive), np.int64)
    for item in given.streamable:
        found[item.step] = item.bytes if len(item.nodes) > 1 else min(item.bytes, LEAST)
    return found


def _least_parts(given: Streaming) -> Iterator[int]:
    """Into how many parts weights are cut of which two are to lie in the room at once."""
    for item in given.streamable:
        if len(item.nodes) == 1:
            yield -(-item.bytes // max((given.room - given.alive[item.step]) // 2, LEAST))
