"""Counts of every layer of every run, in few characters: each run as its change from the last."""

from __future__ import annotations

from typing import Any

from deployer.report.runs import Run
from deployer.report.series import Series


def layer_facts(series: Series) -> dict[str, Any]:
    """``names``: the lists of layers that there are. ``shape``: of each run, the place of its list;
    ``counts``: of each run, changes from the run before it with the same list, the first in full,
    [] where counts are worth nothing. ``differing``: of the runs with layers that are not exact,
    by number, which."""
    shapes: dict[tuple[str, ...], int] = {}
    earlier: dict[int, tuple[int, ...]] = {}
    counts: list[list[int]] = []
    places: list[int] = []
    for run in series.runs:
        place = shapes.setdefault(run.layers, len(shapes))
        places.append(place)
        counts.append(_change(run, earlier.get(place)))
        if run.counts:
            earlier[place] = run.counts
    return {
        "numbers": [run.number for run in series.runs],
        "names": [list(names) for names in shapes],
        "shape": places,
        "counts": counts,
        "differing": {run.number: list(run.differing) for run in series.runs if run.differing},
    }


def _change(run: Run, earlier: tuple[int, ...] | None) -> list[int]:
    if not run.counts or earlier is None:
        return list(run.counts)
    return [now - then for now, then in zip(run.counts, earlier, strict=True)]
