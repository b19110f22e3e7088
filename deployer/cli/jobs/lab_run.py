"""What ``deployer lab run`` does: read the matrix, run what has not ended, tell, and end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import click

from deployer import __version__
from deployer.cli.jobs.cell_worker import CellWorker
from deployer.errors import (
    BenchError,
    DeployerError,
    FitError,
    MismatchError,
    ModelError,
    UsageError,
)
from deployer.files import existing
from deployer.printed import printed
from deployer_hil import Results, lab, matrix

EXACT = "exact"
_WORST_FIRST: tuple[type[DeployerError], ...] = (
    *(MismatchError, BenchError, DeployerError),
    *(UsageError, ModelError, FitError),
)


def carry_out(path: Path, lab_path: Path | None, *, jobs: int, fresh: bool) -> None:
    """Raises the error of the worst that a cell ended with."""
    found = matrix.read_matrix(existing(path, "matrix"), version=__version__)
    benches = _benches(found, lab_path, jobs)
    found.results.parent.mkdir(parents=True, exist_ok=True)
    with closing(matrix.Sessions(found.results)) as sessions, lab.Locks() as locks:
        locks.take(f"matrix {path.resolve()}")
        session = sessions.begin(found.digest, fresh=fresh)
        _keep_untold(found, sessions, session)
        _conduct(found, benches, sessions, session)
        endings = sessions.endings(session)
        if not any(ending.status == matrix.RIG for ending in endings.values()):
            sessions.end(session)
    _conclude(found.cells, endings)


def _conduct(
    found: matrix.MatrixFile,
    benches: Sequence[lab.Bench],
    sessions: matrix.Sessions,
    session: str,
) -> None:
    done = sessions.done(session)
    left = [cell for cell in found.cells if cell.id not in done]
    conductor = matrix.Conductor(
        left,
        benches,
        worker=lambda bench: CellWorker(found, session, bench),
        told=Teller(sessions, session, len(found.cells), len(found.cells) - len(left)),
    )
    conductor.run()
    for name, cause in conductor.queue.quarantined.items():
        click.echo(printed(f"bench {name} took no more cells: {cause}"), err=True)


def _benches(found: matrix.MatrixFile, lab_path: Path | None, jobs: int) -> tuple[lab.Bench, ...]:
    """Those of the lab; without one, ``jobs`` emulators of each board."""
    if lab_path is not None or lab.named():
        return lab.read_lab(lab.find_lab(lab_path)).benches
    pairs = sorted({(cell.board, cell.runner) for cell in found.cells})
    return tuple(
        lab.Bench(name=f"{board}{runner and '/'}{runner}.{number + 1}", board=board, runner=runner)
        for board, runner in pairs
        for number in range(jobs)
    )


def _keep_untold(found: matrix.MatrixFile, sessions: matrix.Sessions, session: str) -> None:
    """Cells whose result is there though their end was not told: all was killed in between. One
    that lacks a figure is tried again."""
    cells = {cell.id: cell for cell in found.cells}
    told = sessions.endings(session)
    with Results(found.results) as results:
        for result in results.of_session(session):
            if result.record.missing:
                continue
            if result.cell in cells and result.cell not in told:
                exact = result.record.golden.match
                status, text = (0, EXACT) if exact else (MismatchError.exit_status, "differs")
                sessions.keep(session, matrix.Ended(cells[result.cell], None, status, text))


class Teller:
    """Keeps how cells end, and says so, a line each."""

    def __init__(self, sessions: matrix.Sessions, session: str, count: int, done: int):
        self._sessions, self._session = sessions, session
        self._count, self._done = count, done
        if done:
            click.echo(f"{done} of {count} cells have ended before", err=True)

    def __call__(self, ended: matrix.Ended) -> None:
        if ended.final:
            self._sessions.keep(self._session, ended)
            self._done += 1
        bench = f" [{ended.bench.name}]" if ended.bench else ""
        again = "" if ended.final else "; tried again"
        line = f"[{self._done}/{self._count}] {ended.cell.title}{bench}: {ended.text}{again}"
        click.echo(printed(line), err=True)


def _conclude(cells: Sequence[matrix.Cell], endings: Mapping[str, matrix.Ending]) -> None:
    """Wrong results first: they are what a gate is for; then the rig, then what was refused."""
    titles = {cell.id: cell.title for cell in cells}
    bad = {titles[cell]: ending for cell, ending in endings.items() if ending.status}
    exact = len(endings) - len(bad)
    click.echo(f"{len(cells)} cells: {exact} exact, {len(bad)} not")
    statuses = {ending.status for ending in bad.values()}
    for kind in _WORST_FIRST:
        if kind.exit_status in statuses:
            why = [f"{title} [{e.bench}]: {e.text}" for title, e in sorted(bad.items())]
            raise kind(f"{len(bad)} of {len(cells)} cells are not exact", why=why)
