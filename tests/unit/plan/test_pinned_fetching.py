"""What GAP8 knows of networks whose weights it fetches: room, code, bytes and cycles by step, and
what is given up or divided for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.pipeline.plan_facts import share_facts
from deployer.plan import cascades
from deployer.plan.aliases import arena_in_one_memory, tile_order_aliases, whole_tensor_aliases
from deployer.plan.chunks import chunk_counts, code_bytes_of
from deployer.plan.effort import PlanEffort
from deployer.plan.fetchable import PrefetchProblem, fetches_weights, weights_overflow
from deployer.plan.prefetch import on_demand, prefetched
from deployer.plan.release import (
    chunk_code_bytes,
    least_weight_bytes,
    released,
    required_bytes,
)
from deployer.plan.room import fits_with_prefetch, resident_fits
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"
NAMES = ["fetched", "stripes", "wide"]


def given(name: str) -> PrefetchProblem:
    found = planned(name)
    return PrefetchProblem(found.schedule, found.job.target)


def lines(name: str) -> Iterator[str]:
    found, here = planned(name), given(name)
    yield f"room {here.room}, memory {here.memory}, code {here.code}, constants {here.constants}"
    yield f"fits: {resident_fits(here)}, {fits_with_prefetch(found.schedule, found.job.request)}"
    yield f"overflows: {weights_overflow(found.job.target, found.quantized)}"
    for item in here.fetchable:
        yield f"{item.step}..{item.until} {item.array} {item.bytes} {' '.join(item.nodes)}"
    columns = (here.alive, here.held, here.cycles, required_bytes(here), least_weight_bytes(here))
    for step, *row in zip(here.schedule.steps, *columns, strict=True):
        yield f"{step.node}: {' '.join(f'{float(value):.1f}' for value in row)}"
    yield f"parts: {chunk_code_bytes(here)}"
    for counts in chunk_counts(here, PlanEffort().coarsened):
        yield f"{code_bytes_of(counts.values(), here.code_size)} {counts}"
    loose = released(here)
    yield f"eased: {len(loose.schedule.graph.shares)} shares, peak {loose.schedule.peak}"
    yield f"most: {cascades._highest(here)} {cascades._highest(loose)}"
    beside = cascades._beside(here)
    nodes = found.schedule.graph.nodes[:3]
    yield f"beside: {[beside(nodes, count) for count in (1, 2, 3, 4, 9)]}"
    for name, policy in (
        ("whole tensors", whole_tensor_aliases),
        ("tile order", tile_order_aliases),
    ):
        order = policy(found.quantized, found.job.request)
        yield f"{name}: {arena_in_one_memory(order)} {len(order.graph.shares)} shares"
    yield f"{share_facts(found.schedule, found.plan)}"


@pytest.mark.parametrize("name", NAMES)
def test_facts_of_fetching_are_those_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}-fetching.txt", "\n".join(lines(name)))


def plan_lines(found: Any) -> Iterator[str]:
    problem, plan = found
    yield f"{problem.capacities} arena {plan.arena}, heights {plan.heights}, {plan.status}"
    facts = plan.prefetch
    yield f"{facts.memory}: {facts.resident} stay, code {facts.code}, {facts.cycles} cycles"
    yield f"stalls {facts.stalls}"
    yield from map(str, facts.fetches)


def test_what_is_prefetched_and_fetched_one_by_one_is_pinned() -> None:
    here = given("fetched")
    text = [*plan_lines(prefetched(here)), "", *plan_lines(on_demand(here))]
    pinned(FOLDER / "fetched-plans.txt", "\n".join(text))


def test_code_that_is_larger_leaves_less_room() -> None:
    here = given("fetched")
    more = replace(here, code_excess=1000)
    assert more.code == here.code + 1000
    assert more.room == here.room - 1000


@pytest.mark.parametrize(("name", "found"), [("fetched", True), ("residual", False)])
def test_weights_are_fetched_from_behind_the_memory_they_are_read_from(
    name: str, found: bool
) -> None:
    assert fetches_weights(planned(name).job.target) is found
