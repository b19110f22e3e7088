"""Runs the cells of a queue on all benches at once, a thread a bench."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from deployer.errors import BenchError, MachineError
from deployer_hil.lab import Bench, BenchHeld, hold
from deployer_hil.matrix.cell import Cell
from deployer_hil.matrix.queue import Queue

RIG = 6  # the status of trouble that is not the cell's
_PAUSE_SECONDS = 0.5  # until a bench that another uses is asked for again, or a twin's cell is back


@dataclass(frozen=True)
class Ended:
    """How a cell ended: ``status`` as of ``deployer run``, ``text`` what there is to say.
    ``final``: it is not tried again."""

    cell: Cell
    bench: Bench | None
    status: int
    text: str
    final: bool = True


class Worker(Protocol):
    """Runs cells of one bench, one after the other."""

    def run(self, cell: Cell, options: dict[str, Any]) -> tuple[int, str]:
        """Status and what there is to say; its result is on disk when this returns. ``options``:
        of the bench's runner."""

    def close(self) -> None: ...


class Conductor:
    """``worker(bench)`` makes what runs cells there; ``told`` hears how each try ended, one call
    at a time, before the cell counts as done. ``rest``: seconds until a bench in trouble takes
    another cell; a board that was plugged in again is seen by then."""

    def __init__(
        self,
        cells: Iterable[Cell],
        benches: Sequence[Bench],
        *,
        worker: Callable[[Bench], Worker],
        told: Callable[[Ended], None],
        rest: float = 2.0,
    ):
        self.queue = Queue(cells, benches)
        self._benches = benches
        self._worker = worker
        self._told = told
        self._rest_seconds = rest
        self._change = threading.Condition()
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Until every cell has ended. What ``told`` or a worker raises ends all of it."""
        with self._change:
            self._end_stranded()
        threads = [threading.Thread(target=self._serve, args=(b,)) for b in self._benches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def _serve(self, bench: Bench) -> None:
        worker = self._worker(bench)
        try:
            while (cell := self._next(bench)) is not None:
                self._one(bench, worker, cell)
        except BaseException as failure:
            with self._change:
                self._failure = self._failure or failure
                self._change.notify_all()
        finally:
            worker.close()

    def _next(self, bench: Bench) -> Cell | None:
        with self._change:
            while self._failure is None and not self.queue.over(bench):
                cell = self.queue.take(bench)
                if cell is not None:
                    return cell
                self._change.wait(_PAUSE_SECONDS)
        return None

    def _one(self, bench: Bench, worker: Worker, cell: Cell) -> None:
        try:
            status, text = _tried(bench, worker, cell)
        except BenchHeld:
            with self._change:
                self.queue.returned(cell)
                self._change.wait(_PAUSE_SECONDS)
            return
        with self._change:
            self._account(bench, cell, status, text)
            self._change.notify_all()
            if status == RIG and bench.name not in self.queue.quarantined:
                self._rest()

    def _rest(self) -> None:
        end = time.monotonic() + self._rest_seconds
        while self._failure is None and (left := end - time.monotonic()) > 0:
            self._change.wait(left)

    def _account(self, bench: Bench, cell: Cell, status: int, text: str) -> None:
        if status != RIG:
            self._told(Ended(cell, bench, status, text))
            self.queue.finished(bench)
            return
        again = self.queue.troubled(bench, cell, text)
        self._told(Ended(cell, bench, status, text, final=not again))
        self._end_stranded()

    def _end_stranded(self) -> None:
        """Cells whose benches are all in quarantine, or which never had one."""
        for cell in self.queue.stranded():
            causes = self.queue.quarantined.items()
            why = "; ".join(f"{name}: {cause}" for name, cause in causes)
            text = f"no bench for it is left: {why}" if why else "no bench of the lab takes it"
            self._told(Ended(cell, None, RIG, text))


def _tried(bench: Bench, worker: Worker, cell: Cell) -> tuple[int, str]:
    """Status and text. A bench that cannot be had is in trouble; a cell that has run stands,
    whatever giving its bench back says. Raises BenchHeld."""
    ran: tuple[int, str] | None = None
    try:
        with hold(bench) as options:
            ran = worker.run(cell, options)
    except (BenchHeld, MachineError):
        raise
    except BenchError as error:
        ran = ran or (RIG, "; ".join([error.what, *error.why[:1]]))
    return ran
