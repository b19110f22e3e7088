"""What GAP8 knows of networks whose weights it fetches: room, code, bytes and cycles by step, and
what is given up or divided for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.pipeline import striped
from deployer.pipeline.loosened import code_of_parts, eased, needed, some_weights
from deployer.pipeline.parts import chunk_counts, code_of
from deployer.pipeline.scheduled import loosely, plain_arena, share_facts, tightly
from deployer.pipeline.somehow import fits_somehow, resident_fits
from deployer.pipeline.streamed import one_by_one, stream
from deployer.pipeline.streaming import Streaming, fetches, weights_overflow
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"
NAMES = ["fetched", "stripes", "wide"]


def given(name: str) -> Streaming:
    found = planned(name)
    return Streaming(found.schedule, found.job.target)


def lines(name: str) -> Iterator[str]:
    found, here = planned(name), given(name)
    yield f"room {here.room}, memory {here.memory}, code {here.code}, constants {here.constants}"
    yield f"fits: {resident_fits(here)}, {fits_somehow(found.job, found.schedule)}"
    yield f"overflows: {weights_overflow(found.job.target, found.quantized)}"
    for item in here.streamable:
        yield f"{item.step}..{item.until} {item.array} {item.bytes} {' '.join(item.nodes)}"
    columns = (here.alive, here.held, here.cycles, needed(here), some_weights(here))
    for step, *row in zip(here.schedule.steps, *columns, strict=True):
        yield f"{step.node}: {' '.join(f'{float(value):.1f}' for value in row)}"
    yield f"parts: {code_of_parts(here)}"
    for counts in chunk_counts(here):
        yield f"{code_of(counts.values())} {counts}"
    loose = eased(here)
    yield f"eased: {len(loose.schedule.graph.shares)} shares, peak {loose.schedule.peak}"
    yield f"most: {striped._highest(here)} {striped._highest(loose)}"
    beside = striped._beside(here)
    nodes = found.schedule.graph.nodes[:3]
    yield f"beside: {[beside(nodes, count) for count in (1, 2, 3, 4, 9)]}"
    for way in (loosely, tightly):
        order = way(found.job, found.quantized)
        yield f"{way.__name__}: {plain_arena(order)} {len(order.graph.shares)} shares"
    yield f"{share_facts(found.schedule, found.plan)}"


@pytest.mark.parametrize("name", NAMES)
def test_facts_of_fetching_are_those_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}-fetching.txt", "\n".join(lines(name)))


def plan_lines(found: Any) -> Iterator[str]:
    problem, plan = found
    yield f"{problem.capacities} arena {plan.arena}, heights {plan.heights}, {plan.status}"
    facts = plan.stream
    yield f"{facts.memory}: {facts.resident} stay, code {facts.code}, {facts.cycles} cycles"
    yield f"stalls {facts.stalls}"
    yield from map(str, facts.fetches)


def test_what_is_fetched_ahead_and_one_by_one_is_pinned() -> None:
    here = given("fetched")
    text = [*plan_lines(stream(here)), "", *plan_lines(one_by_one(here))]
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
    assert fetches(planned(name).job.target) is found
