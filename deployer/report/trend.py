"""A series over commits: a point a commit, with the spread of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from deployer.report.columns import Words
from deployer.report.metrics import METRICS
from deployer.report.runs import Run
from deployer.report.series import Series


@dataclass(frozen=True)
class Spread:
    """Of one figure over the runs of a commit."""

    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Point:
    """The runs of one commit. ``last``: the number of the newest."""

    commit: str
    last: int
    runs: int
    exact: bool
    compiler: str
    spreads: dict[str, Spread]


def points(series: Series) -> list[Point]:
    """Commits in the order in which their first run came. A run without a commit is a point of its
    own, named by its number."""
    found: dict[str, list[Run]] = {}
    for run in series.runs:
        found.setdefault(run.commit or f"#{run.number}", []).append(run)
    return [_point(commit, runs) for commit, runs in found.items()]


def _point(commit: str, runs: Sequence[Run]) -> Point:
    return Point(
        commit=commit,
        last=runs[-1].number,
        runs=len(runs),
        exact=all(run.exact for run in runs),
        compiler=runs[-1].compiler,
        spreads=_spreads(runs),
    )


def _spreads(runs: Iterable[Run]) -> dict[str, Spread]:
    values: dict[str, list[float]] = {}
    for run in runs:
        for key, value in run.figures.items():
            values.setdefault(key, []).append(value)
    return {key: Spread(median(found), min(found), max(found)) for key, found in values.items()}


def trend_facts(series: Series) -> dict[str, Any]:
    """Columns, an entry a point; of figures ``[middle, low, high]``, or the middle where all are
    equal, None where no run tells it."""
    rows = points(series)
    compilers = Words()
    return {
        "commit": [row.commit for row in rows],
        "last": [row.last for row in rows],
        "runs": [row.runs for row in rows],
        "exact": [int(row.exact) for row in rows],
        "compiler": compilers.column([row.compiler for row in rows]),
        "figures": {
            metric.key: [_short(row.spreads.get(metric.key)) for row in rows]
            for metric in METRICS
            if any(metric.key in row.spreads for row in rows)
        },
    }


def _short(spread: Spread | None) -> float | list[float] | None:
    if spread is None:
        return None
    if spread.low == spread.high:
        return spread.middle
    return [spread.middle, spread.low, spread.high]
