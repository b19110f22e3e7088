"""Runs that may be compared: one model with one set of options, on one board by one runner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from deployer.report.runs import Run


@dataclass(frozen=True)
class Series:
    """``runs``: in the order in which they came. ``variant``: the options by which it differs from
    others of its model and board, "" where all have the same."""

    model: str
    board: str
    runner: str
    kind: str
    counter: str
    variant: str
    runs: tuple[Run, ...]

    @property
    def newest(self) -> Run:
        return self.runs[-1]

    @property
    def judged_by(self) -> tuple[str, str, str, str]:
        """What has to be equal in runs whose figures stand in one plot."""
        return (self.board, self.runner, self.kind, self.counter)


def series_of(runs: Iterable[Run]) -> list[Series]:
    """By model and board, in the order of their names. Nothing in a series mixes runners, kinds of
    figures, or options."""
    places: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        places[run.model, run.board].append(run)
    return [series for place in sorted(places) for series in _of_place(*place, places[place])]


def _of_place(model: str, board: str, runs: Sequence[Run]) -> list[Series]:
    choices = choices_of([run.settings for run in runs])
    found: dict[tuple[str, str, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        key = (run.runner, run.kind, run.counter, variant_of(run.settings, choices))
        found[key].append(run)
    return [Series(model, board, *key, tuple(found[key])) for key in sorted(found)]


def choices_of(settings: Iterable[Mapping[str, str]]) -> list[str]:
    """The options of which there is more than one value. One that older runs do not have is none:
    it came with a later version."""
    values: dict[str, set[str]] = defaultdict(set)
    for table in settings:
        for key, value in table.items():
            values[key].add(value)
    return sorted(key for key, found in values.items() if len(found) > 1)


def variant_of(settings: Mapping[str, str], choices: Iterable[str]) -> str:
    return ", ".join(f"{key}={settings[key]}" for key in choices if key in settings)
