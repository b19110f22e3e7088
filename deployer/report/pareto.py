"""Which networks no other beats: newest runs, judged on one board by one runner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from deployer.report.metrics import METRICS
from deployer.report.series import Series

AGAINST = tuple(m for m in METRICS if m.key in ("ram", "flash", "accuracy", "energy", "assumed"))
_TIME, _COUNT = "latency", "count"


def pareto_facts(series: Sequence[Series]) -> list[dict[str, Any]]:
    """A plot for each board, runner, kind and counter: they never mix. A point is the newest run of
    a series that was exact; ``cost`` is milliseconds where all tell them, else the count."""
    plots: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for at, each in enumerate(series):
        if each.newest.exact and _COUNT in each.newest.figures:
            plots[each.judged_by].append(at)
    return [_plot(key, [(at, series[at]) for at in places]) for key, places in plots.items()]


def _plot(key: tuple[str, str, str, str], members: list[tuple[int, Series]]) -> dict[str, Any]:
    timed = all(_TIME in each.newest.figures for _, each in members)
    cost = _TIME if timed else _COUNT
    rows = [_row(at, each, cost) for at, each in members]
    names = ("board", "runner", "kind", "counter")
    fronts = {metric.key: _fronts(rows, metric.key, least=metric.least) for metric in AGAINST}
    return {**dict(zip(names, key, strict=True)), "cost": cost, "points": rows, "fronts": fronts}


def _row(at: int, series: Series, cost: str) -> dict[str, Any]:
    run = series.newest
    return {
        "series": at,
        "number": run.number,
        "model": series.model,
        "variant": series.variant,
        "commit": run.commit,
        "cost": run.figures[cost],
        **{metric.key: run.figures.get(metric.key) for metric in AGAINST},
    }


def _fronts(rows: Sequence[dict[str, Any]], key: str, *, least: bool) -> dict[str, list[int]]:
    """Places of the points that none beats: ``all``, and ``own``, among those of their model."""
    sign = 1 if least else -1
    told = [at for at, row in enumerate(rows) if row[key] is not None]
    pairs = {at: (rows[at]["cost"], sign * rows[at][key]) for at in told}
    models: dict[str, list[int]] = defaultdict(list)
    for at in told:
        models[rows[at]["model"]].append(at)
    own = [at for group in models.values() for at in front({at: pairs[at] for at in group})]
    return {"all": front(pairs), "own": sorted(own)}


def front(pairs: dict[int, tuple[float, float]]) -> list[int]:
    """The keys of pairs that no other is below in one figure and not above in the other."""
    found: list[int] = []
    by_cost: dict[float, list[int]] = defaultdict(list)
    for key, (cost, _) in pairs.items():
        by_cost[cost].append(key)
    best = float("inf")
    for cost in sorted(by_cost):
        least = min(pairs[key][1] for key in by_cost[cost])
        if least < best:
            found += [key for key in by_cost[cost] if pairs[key][1] == least]
            best = least
    return sorted(found)
