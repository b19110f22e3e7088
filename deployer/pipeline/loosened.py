"""Shares that are given up where weights are fetched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from deployer.analysis.liveness import lifetimes
from deployer.ir.plan import Schedule
from deployer.ir.share import VIEW
from deployer.pipeline.streaming import Streaming, levels_of

LEAST = 32 << 10  # bytes for weights that make fetching worth while


def loosened(given: Streaming) -> Schedule:
    """Without the shares that bind more bytes for longer than they save: what shares is one buffer
    from its first step to its last. Those of the last steps are given up first. Each step keeps
    room for some of its weights."""
    found, scratch = given.schedule, {s.node: s.scratch for s in given.schedule.steps}
    before = np.array(given.alive)
    best, most = before.sum(), np.maximum(given.room - some_weights(given), before)
    shares = found.graph.shares
    for index, share in enumerate(shares):
        if share.kind == VIEW:
            continue
        left = (*shares[:index], *(each for each in shares[index:] if each.kind == VIEW))
        graph = replace(given.schedule.graph, shares=left)
        levels = levels_of(lifetimes(graph, scratch), len(found.steps))
        if (levels <= most).all() and levels.sum() < best:
            best = levels.sum()
            found = replace(found, graph=graph, peak=int(levels.max()))
    return found


def needed(given: Streaming) -> np.ndarray:
    """Bytes without which a step cannot run, of each."""
    return np.array(given.alive) + some_weights(given)


def some_weights(given: Streaming) -> np.ndarray:
    """Bytes of the weights of each step, or of a part of them."""
    found = np.zeros(len(given.alive), np.int64)
    for item in given.streamable:
        found[item.step] = min(item.bytes, LEAST)
    return found
