"""The record of one run: what ran where, what it counted, whether it was exact. One JSON line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low
from typing import Any

from deployer.errors import UsageError

SCHEMA = 1


@dataclass(frozen=True)
class LayerRecord:
    """One step. ``counts``: in units of the record's counter, one entry a repetition.

    Empty when the runner's counts are worth nothing. ``macs``, and ``moved``: bytes of inputs,
    weights and outputs, each once; None where the compiler did not add them.
    """

    index: int
    name: str
    match: bool
    counts: tuple[int, ...] = ()
    macs: int | None = None
    moved: int | None = None

    @property
    def count(self) -> int | None:
        """The (lower) median of the repetitions."""
        return median_low(self.counts) if self.counts else None

    @property
    def minimum(self) -> int | None:
        return min(self.counts, default=None)


@dataclass(frozen=True)
class GoldenRecord:
    """``elements`` and ``differing`` count output elements over all samples. ``first_layer`` is the
    name of the first step that differs, in sample ``first_sample``. ``weights``: read when
    something differs, whether they are those of the build (hil/deployer_hil/constants.py)."""

    match: bool
    samples: int
    matching: int
    elements: int
    differing: int
    first_layer: str | None = None
    first_sample: int | None = None
    weights: str | None = None


@dataclass(frozen=True)
class RunRecord:
    """``kind`` says what a count is worth, a FigureKind; ``counter`` is its unit, as the device
    names it. ``counts_agree``: every repetition gave the same counts. ``options``: those of the
    bundle; ``memory``: bytes, as the report has them; ``accuracy``: over a labelled set.
    ``upload``: input bytes of all samples, and seconds by the host's clock. ``throughput``,
    ``energy``: as hil/deployer_hil/figures.py has them. These are None where not measured.
    ``missing``: what was to be measured and was not, with the cause. ``made``: when, by which
    versions, from which commit of the user's."""

    runner: str
    tool: str
    board: str
    target: str
    bundle: str
    model: str
    model_sha256: str
    kind: str
    counter: str
    counts_agree: bool
    caps: Mapping[str, str]
    mem: Mapping[str, int]
    layers: tuple[LayerRecord, ...]
    golden: GoldenRecord
    host: Mapping[str, str]
    schema: int = SCHEMA
    options: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)
    accuracy: Mapping[str, Any] | None = None
    upload: Mapping[str, Any] | None = None
    throughput: Mapping[str, Any] | None = None
    energy: Mapping[str, Any] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int | None:
        """Counts of all layers, None where they are worth nothing."""
        counts = [layer.count for layer in self.layers]
        return sum(count for count in counts if count is not None) if any(counts) else None

    def to_json(self) -> str:
        """One line, without the newline."""
        body = dataclasses.asdict(self)
        for row, layer in zip(body["layers"], self.layers, strict=True):
            row.update(count=layer.count, minimum=layer.minimum)
        return json.dumps(body, sort_keys=True)

    @staticmethod
    def from_json(line: str) -> RunRecord:
        """What ``to_json`` wrote. Raises UsageError for anything else."""
        try:
            body = json.loads(line)
            if body.get("schema") != SCHEMA:
                raise UsageError(f"run record of schema {body.get('schema')}, not {SCHEMA}")
            return _record(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError("not a run record", why=[f"{type(error).__name__}: {error}"]) from None


def append(path: Path, record: RunRecord) -> None:
    """Add the record to a file of JSON lines."""
    with path.open("a") as file:
        file.write(record.to_json() + "\n")


def read(path: Path) -> list[RunRecord]:
    """Every record of a file of JSON lines."""
    return [RunRecord.from_json(line) for line in path.read_text().splitlines() if line.strip()]


def _record(body: dict[str, Any]) -> RunRecord:
    layers = tuple(_layer(row) for row in body["layers"])
    return RunRecord(**{**body, "layers": layers, "golden": GoldenRecord(**body["golden"])})


def _layer(row: dict[str, Any]) -> LayerRecord:
    return LayerRecord(
        row["index"],
        row["name"],
        row["match"],
        tuple(row["counts"]),
        macs=row.get("macs"),
        moved=row.get("moved"),
    )
