"""Cycles that mispredictions and cache misses add to those of a pipeline with ideal memory."""

from __future__ import annotations

from deployer.board import Costs, OuterCache
from deployer.tools.timing.counts import Counts, OuterCounts
from deployer.tools.timing.machine import Machine


def memory_cycles(counts: Counts, machine: Machine, core: float) -> float:
    """Of a step whose pipeline takes ``core`` cycles.

    Lines that were asked for ahead come while the core goes on: what they take beyond its cycles
    counts, so that a step takes at least what its lines take at the bandwidths of the memories.
    Every other miss is waited for.
    """
    costs = machine.costs
    mispredicted = costs.misprediction * counts.mispredicted
    if machine.outer is None:
        return mispredicted + _missed(counts, costs, counts.data_misses)
    found = counts.outer
    waited = _missed(counts, costs, counts.data_misses - found.streamed - found.streamed_missed)
    waited += machine.outer.miss * found.missed
    return mispredicted + waited + max(0.0, streamed_cycles(counts, machine.outer) - core)


def streamed_cycles(counts: Counts, outer: OuterCache) -> float:
    """What the lines asked for ahead take at the bandwidths of the memories."""
    found = counts.outer
    return outer.streamed * found.streamed + outer.streamed_miss * found.streamed_missed


def memory_bound(outer: OuterCounts, machine: Machine) -> float:
    """The least cycles in which memory gives the lines that the second cache lacked, however many
    cores ask for them: their bandwidth is one for all."""
    if machine.outer is None:
        return 0.0
    return machine.outer.streamed_miss * (outer.missed + outer.streamed_missed)


def _missed(counts: Counts, costs: Costs, data_misses: int) -> float:
    return costs.data_miss * data_misses + costs.fetch_miss * counts.fetch_misses
