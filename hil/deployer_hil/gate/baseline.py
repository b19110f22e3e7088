"""The figures that later results are held against, in a JSON file with the reasons for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from deployer.errors import UsageError
from deployer.json_text import read_json
from deployer.schema import ANY, BOOL, Each, Named, Table, integer, number, one_of, text
from deployer.units import CounterUnit, FigureKind
from deployer_hil.record import RunRecord

SCHEMA = 1
MEASURED_RUNS = 5  # whose median is a measured figure
_NAMES = ("model", "board", "runner", "options", "counter", "compiler", "commit")
_REASON = Table(dict.fromkeys(("time", "commit", "reason"), text()), {})
_ROW = Table(
    {
        **dict.fromkeys(_NAMES, text()),
        "kind": one_of([kind.value for kind in FigureKind]),
        "clock_hz": integer(0, 1 << 40),
        "exact": BOOL,
        "metrics": Named(number(0, 1e18)),
        "layers": Each(Table({"name": text(), "count": number(0, 1e18)}, {})),
    },
    {"meter": text()},
)
_FILE = Table({"schema": ANY, "reasons": Each(_REASON), "rows": Each(_ROW)}, {})

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class LayerCount:
    """Counts of a layer, the median of the runs."""

    name: str
    count: float


@dataclass(frozen=True)
class Row:
    """Of one model on one board by one runner with the same ``options``, a digest. ``metrics``:
    bytes of "ram" and "flash", "accuracy" from 0 to 1, "total" counts of all layers, "energy" of an
    inference, measured microjoules; ``meter`` is what measured them, "" for nothing."""

    model: str
    board: str
    runner: str
    options: str
    kind: str
    counter: str
    compiler: str
    clock_hz: int
    commit: str
    exact: bool
    metrics: Mapping[str, float]
    layers: tuple[LayerCount, ...]
    meter: str = ""

    @property
    def key(self) -> Key:
        return (self.model, self.board, self.runner, self.options)

    @property
    def title(self) -> str:
        return f"{self.model} on {self.board} ({self.runner})"


@dataclass(frozen=True)
class Baseline:
    """``reasons``: why it was written anew, the oldest first."""

    rows: tuple[Row, ...] = ()
    reasons: tuple[Mapping[str, str], ...] = ()

    def to_json(self) -> str:
        body = {"schema": SCHEMA, "reasons": self.reasons, "rows": [asdict(r) for r in self.rows]}
        return json.dumps(body, indent=1) + "\n"


def read_baseline(path: Path) -> Baseline:
    """Raises UsageError for a file that is none, naming the key at fault."""
    try:
        body = read_json(path)
        if isinstance(body, Mapping) and body.get("schema") != SCHEMA:
            raise UsageError(f"schema {body.get('schema')}, this version reads {SCHEMA}")
        _FILE.check(body, "")
    except OSError as error:
        raise UsageError(f"cannot read {path}", why=[error.strerror or str(error)]) from None
    except (ValueError, UsageError) as error:
        what = error.what if isinstance(error, UsageError) else str(error)
        hints = error.hints if isinstance(error, UsageError) else ()
        raise UsageError(f"{path} is no baseline: {what}", hints=hints) from None
    return Baseline(tuple(map(_row, body["rows"])), tuple(body["reasons"]))


def rows_of(records: Iterable[RunRecord]) -> tuple[Row, ...]:
    """The newest results as rows, ordered by key; measured ones are medians of MEASURED_RUNS.
    Raises UsageError where there are fewer."""
    groups: dict[Key, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(_key(record), []).append(record)
    return tuple(_row_of(runs) for _, runs in sorted(groups.items()))


def with_rows(baseline: Baseline, rows: Iterable[Row], reason: Mapping[str, str]) -> Baseline:
    """``rows`` in place of those of the same key."""
    merged = {row.key: row for row in (*baseline.rows, *rows)}
    found = tuple(row for _, row in sorted(merged.items()))
    return replace(baseline, rows=found, reasons=(*baseline.reasons, reason))


def options_digest(options: Mapping[str, Any]) -> str:
    """The same for the same options, wherever the files they name lie."""
    calibration = dict(options.get("calibration", {}))
    calibration.pop("source", None)
    body = json.dumps({**options, "calibration": calibration}, sort_keys=True)
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def _key(record: RunRecord) -> Key:
    return (record.model, record.board, record.runner, options_digest(record.options))


def _row_of(runs: Sequence[RunRecord]) -> Row:
    last = runs[-1]
    measured = last.kind == FigureKind.MEASURED
    recent = [run for run in runs if _conditions(run) == _conditions(last)]
    if measured and len(recent) < MEASURED_RUNS:
        raise UsageError(
            f"{len(recent)} measured runs of {last.model} on {last.board}, {MEASURED_RUNS} needed",
            hints=["run it again: a measured figure is the median of five"],
        )
    taken = recent[-MEASURED_RUNS:] if measured else [last]
    layers = _layers(taken)
    accuracy = (last.accuracy or {}).get("device")
    sizes = ("ram", "flash")
    metrics: dict[str, float] = {n: last.memory[n] for n in sizes if n in last.memory}
    if accuracy is not None:
        metrics["accuracy"] = accuracy
    metrics |= _energy(taken)
    if layers:
        metrics["total"] = sum(layer.count for layer in layers)
    model, board, runner, options = _key(last)
    return Row(
        *(model, board, runner, options, last.kind, last.counter),
        compiler=last.made.get("compiler", ""),
        clock_hz=int(last.caps.get("clock_hz", 0)),
        commit=last.made.get("commit", ""),
        exact=all(run.golden.match for run in taken),
        metrics=metrics,
        layers=layers,
        meter=_meter(last),
    )


def _energy(runs: Sequence[RunRecord]) -> dict[str, float]:
    """Of a meter: assumed power times measured time says no more than the time."""
    found = [run.energy["microjoules"] for run in runs if run.energy and _meter(run)]
    return {"energy": median(found)} if found else {}


def _meter(run: RunRecord) -> str:
    measured = run.energy and run.energy["kind"] == FigureKind.MEASURED
    return str(run.energy["meter"]) if run.energy and measured else ""


def _conditions(run: RunRecord) -> tuple[object, ...]:
    """What must be the same in runs whose median is taken."""
    return (run.bundle, run.kind, run.made.get("commit"), run.caps.get("clock_hz"), _meter(run))


def _layers(runs: Sequence[RunRecord]) -> tuple[LayerCount, ...]:
    if runs[-1].counter == CounterUnit.NONE:
        return ()
    columns = zip(*(run.layers for run in runs), strict=True)
    return tuple(LayerCount(c[0].name, median(each.count or 0 for each in c)) for c in columns)


def _row(body: Mapping[str, Any]) -> Row:
    return Row(**{**body, "layers": tuple(LayerCount(**each) for each in body["layers"])})
