"""The exact searches of our own: sections, parts, canonical search, sweep."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from deployer.allocate.exact import solve_exact
from deployer.allocate.heuristics.bag import bag
from deployer.allocate.instance import Instance, Solution, instance_of, part_of
from deployer.allocate.problem import Problem
from deployer.allocate.proof import core, raise_bound
from deployer.allocate.repair import repair
from deployer.allocate.search import pack
from deployer.allocate.sections import independent, parts, sections_of
from deployer.allocate.sweep import can_pack, next_lower
from deployer.ir.plan import Buffer
from unit.ir.strategies import STEADY, problems

PLENTY = 100_000


def lowest(instance: Instance) -> int:
    """By CP-SAT."""
    found = solve_exact(instance, Solution(bag(instance), instance.bound))
    assert found.optimal
    return found.bound


def chain(*sizes: int) -> Instance:
    """Each buffer meets the next one only."""
    buffers = tuple(Buffer(f"b{i}", 2 * i, 2 * i + 3, size) for i, size in enumerate(sizes))
    return instance_of(Problem(buffers, (("sram", 10_000),), 1))


def crowd(seed: int) -> Instance:
    """Fourteen buffers within seventeen steps."""
    dice = random.Random(seed)
    buffers = []
    for i in range(14):
        lower = dice.randrange(0, 12)
        buffers.append(Buffer(f"b{i}", lower, lower + dice.randint(1, 5), dice.randint(1, 9)))
    return instance_of(Problem(tuple(buffers), (("sram", 10_000),), 1))


@STEADY
@given(problems())
def test_two_buffers_meet_exactly_where_they_share_a_section(problem: Problem) -> None:
    instance = instance_of(problem)
    sections = sections_of(instance)
    shared = {(i, j) for s in sections.members for i in s for j in s if i < j}
    assert shared == set(instance.conflicts())
    sets = [set(s) for s in sections.members]
    assert not any(a < b or (a == b and a is not b) for a in sets for b in sets)
    for i in range(instance.count):
        assert list(sections.of[i]) == [s for s, m in enumerate(sections.members) if i in m]


@STEADY
@given(problems())
def test_parts_hold_every_buffer_and_every_pair(problem: Problem) -> None:
    instance = instance_of(problem)
    for through in (0, 1):
        found = parts(instance, through)
        assert {i for part in found for i in part} == set(range(instance.count))
        pairs = {(min(i, j), max(i, j)) for part in found for i in part for j in part if i != j}
        assert pairs >= set(instance.conflicts())
    assert sum(len(part) for part in parts(instance, 0)) == instance.count


@STEADY
@given(problems())
def test_independent_groups_never_meet(problem: Problem) -> None:
    instance = instance_of(problem)
    order = sorted(range(instance.count), key=instance.lowers.__getitem__)
    group = {i: g for g, members in enumerate(independent(instance, order)) for i in members}
    assert all(group[i] == group[j] for i, j in instance.conflicts())


def test_a_chain_falls_into_its_pairs() -> None:
    assert parts(chain(1, 2, 3, 4)) == ((0,), (0, 1), (1,), (1, 2), (2,), (2, 3), (3,))


@settings(STEADY, max_examples=60)
@given(problems(max_buffers=10))
def test_the_search_finds_every_height_there_is_and_no_other(problem: Problem) -> None:
    instance = instance_of(problem)
    best = lowest(instance)
    found = pack(instance, best, PLENTY)
    assert found.offsets is not None
    assert instance.height(found.offsets) <= best
    if best > instance.bound:
        below = pack(instance, best - 1, PLENTY)
        assert below.offsets is None
        assert below.least == best


@settings(STEADY, max_examples=60)
@given(problems(max_buffers=8, largest=12))
def test_the_sweep_tells_enough_from_too_little(problem: Problem) -> None:
    instance = instance_of(problem)
    best = lowest(instance)
    assert can_pack(instance, best, PLENTY) is True
    below = next_lower(instance, best) if best else 0
    assert below < best or not best
    if best:
        assert can_pack(instance, below, PLENTY) is (below >= best)


@settings(STEADY, max_examples=60)
@given(problems())
def test_a_raised_bound_is_never_above_the_optimum(problem: Problem) -> None:
    instance = instance_of(problem)
    best = lowest(instance)
    for nodes, tries in ((0, 0), (PLENTY, 0), (0, PLENTY), (50, 50)):
        found = raise_bound(instance, bag(instance).height, nodes=nodes, tries=tries)
        assert instance.bound <= found.bytes <= best
    assert lowest(part_of(instance, core(instance))) <= best


def test_work_that_runs_out_proves_nothing() -> None:
    crowd = chain(*([3, 2, 4] * 8))
    assert pack(crowd, crowd.bound, 2).least == crowd.bound
    assert pack(crowd, crowd.bound - 1, 2).least == crowd.bound
    assert can_pack(crowd, crowd.bound, 2) is None


@pytest.mark.parametrize("seed", [29, 32, 38])
def test_a_branch_that_leaves_no_room_ends_at_once(seed: int) -> None:
    """Without that, three to ten times as many placements are tried."""
    found = pack(crowd(seed), crowd(seed).bound, PLENTY)
    assert found.offsets is not None
    assert found.nodes < 40


def test_repair_raises_what_sticks_out_until_it_fits() -> None:
    instance = crowd(29)
    start = bag(instance)
    assert repair(instance, start, rounds=1).height > instance.bound
    assert repair(instance, start).height == instance.bound
    assert repair(instance, start, rounds=0) == start
