"""One combination of a matrix: a model on a board with its options."""

from __future__ import annotations

from dataclasses import dataclass

from deployer_hil.lab import Bench


@dataclass(frozen=True)
class Cell:
    """``id``: a digest of all that shapes the result, files by their content. ``runner``: "" for
    whichever the bench has. ``words``: options of ``deployer run``."""

    id: str
    model: str
    board: str
    runner: str
    words: tuple[str, ...]

    @property
    def title(self) -> str:
        options = f" {' '.join(self.words)}" if self.words else ""
        return f"{self.model} on {self.board}{options}"

    def fits(self, bench: Bench) -> bool:
        return self.board == bench.board and self.runner in ("", bench.runner)
