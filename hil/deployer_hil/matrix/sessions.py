"""Which cells of a matrix have ended, so that a run that was killed goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from deployer_hil.matrix.conduct import RIG, Ended
from deployer_hil.results_base import Base

_OPEN = "SELECT session FROM sessions WHERE digest = ? AND ended IS NULL ORDER BY begun DESC"
_BEGIN = "INSERT INTO sessions (session, digest, begun) VALUES (?, ?, ?)"
_END = "UPDATE sessions SET ended = ? WHERE session = ?"
_KEEP = "INSERT OR REPLACE INTO endings (session, cell, bench, status, said) VALUES (?, ?, ?, ?, ?)"
_ENDED = "SELECT cell, bench, status, said FROM endings WHERE session = ?"


@dataclass(frozen=True)
class Ending:
    """How a cell ended: the bench, the status as of ``deployer run``, what there is to say."""

    bench: str
    status: int
    text: str


class Sessions:
    """Of a file of results. A session is one run of a matrix, however often it is begun again."""

    def __init__(self, path: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self._base = Base(path)
        self._now = now

    def begin(self, digest: str, *, fresh: bool = False) -> str:
        """The session of that matrix that has not ended, else a new one."""
        found = [] if fresh else self._base.rows(_OPEN, (digest,))
        if found:
            return str(found[0][0])
        session = uuid4().hex[:12]
        self._base.write(_BEGIN, (session, digest, self._time()))
        return session

    def keep(self, session: str, ended: Ended) -> None:
        """How a cell ended; a later ending takes the place of an earlier."""
        bench = ended.bench.name if ended.bench else ""
        row = (session, ended.cell.id, bench, ended.status, ended.text)
        self._base.write(_KEEP, row)

    def endings(self, session: str) -> dict[str, Ending]:
        """By cell."""
        rows = self._base.rows(_ENDED, (session,))
        return {cell: Ending(bench, status, text) for cell, bench, status, text in rows}

    def done(self, session: str) -> frozenset[str]:
        """Cells that are not run again: all that ended by themselves, not by trouble of the rig."""
        own = self.endings(session).items()
        return frozenset(cell for cell, ending in own if ending.status != RIG)

    def end(self, session: str) -> None:
        self._base.write(_END, (self._time(), session))

    def close(self) -> None:
        self._base.close()

    def _time(self) -> str:
        return self._now().isoformat(timespec="seconds")
