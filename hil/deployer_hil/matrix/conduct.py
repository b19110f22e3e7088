"""Runs the cells of a queue on all benches at once, a thread a bench."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from deployer.errors import BenchError
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
    at a time, before the cell counts as done."""

    def __init__(
        self,
        cells: Iterable[Cell],
        benches: Sequence[Bench],
        *,
        worker: Callable[[Bench], Worker],
        told: Callable[[Ended], None],
    ):
        self.queue = Queue(cells, benches)
        self._benches = benches
        self._worker = worker
        self._told = told
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
        ran: tuple[int, str] | None = None
        try:
            with hold(bench) as options:
                ran = worker.run(cell, options)
        except BenchHeld:
            with self._change:
                self.queue.returned(cell)
                self._change.wait(_PAUSE_SECONDS)
            return
        except BenchError as error:  # it cannot be had; or not given back, once the cell has run
            ran = ran or (RIG, "; ".join([error.what, *error.why[:1]]))
        with self._change:
            self._account(bench, cell, *ran)
            self._change.notify_all()

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
