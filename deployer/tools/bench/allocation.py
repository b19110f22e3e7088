"""Allocators side by side on the same instances, every answer checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from deployer.allocate import BAG, SolverName, answer, solver_named
from deployer.tools.bench.allocation_sets import Entry

OURS = SolverName.AUTO
SOLVERS = (*BAG, SolverName.BAG, OURS)


@dataclass(frozen=True)
class Result:
    """One solver on one instance: ``bytes`` placed, ``bound`` proven, ``seconds`` of CPU."""

    group: str
    name: str
    buffers: int
    solver: str
    bytes: int
    bound: int
    seconds: float

    @property
    def optimal(self) -> bool:
        return self.bytes == self.bound


@dataclass(frozen=True)
class Summary:
    """A solver over a set, as paper 001's table 2.6 has it: percentages and seconds of CPU."""

    instances: int
    optimal: float
    average_overhead: float
    worst_overhead: float
    worst_seconds: float
    average_seconds: float
    proven: int


def measure_solvers(
    entries: Sequence[Entry],
    solvers: Iterable[str] = SOLVERS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Result, ...]:
    """Every solver on every instance; an answer the validator objects to is an error."""
    names, found = tuple(solvers), []
    for done, entry in enumerate(entries):
        progress(done, len(entries))
        found += [_one(entry, name) for name in names]
    return tuple(found)


def _one(entry: Entry, solver: str) -> Result:
    name = f"{entry.group}/{entry.name}"
    found = answer(name, entry.text, solver_named(solver))
    plan = found.plan
    return Result(
        group=entry.group,
        name=entry.name,
        buffers=len(plan.placements),
        solver=solver,
        bytes=plan.arena,
        bound=plan.bound,
        seconds=found.seconds,
    )


def summaries(results: Iterable[Result]) -> dict[str, dict[str, Summary]]:
    """By set, then by solver. Optimal means as low as the bound that any solver has proven."""
    results = tuple(results)
    bounds: dict[tuple[str, str], int] = {}
    groups: dict[str, dict[str, list[Result]]] = {}
    for row in results:
        key = row.group, row.name
        bounds[key] = max(bounds.get(key, 0), row.bound)
        groups.setdefault(row.group, {}).setdefault(row.solver, []).append(row)
    return {
        group: {solver: _summary(rows, bounds) for solver, rows in by_solver.items()}
        for group, by_solver in groups.items()
    }


def _summary(rows: Sequence[Result], bounds: dict[tuple[str, str], int]) -> Summary:
    over = [100 * (row.bytes / (bounds[row.group, row.name] or 1) - 1) for row in rows]
    over = [max(value, 0.0) for value in over]
    seconds = [row.seconds for row in rows]
    return Summary(
        instances=len(rows),
        optimal=100 * over.count(0.0) / len(rows),
        average_overhead=sum(over) / len(over),
        worst_overhead=max(over),
        worst_seconds=max(seconds),
        average_seconds=sum(seconds) / len(seconds),
        proven=sum(row.optimal for row in rows),
    )
