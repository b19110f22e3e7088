"""Exact offsets of seeded networks, and the height that each heuristic reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.allocate.heuristics.bag import HEURISTICS
from deployer.allocate.instance import instance_of
from deployer.allocate.portfolio import Effort
from deployer.allocate.problem import problem_of
from deployer.allocate.solvers import SOLVERS
from deployer.ir.show import plan_text
from planned import CASES, pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_the_plan_is_that_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}.txt", plan_text(planned(name).plan))


@pytest.mark.parametrize("name", CASES)
def test_each_heuristic_reaches_the_height_pinned(name: str) -> None:
    found = planned(name)
    instance = instance_of(problem_of(found.schedule, found.job.board))
    lines = [f"bound {instance.bound}"]
    for solver in HEURISTICS:
        packing = SOLVERS[solver](instance, Effort()).packing
        lines.append(f"{solver} {packing.height} {list(packing.offsets)}")
    pinned(FOLDER / f"{name}-heuristics.txt", "\n".join(lines))
