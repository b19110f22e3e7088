"""One row of the zoo table, as it is shown and kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from deployer.choices import Objective, Word
from deployer.errors import UsageError
from deployer.units import CounterUnit, FigureKind


class Outcome(Word):
    """What came of a row; its words stand in the tables."""

    EXACT = "exact"
    DIFFERS = "differs"
    NO_FIT = "does not fit"
    UNSUPPORTED = "unsupported"
    LIMIT = "time limit"
    FAILED = "failed"


EXACT, DIFFERS, NO_FIT = Outcome.EXACT, Outcome.DIFFERS, Outcome.NO_FIT
UNSUPPORTED, LIMIT, FAILED = Outcome.UNSUPPORTED, Outcome.LIMIT, Outcome.FAILED
FINE = (EXACT, NO_FIT)  # there is nothing more to find out

Key = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A network in one style on one board. Sizes are bytes.

    ``outcome`` is one of the constants above and ``detail`` says more where it is none of the first
    three. ``over``: by how much each memory is too small. ``exact_layers`` of ``layers`` had the
    golden CRC; ``portable`` of them ran on portable kernels, None where nothing ran. ``count``:
    ``unit`` of all layers of one inference, None without a counter. ``threads``: as asked for.
    ``same_as``: the style whose run this one's program, being equal, shares. ``plain_arena``,
    ``regions`` and ``added_macs`` (a fraction) tell of what was restructured, if anything.
    """

    network: str
    scheme: str
    style: str
    board: str
    label: str
    input: tuple[int, ...]
    macs: int
    golden_samples: int
    outcome: str = FAILED
    detail: str = ""
    program: str = ""
    same_as: str = ""
    over: Mapping[str, int] = field(default_factory=dict)
    layers: int = 0
    exact_layers: int = 0
    portable: int | None = None
    arena: int | None = None
    ram: int | None = None
    flash: int | None = None
    count: int | None = None
    kind: str = FigureKind.NONE
    unit: str = CounterUnit.NONE
    target: str = ""
    tool: str = ""
    compiler: str = ""
    plain_arena: int | None = None
    regions: int = 0
    added_macs: float = 0.0
    optimize: str = Objective.TIME
    stream_input: bool = False
    threads: int | None = None
    seconds: float = 0.0

    @property
    def key(self) -> Key:
        return self.network, self.scheme, self.style, self.board

    @property
    def fine(self) -> bool:
        """Whether there is nothing to find out about it any more."""
        return self.outcome in FINE

    @property
    def said(self) -> str:
        """What came of it, in a line."""
        if self.same_as:
            return f"same program as {self.same_as}, {self.outcome}"
        if self.outcome == NO_FIT:
            over = ", ".join(f"{name} by {count:,} B" for name, count in self.over.items())
            return f"does not fit {over or self.detail}"
        if self.outcome in (EXACT, DIFFERS):
            cost = f", {self.per_mac:.2f} {self.unit}/MAC {self.kind}" if self.per_mac else ""
            return f"{self.exact_layers} of {self.layers} layers exact{cost}"
        return f"{self.outcome}: {self.detail}"

    @property
    def per_mac(self) -> float | None:
        """Counter units a MAC."""
        return None if self.count is None or not self.macs else self.count / self.macs

    @property
    def facts(self) -> dict[str, Any]:
        """The row as JSON types."""
        return {**asdict(self), "input": list(self.input), "per_mac": self.per_mac}


def row_of(facts: Mapping[str, Any]) -> Row:
    """The inverse of ``Row.facts``."""
    names = {item.name for item in fields(Row)}
    known = {name: value for name, value in facts.items() if name in names}
    return Row(**{**known, "input": tuple(known["input"])})


def keep(row: Row, file: Path) -> None:
    """Append ``row`` to the file of finished rows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        lines.write(json.dumps(row.facts) + "\n")


def kept_rows(file: Path) -> dict[Key, Row]:
    """The rows of ``keep``, the last of equal keys; none when there is no file.

    A last line that was cut short is left out. Raises UsageError for a file of something else.
    """
    if not file.exists():
        return {}
    return {row.key: row for row in _read(file, file.read_text().splitlines(keepends=True))}


def _read(file: Path, lines: Iterable[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            continue
        try:
            yield row_of(json.loads(line))
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(
                f"{file} does not hold rows of this version of deployer",
                why=[f"line {number}: {error}"],
                hints=["start anew, without --resume"],
            ) from None
