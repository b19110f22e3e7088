"""Bytes alive, traffic, costs, claims and launches of seeded networks."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.analysis.cost import graph_cost
from deployer.analysis.fit import fit_report
from deployer.analysis.launch import launches
from deployer.analysis.layout import layout_of
from deployer.analysis.liveness import lifetimes, places
from deployer.analysis.peak import live_profile
from deployer.analysis.profile import profile_of
from deployer.analysis.traffic import buffer_traffic
from planned import CASES, Planned, pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_the_facts_are_those_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}.txt", "\n".join(_lines(planned(name))))


def _lines(found: Planned) -> list[str]:
    schedule, board = found.schedule, found.job.board
    graph = schedule.graph
    scratch = {step.node: step.scratch for step in schedule.steps}
    buffers = lifetimes(graph, scratch)
    profile = profile_of(found.quantized, schedule)
    claims = fit_report(schedule, found.plan, board, reserved={board.place.stack: 9000})
    runs = [f"{e.index} {e.output} {[s.node for s in e.steps]}" for e in launches(schedule)]
    return [
        f"buffers {[(b.id, b.size, b.lower, b.upper) for b in buffers]}",
        f"alive {live_profile(buffers, len(schedule.steps))}",
        f"traffic {sorted(buffer_traffic(graph, scratch).items())}",
        f"places {sorted(map(str, places(graph).items()))}",
        *(f"curve {c.title} {c.alive} {c.step} {c.peak}" for c in profile.curves),
        f"spans {profile.spans}",
        *(f"cost {line}" for line in str(graph_cost(graph)).split("), ")),
        *(f"claim {row}" for row in claims.rows),
        *(f"run {line}" for line in runs),
        *(f"slots {sorted(map(str, layout_of(graph, r).slots.items()))}" for r in graph.regions),
    ]
