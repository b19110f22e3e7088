"""What layers cost: counts of every run in few characters, and rooflines of the newest.

A roofline has MACs a count of each layer by its MACs a byte, under the best that was attained.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Roof:
    """The best of any layer of any newest run on a board by a runner: ``rate`` in MACs a count,
    ``flow`` in bytes a count. What the board could do at most is not in a record."""

    rate: float
    flow: float

    @property
    def ridge(self) -> float:
        """MACs a byte from which products limit, not bytes."""
        return self.rate / self.flow


def roofs(series: Sequence[Series]) -> dict[tuple[str, str, str, str], Roof]:
    """Of those whose records tell MACs, bytes and counts of layers."""
    found: dict[tuple[str, str, str, str], list[tuple[int, int, int]]] = {}
    for each in series:
        found.setdefault(each.judged_by, []).extend(_layers(each))
    return {key: _roof(rows) for key, rows in found.items() if rows}


def _layers(series: Series) -> list[tuple[int, int, int]]:
    """MACs, bytes and count of the layers that multiply."""
    run = series.newest
    pairs = zip(run.work, run.counts, strict=False)
    return [(macs, moved, count) for (macs, moved), count in pairs if macs and count]


def _roof(rows: Iterable[tuple[int, int, int]]) -> Roof:
    rates = [(macs / count, moved / count) for macs, moved, count in rows]
    return Roof(max(rate for rate, _ in rates), max(flow for _, flow in rates))


def roofline_facts(series: Series, roof: Roof | None) -> dict[str, Any] | None:
    """``points``: of each layer that multiplies, its place, MACs a byte and MACs a count; ``roof``:
    corners of the line, left to right. None where the record does not tell enough."""
    run = series.newest
    if roof is None or not (run.work and run.counts):
        return None
    rows = [
        (at, macs / moved, macs / count)
        for at, ((macs, moved), count) in enumerate(zip(run.work, run.counts, strict=True))
        if macs and count
    ]
    return {"points": rows, "roof": _corners(roof, [row[1] for row in rows])} if rows else None


def _corners(roof: Roof, intensities: Sequence[float]) -> list[tuple[float, float]]:
    left = min(*intensities, roof.ridge) / 2
    right = max(*intensities, roof.ridge) * 2
    return [(left, left * roof.flow), (roof.ridge, roof.rate), (right, roof.rate)]
