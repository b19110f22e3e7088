"""The SQLite file behind results and sessions: opened, its tables made, its troubles explained."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deployer.errors import BenchError, DeployerError, MachineError, UsageError

SCHEMA = 1
_WAIT_SECONDS = 30.0  # for another process that writes
_TABLES = (
    """CREATE TABLE IF NOT EXISTS results (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL, cell TEXT NOT NULL, bench TEXT NOT NULL,
        record TEXT NOT NULL, log BLOB NOT NULL,
        UNIQUE (session, cell))""",
    """CREATE TABLE IF NOT EXISTS sessions (
        session TEXT PRIMARY KEY, digest TEXT NOT NULL, begun TEXT NOT NULL, ended TEXT)""",
    """CREATE TABLE IF NOT EXISTS endings (
        session TEXT NOT NULL, cell TEXT NOT NULL, bench TEXT NOT NULL,
        status INTEGER NOT NULL, said TEXT NOT NULL,
        UNIQUE (session, cell))""",
)


class Base:
    """The file at ``path``, made if need be. A statement is on disk when it returns. All raise
    UsageError for a file that is no such database, MachineError where the disk does not let it,
    BenchError where another process does not."""

    def __init__(self, path: Path):
        self.path = path
        with self._explained():
            # used by one thread at a time, not always the one that opened it
            self.connection = sqlite3.connect(
                path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._open()

    def write(self, statement: str, values: Sequence[Any]) -> int:
        """How many rows it changed."""
        with self._explained():
            return self.connection.execute(statement, values).rowcount

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._explained():
            return self.connection.execute(statement, values).fetchall()

    def close(self) -> None:
        self.connection.close()

    def _open(self) -> None:
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA):
            raise UsageError(f"{self.path} has results of schema {version}, not {SCHEMA}")
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        if version == SCHEMA:
            return
        for table in _TABLES:
            self.connection.execute(table)
        self.connection.execute(f"PRAGMA user_version = {SCHEMA}")  # last: all are there

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _trouble(self.path, error) from None


def _trouble(path: Path, error: sqlite3.Error) -> DeployerError:
    why, code = [str(error)], getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return UsageError(f"{path} is no file of results", why=why, hints=["give another name"])
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        hints = ["does its folder exist, and may you write there?"]
        return UsageError(f"cannot open {path}", why=why, hints=hints)
    if code == sqlite3.SQLITE_FULL:
        return MachineError(f"no room for {path}", why=why, hints=["make room on that disk"])
    if code == sqlite3.SQLITE_IOERR:
        hints = [
            "is the disk full or failing, or a limit on the size of files in force (ulimit -f)?"
        ]
        return MachineError(f"the disk does not take {path}", why=why, hints=hints)
    return BenchError(f"{path} cannot be used", why=why, hints=["is another program using it?"])
