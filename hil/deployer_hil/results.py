"""Results that last: a SQLite file of run records, each with its whole serial log.

A result is there whole or not at all, whenever its writer is killed. Several processes may write.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deployer.errors import UsageError
from deployer_hil.record import RunRecord
from deployer_hil.results_base import Base

# a record that lacks a figure makes way for one that has it, in one statement
_INSERT = """INSERT INTO results (session, cell, bench, record, log) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session, cell)
    DO UPDATE SET bench = excluded.bench, record = excluded.record, log = excluded.log
    WHERE json_extract(results.record, '$.missing.energy') IS NOT NULL
    AND json_extract(excluded.record, '$.missing.energy') IS NULL"""
_ALL = "SELECT number, session, cell, bench, record FROM results"


@dataclass(frozen=True)
class Result:
    """``number`` grows with every result of the file. ``cell`` of ``session`` is there once."""

    number: int
    session: str
    cell: str
    bench: str
    record: RunRecord


class Results:
    """The file at ``path``, made if need be; errors are those of ``Base``."""

    def __init__(self, path: Path):
        self._base = Base(path)

    def add(
        self, record: RunRecord, log: bytes, *, session: str, cell: str, bench: str = ""
    ) -> bool:
        """Keep the record, on disk when this returns. False where the cell is there already; one
        whose energy is missing makes way for one that has it."""
        row = (session, cell, bench, record.to_json(), zlib.compress(log))
        return self._base.write(_INSERT, row) == 1

    def all(self) -> Iterator[Result]:
        """In the order in which they came."""
        return map(_result, self._base.rows(f"{_ALL} ORDER BY number"))

    def of_session(self, session: str) -> Iterator[Result]:
        """Those of one session, a cell each."""
        rows = self._base.rows(f"{_ALL} WHERE session = ? ORDER BY number", (session,))
        return map(_result, rows)

    def log(self, number: int) -> bytes:
        """The serial log of a result. Raises UsageError for a number that is none's."""
        rows = self._base.rows("SELECT log FROM results WHERE number = ?", (number,))
        if not rows:
            raise UsageError(f"{self._base.path} has no result {number}")
        return zlib.decompress(rows[0][0])

    def close(self) -> None:
        self._base.close()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()


def _result(row: tuple[Any, ...]) -> Result:
    number, session, cell, bench, text = row
    return Result(number, session, cell, bench, RunRecord.from_json(text))


def json_line(result: Result) -> str:
    """A result as one line of JSON."""
    where = {"number": result.number, "session": result.session, "cell": result.cell}
    body = json.loads(result.record.to_json())
    return json.dumps({**where, "bench": result.bench, **body}, sort_keys=True)
