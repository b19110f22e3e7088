"""What moving a tile costs."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.board.model import Dma

SHORT = 8  # bytes of a line that costs no more than its bytes


@dataclass(frozen=True)
class Engine:
    """A DMA between two memories: ``into`` the inner one and ``out`` of it."""

    into: Dma
    out: Dma

    def load(self, run: Run) -> float:
        return _cycles(self.into, run)

    def store(self, run: Run) -> float:
        return _cycles(self.out, run)


@dataclass(frozen=True)
class Run:
    """``commands`` that move ``lines`` of ``bytes`` altogether; a 1-D transfer is one line."""

    commands: int
    lines: int
    bytes: int


NOTHING = Run(0, 0, 0)


def tile_run(extents: tuple[int, int, int], whole: tuple[int, int, int]) -> Run:
    """A tile of ``extents`` (rows, columns, channels, one byte each) of a dense tensor whose
    columns and channels are ``whole``."""
    rows, columns, channels = extents
    size = rows * columns * channels
    if channels == whole[2]:
        return Run(1, 1 if columns == whole[1] else rows, size)
    if columns == whole[1]:
        return Run(1, rows * columns, size)
    return Run(rows, rows * columns, size)


def _cycles(dma: Dma, run: Run) -> float:
    """Transfers follow one another, so that all but the first hide their set-up behind the bytes of
    the one before; short lines cost nothing but their bytes."""
    if not run.commands:
        return 0.0
    lines = run.lines if run.bytes > SHORT * run.lines and run.lines > run.commands else 0
    return (
        run.commands * dma.setup_cycles + run.bytes / dma.bytes_per_cycle + lines * dma.line_cycles
    )
