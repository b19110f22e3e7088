"""Tables by column: a word that comes again is a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deployer.report.metrics import METRICS
from deployer.report.runs import Run
from deployer.report.series import Series

_WORDS = ("board", "model", "runner", "kind", "counter", "commit")


class Words:
    """Gives each word the number of its first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def column(self, texts: Sequence[str]) -> dict[str, Any]:
        """``words`` and, for each text, the place of its word in them."""
        at = [self._numbers.setdefault(text, len(self._numbers)) for text in texts]
        return {"words": list(self._numbers), "at": at}


def runs_table(runs: Sequence[Run], series: Sequence[Series]) -> dict[str, Any]:
    """Every run, a list a column. ``series``: the place of its own in ``series``; ``before``: the
    number of the run before it there, 0 for the first."""
    place = {run.number: at for at, each in enumerate(series) for run in each.runs}
    return {
        "number": [run.number for run in runs],
        "time": [run.time for run in runs],
        "exact": [int(run.exact) for run in runs],
        "series": [place[run.number] for run in runs],
        "before": _before(runs, series),
        **{name: Words().column([getattr(run, name) for run in runs]) for name in _WORDS},
        **{metric.key: [run.figures.get(metric.key) for run in runs] for metric in METRICS},
    }


def _before(runs: Sequence[Run], series: Sequence[Series]) -> list[int]:
    found: dict[int, int] = {}
    for each in series:
        numbers = [run.number for run in each.runs]
        found.update(zip(numbers, [0, *numbers], strict=False))
    return [found[run.number] for run in runs]
