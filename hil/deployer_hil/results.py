"""Results that last: a SQLite file of run records, each with its whole serial log.

A result is there whole or not at all, whenever its writer is killed. Several processes may write.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import BenchError, DeployerError, UsageError
from deployer_hil.record import RunRecord

SCHEMA = 1
_WAIT_SECONDS = 30.0  # for another process that writes
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL, cell TEXT NOT NULL, bench TEXT NOT NULL,
    record TEXT NOT NULL, log BLOB NOT NULL,
    UNIQUE (session, cell)
)"""
_INSERT = "INSERT OR IGNORE INTO results (session, cell, bench, record, log) VALUES (?, ?, ?, ?, ?)"
_COLUMNS = "number, session, cell, bench, record"


@dataclass(frozen=True)
class Result:
    """``number`` grows with every result of the file. ``cell`` of ``session`` is there once."""

    number: int
    session: str
    cell: str
    bench: str
    record: RunRecord


class Results:
    """The file at ``path``, made if need be. All raise UsageError for a file that is no such
    database, BenchError where the disk or another process does not let it."""

    def __init__(self, path: Path):
        self._path = path
        with self._explained():
            self._base = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
            self._open()

    def add(
        self, record: RunRecord, log: bytes, *, session: str, cell: str, bench: str = ""
    ) -> bool:
        """Keep the record, on disk when this returns. False where the cell is there already."""
        row = (session, cell, bench, record.to_json(), zlib.compress(log))
        with self._explained():
            return self._base.execute(_INSERT, row).rowcount == 1

    def cells(self, session: str) -> frozenset[str]:
        """Those that have a result."""
        with self._explained():
            rows = self._base.execute("SELECT cell FROM results WHERE session = ?", (session,))
            return frozenset(row[0] for row in rows)

    def all(self) -> Iterator[Result]:
        """In the order in which they came."""
        with self._explained():
            rows = self._base.execute(f"SELECT {_COLUMNS} FROM results ORDER BY number").fetchall()
        for number, session, cell, bench, text in rows:
            yield Result(number, session, cell, bench, RunRecord.from_json(text))

    def log(self, number: int) -> bytes:
        """The serial log of a result. Raises UsageError for a number that is none's."""
        with self._explained():
            row = self._base.execute(
                "SELECT log FROM results WHERE number = ?", (number,)
            ).fetchone()
        if row is None:
            raise UsageError(f"{self._path} has no result {number}")
        return zlib.decompress(row[0])

    def close(self) -> None:
        self._base.close()

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def _open(self) -> None:
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA):
            raise UsageError(f"{self._path} has results of schema {version}, not {SCHEMA}")
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = FULL")
        self._base.execute(_TABLE)
        self._base.execute(f"PRAGMA user_version = {SCHEMA}")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _trouble(self._path, error) from None


def _trouble(path: Path, error: sqlite3.Error) -> DeployerError:
    why, code = [str(error)], getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return UsageError(f"{path} is no file of results", why=why, hints=["give another name"])
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        hints = ["does its folder exist, and may you write there?"]
        return UsageError(f"cannot open {path}", why=why, hints=hints)
    if code == sqlite3.SQLITE_FULL:
        return BenchError(f"no room for {path}", why=why, hints=["make room on that disk"])
    return BenchError(f"{path} cannot be used", why=why, hints=["is another program using it?"])


def json_line(result: Result) -> str:
    """A result as one line of JSON."""
    where = {"number": result.number, "session": result.session, "cell": result.cell}
    body = json.loads(result.record.to_json())
    return json.dumps({**where, "bench": result.bench, **body}, sort_keys=True)
