"""What moving a tile costs."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.board import Dma, TileControl

LINE_CYCLES = 1.0  # of the shortest line


@dataclass(frozen=True)
class Engine:
    """A DMA between two memories: ``into`` the inner one and ``out`` of it; ``control``: what
    leading it takes."""

    into: Dma
    out: Dma
    control: TileControl

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


def tile_run(extents: tuple[int, int, int], whole: tuple[int, int, int], element: int = 1) -> Run:
    """A tile of ``extents`` (rows, columns, channels of ``element`` bytes) of a contiguous tensor
    whose columns and channels are ``whole``."""
    rows, columns, channels = extents
    size = rows * columns * channels * element
    if channels == whole[2]:
        return Run(1, 1 if columns == whole[1] else rows, size)
    if columns == whole[1]:
        return Run(1, rows * columns, size)
    return Run(rows, rows * columns, size)


def _cycles(dma: Dma, run: Run) -> float:
    """Lines beyond one a command cost more than their bytes, and no line less than a cycle."""
    if not run.commands:
        return 0.0
    moving = run.bytes / dma.bytes_per_cycle
    if run.lines > run.commands:
        moving = max(moving, LINE_CYCLES * run.lines) + run.lines * dma.line_cycles
    return run.commands * dma.setup_cycles + moving
