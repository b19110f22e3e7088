"""A board with other sizes of its memories, and who cuts layers for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deployer.board import Board, Memory
from deployer.choices import TilerName
from deployer.errors import UsageError, near_hints
from deployer.tile import TILERS


@dataclass(frozen=True)
class Setting:
    """``outer`` and ``inner``: bytes of the arena's memory and of the one
    that holds tiles, stacks included; None the board's own."""

    tiler: TilerName
    outer: int | None = None
    inner: int | None = None


def inner_memory(board: Board) -> str:
    """The memory that holds tiles. Raises UsageError for a board without one."""
    for memory in board.memories:
        if memory.level == 1 and board.dma(outer_memory(board), memory.name):
            return memory.name
    raise UsageError(
        f"{board.name} cuts no layers into tiles",
        why=["it has no memory of level 1 that an engine fills from the arena's"],
    )


def outer_memory(board: Board) -> str:
    return board.place.arena[0]


def resized(board: Board, setting: Setting) -> Board:
    """``board`` with memories of the setting's sizes. Raises UsageError for an unknown tiler, or
    where the stacks alone fill the inner memory."""
    if setting.tiler not in TILERS:
        raise UsageError(f"no tiler {setting.tiler!r}", hints=[f"one of {', '.join(TILERS)}"])
    inner = inner_memory(board)
    sizes = {inner: setting.inner, outer_memory(board): setting.outer}
    memories = tuple(_of_size(m, sizes.get(m.name) or m.size) for m in board.memories)
    changed = replace(board, memories=memories)
    stacks = board.stack_bytes if board.place.stack == inner else 0
    if (size := changed.memory(inner).size) <= stacks:
        raise UsageError(
            f"{inner} of {size:,} B has no room for tiles",
            why=[f"{stacks:,} B of it are stacks"],
        )
    return changed


def _of_size(memory: Memory, size: int) -> Memory:
    """A memory larger than the chip's leaves as many bytes free while an image is loaded."""
    more = max(0, size - memory.size)
    return replace(memory, size=size, loaded=memory.loaded and memory.loaded + more)


def require_runner(board: Board, runner: str) -> None:
    """Raise UsageError for a runner that ``board`` lacks, or whose images are those of a twin."""
    if runner not in board.runners:
        raise UsageError(
            f"board {board.name} has no runner {runner!r}",
            hints=near_hints(runner, board.runners),
        )
    if "twin" in board.runners[runner]:
        raise UsageError(f"{runner} runs a twin of {board.name}, which cuts nothing into tiles")
