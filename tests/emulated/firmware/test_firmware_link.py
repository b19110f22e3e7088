"""What does not fit is refused by the linker with a message that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.board.model import Board
from deployer.codegen.linker import linker_script
from emulated.firmware.tiny_build import arena_bytes, link

BOARDS = ["nucleo-f767zi", "qemu-mps2-an500", "gap8", "qemu-riscv32-virt"]


def refusal(board: Board, tool: Callable[[str], str], folder: Path, script: str) -> str:
    done = link(board, tool(board.toolchain.prefix + "gcc"), folder, script=script)
    assert done.returncode != 0
    assert not (folder / "firmware.elf").exists()
    return done.stderr


def shrink(board: Board, memory: str, size: int) -> Board:
    """The board with one memory cut to ``size`` bytes."""
    cut = [replace(m, size=size) if m.name == memory else m for m in board.memories]
    return replace(board, memories=tuple(cut))


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_links_and_leaves_no_undefined_symbol(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    board = load_board(name)
    done = link(board, tool(board.toolchain.prefix + "gcc"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "memory", "size", "advice"),
    [
        ("nucleo-f767zi", "flash", 4096, "a board with a larger flash"),
        ("nucleo-f767zi", "dtcm", 4096, "arena a second memory"),
        ("nucleo-f767zi", "sram", 16, "arena a second memory"),
        ("gap8", "l2", 16384, "arena a second memory"),
    ],
)
def test_a_full_memory_is_named_with_its_contents_and_advice(
    name: str, memory: str, size: int, advice: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    board = shrink(load_board(name), memory, size)
    text = refusal(board, tool, tmp_path, linker_script(board, arena_bytes(board)))
    error = next(line for line in text.splitlines() if "ERROR: " in line)
    assert f"{memory} of {name}" in error
    assert f"{size:,} B" in error
    assert advice in error


def test_a_stack_that_is_too_large_is_named(tool: Callable[[str], str], tmp_path: Path) -> None:
    board = load_board("nucleo-f767zi")
    plan = {"sram": sum(arena_bytes(board).values())}
    script = linker_script(board, plan, stack_bytes=200_000)
    assert "[stack] size" in refusal(board, tool, tmp_path, script)


@pytest.mark.parametrize("name", ["nucleo-f767zi", "gap8"])
def test_an_arena_other_than_planned_is_our_bug(
    name: str, tool: Callable[[str], str], tmp_path: Path
) -> None:
    board = load_board(name)
    memory = board.place.arena[0]
    plan = arena_bytes(board) | {memory: 4096}
    text = refusal(board, tool, tmp_path, linker_script(board, plan))
    assert f"BUG: the arena in {memory}" in text


def test_an_arena_in_no_memory_is_our_bug(tool: Callable[[str], str], tmp_path: Path) -> None:
    board = load_board("nucleo-f767zi")
    text = refusal(board, tool, tmp_path, linker_script(board, {"sram": 48}))
    assert "BUG: a section in no memory" in text


@pytest.mark.parametrize(
    ("clock_hz", "said"),
    [
        (200_500_000, "what port.toml and the PLL say"),
        (48_000_000, "what the PLL's oscillator can do"),
        (217_000_000, "what the PLL's oscillator can do"),
    ],
)
def test_the_clock_that_is_stated_is_the_one_the_pll_gives(
    tool: Callable[[str], str], tmp_path: Path, clock_hz: int, said: str
) -> None:
    """Or the port does not compile."""
    board = load_board("nucleo-f767zi")
    gcc = tool(board.toolchain.prefix + "gcc")
    done = link(replace(board, clock_hz=clock_hz), gcc, tmp_path)
    assert done.returncode != 0
    assert said in done.stderr
