"""Instances as others write them: a CSV of lifetimes in, a CSV of offsets out."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import StringIO

from deployer.allocate.allocate import check, one_memory_plan
from deployer.allocate.conflict import smallest_conflict
from deployer.allocate.portfolio import EFFORTS, Effort
from deployer.allocate.problem import Problem, problem_from_csv
from deployer.allocate.solvers import Solver
from deployer.choices import EffortName
from deployer.errors import FitError, UsageError
from deployer.ir import InvariantError, MemoryPlan
from deployer.units import format_bytes


@dataclass(frozen=True)
class Answer:
    """A checked plan; ``seconds`` of CPU from the text to the plan, the check left out."""

    name: str
    plan: MemoryPlan
    seconds: float

    @property
    def gap(self) -> int:
        """Bytes between the plan and what is proven; 0 when it is optimal."""
        return self.plan.arena - self.plan.bound


def answer(
    name: str,
    text: str,
    solver: Solver,
    *,
    alignment: int = 1,
    capacity: int | None = None,
    effort: Effort | None = None,
) -> Answer:
    """Solve one table; with a ``capacity`` the first plan within it will do.

    Raises UsageError naming the line, FitError where no plan within ``capacity`` bytes is found.
    """
    effort = effort or EFFORTS[EffortName.NORMAL]
    begun = time.process_time()
    try:
        problem = problem_from_csv(text, alignment=alignment)
    except UsageError as error:
        raise UsageError(f"{name}: {error.what}", hints=error.hints) from None
    plan = one_memory_plan(problem, solver, replace(effort, target=capacity or 0))
    seconds = time.process_time() - begun
    if found := check(plan, problem):
        raise InvariantError(f"{name}: {'; '.join(found)}")
    if capacity is not None and plan.arena > capacity:
        raise too_high(name, problem, plan, capacity, effort)
    return Answer(name, plan, seconds)


def offsets_csv(plan: MemoryPlan) -> str:
    """``id,offset``, a row a buffer in the order of the instance."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "offset"])
    writer.writerows((p.buffer.id, p.offset) for p in plan.placements)
    return out.getvalue()


def times_csv(answers: Iterable[Answer]) -> str:
    """``name,seconds``, a row an instance."""
    rows = (f"{item.name},{item.seconds:.6f}\n" for item in answers)
    return "".join(["name,seconds\n", *rows])


def too_high(
    name: str, problem: Problem, plan: MemoryPlan, capacity: int, effort: Effort
) -> FitError:
    """FitError with the smallest conflicting set, or with what is known of the gaps."""
    hints = [f"--capacity of at least {plan.arena}"]
    if plan.bound > capacity:
        what = f"{name} does not fit {format_bytes(capacity)}"
    else:
        what = f"no placement of {name} within {format_bytes(capacity)} was found"
        hints += [f"--effort {EffortName.BEST}"] * (effort != EFFORTS[EffortName.BEST])
    return FitError(what, why=[_why(problem, plan, capacity)], hints=hints)


def _why(problem: Problem, plan: MemoryPlan, capacity: int) -> str:
    if conflict := smallest_conflict(problem, capacity):
        parts = "  ".join(f"{b.id} {b.size:,}" for b in conflict)
        return f"alive together, and already too many: {parts}"
    if plan.bound > capacity:
        return f"proven: no placement needs less than {format_bytes(plan.bound)}"
    return (
        f"the best placement known needs {format_bytes(plan.arena)}; from "
        f"{format_bytes(plan.bound)} on, a lower one is not ruled out"
    )
