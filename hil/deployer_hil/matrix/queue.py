"""Which cell a bench runs next, and what becomes of a cell whose bench is in trouble.

A wrong result is a result and is never tried again. Trouble of the rig is tried again, on a twin
where there is one; a bench that is in trouble twice running takes no more cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from deployer_hil.lab import Bench
from deployer_hil.matrix.cell import Cell

TRIES = 3  # of a cell
STRIKES = 2  # running, of a bench


class Queue:
    """Cells that wait, run, are done. Not for several threads at once."""

    def __init__(self, cells: Iterable[Cell], benches: Sequence[Bench]):
        self._waiting = list(cells)
        self._benches = list(benches)
        self._tries: Counter[str] = Counter()
        self._strikes: Counter[str] = Counter()
        self._troubled: dict[str, set[str]] = {}
        self._running = 0
        self.quarantined: dict[str, str] = {}  # bench to cause

    def take(self, bench: Bench) -> Cell | None:
        """The next cell for ``bench``, None where there is none for it now."""
        if bench.name in self.quarantined:
            return None
        for place, cell in enumerate(self._waiting):
            if cell.fits(bench) and not self._better_elsewhere(cell, bench):
                self._running += 1
                return self._waiting.pop(place)
        return None

    def over(self, bench: Bench) -> bool:
        """Whether no cell will come for ``bench`` any more."""
        if bench.name in self.quarantined:
            return True
        return not self._running and not any(cell.fits(bench) for cell in self._waiting)

    def finished(self, bench: Bench) -> None:
        """The cell that ``bench`` ran has its result."""
        self._running -= 1
        self._strikes[bench.name] = 0

    def returned(self, cell: Cell) -> None:
        """``cell`` was not begun: another uses the bench."""
        self._running -= 1
        self._waiting.insert(0, cell)

    def troubled(self, bench: Bench, cell: Cell, cause: str) -> bool:
        """The bench failed ``cell``. True where the cell waits for another try."""
        self._running -= 1
        self._tries[cell.id] += 1
        self._strikes[bench.name] += 1
        self._troubled.setdefault(cell.id, set()).add(bench.name)
        if self._strikes[bench.name] >= STRIKES:
            self.quarantined[bench.name] = cause
        if self._tries[cell.id] >= TRIES or not self._able(cell):
            return False
        self._waiting.insert(0, cell)
        return True

    def stranded(self) -> list[Cell]:
        """Cells that no bench takes any more; they wait no longer."""
        found = [cell for cell in self._waiting if not self._able(cell)]
        self._waiting = [cell for cell in self._waiting if self._able(cell)]
        return found

    def _able(self, cell: Cell) -> list[Bench]:
        return [b for b in self._benches if cell.fits(b) and b.name not in self.quarantined]

    def _better_elsewhere(self, cell: Cell, bench: Bench) -> bool:
        """Whether ``bench`` failed the cell and a twin has not."""
        failed = self._troubled.get(cell.id, set())
        return bench.name in failed and any(b.name not in failed for b in self._able(cell))
