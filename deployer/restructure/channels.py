"""Runs computed in groups of channels: what each needs and costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from deployer.analysis import ChannelLayout
from deployer.ir import ALIAS, CHANNELS, SUM, Region, Scope, channel_faults, role, scope_of, unit
from deployer.restructure.cost import added_by_groups
from deployer.restructure.facts import Candidate, Facts

MAX_NODES = 8  # nodes of a run
GROUP_COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_EASY_CHANNELS = 4  # channels that kernels take at once


def channel_candidates(facts: Facts, last: int) -> Iterator[tuple[int, list[Candidate]]]:
    """For runs of growing length that end at a node: the first node, candidates of all counts."""
    for first in range(last, max(-1, last - MAX_NODES), -1):
        scope = _scope(facts, first, last)
        roles = [role(scope, node) for node in scope.nodes]
        if scope.nodes[0].op == "Reshape" and None not in roles[1:] and roles[-1] != ALIAS:
            continue  # a longer run has what it flattens
        if None in roles or SUM in roles[:-1] or roles[-1] == ALIAS:
            return
        options = list(_options(facts, scope, first, last))
        if options:
            yield first, options


def group_points(channels: int) -> Iterator[tuple[int, ...]]:
    """Split points of ``channels`` in different numbers of groups: all as large as the first, but
    the last; of a multiple of four channels where there are enough."""
    step = _EASY_CHANNELS if channels >= 2 * _EASY_CHANNELS else 1
    sizes = dict.fromkeys(-(-channels // count // step) * step for count in GROUP_COUNTS)
    for size in sizes:
        if 0 < size < channels:
            yield (*range(0, channels, size), channels)


def _scope(facts: Facts, first: int, last: int) -> Scope:
    nodes = facts.graph.nodes[first : last + 1]
    names = tuple(node.name for node in nodes)
    return scope_of(facts.graph, Region(names, CHANNELS, nodes[-1].output))


def _options(facts: Facts, scope: Scope, first: int, last: int) -> Iterator[Candidate]:
    factors = {node.output: facts.factors[first + i] for i, node in enumerate(scope.nodes)}
    kernels = sum(facts.cut_costs[first : last + 1])
    for points in group_points(unit(scope)):
        cut = replace(scope, region=replace(scope.region, channels=points))
        if any(channel_faults(cut)):
            continue
        layout = ChannelLayout(cut)
        if not layout.stored:
            return
        cost, peak = added_by_groups(layout, factors) + kernels, _peak(facts, layout, first, last)
        yield Candidate(cost, peak, CHANNELS, channels=points)


def _peak(facts: Facts, layout: ChannelLayout, first: int, last: int) -> int:
    """Bytes alive at most: while groups run, and while sums become the output."""
    whole = facts.whole(first, last + 1)
    tiles = _tiles(facts, layout, first, last)
    if not layout.summed:
        return whole + int(tiles.max())
    output = layout.scope.graph.values[layout.summed]
    sums, source = 4 * output.elements, layout.sum_source
    dead = facts.size[source] if source in layout.scope.interior else 0
    groups = whole - facts.size[layout.summed] + int(tiles[:-1].max())
    return sums + max(groups, facts.whole(last, last + 1) - dead + facts.spare(last))


def _tiles(facts: Facts, layout: ChannelLayout, first: int, last: int) -> np.ndarray:
    """Bytes of tiles and scratch at every node. What is summed over is read beside the node
    before."""
    alive = np.array([facts.spare(node) for node in range(first, last + 1)])
    end = last - bool(layout.summed)
    for owner, stored in layout.stored.items():
        names = [n for n in layout.members(owner) if n in facts.size]
        begin = min(facts.born[name] for name in names) - first
        until = min(end, max(facts.last[name] for name in names)) - first
        alive[begin : until + 1] += -(-stored.bytes // 4) * 4
    return alive
