"""What is installed, for ``deployer doctor``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

from deployer.board import Board, board_names, load_board, load_twin
from deployer.build import ccache, compiler_version, find_tools
from deployer.errors import BenchError
from deployer.native import COMPILER
from deployer_hil import tools

Row = dict[str, Any]


def tool_rows() -> list[Row]:
    """``{name, version, enables, install}`` per tool; version None when it is missing."""
    boards = [load_board(name) for name in board_names()]
    users = _users(boards)
    found = [
        *tools.emulators(_emulators(boards)),
        *tools.python_tools(),
        *([tools.openocd(users["openocd"])] if "openocd" in users else []),
        *tools.gvsoc(users),
    ]
    rows = [{**vars(tool)} for tool in found]
    return [*_compilers(boards), _ccache(), *_simulators(users["gap8_sim"]), *rows]


def bench_lines() -> tuple[str, ...]:
    """Probes and serial ports in sight."""
    return tools.bench()


def _compilers(boards: list[Board]) -> Iterator[Row]:
    for prefix in dict.fromkeys(board.toolchain.prefix for board in boards):
        users = [board for board in boards if board.toolchain.prefix == prefix]
        yield {
            "name": f"{prefix}gcc",
            "version": _compiler_version(users[0]),
            "enables": f"build for {', '.join(board.name for board in users)}",
            "install": f"apt-get install {users[0].toolchain.package}",
        }


def _compiler_version(board: Board) -> str | None:
    try:
        return find_tools(board).version
    except BenchError:
        return None


def _ccache() -> Row:
    found = ccache()
    return {
        "name": "ccache",
        "version": compiler_version(*found) if found else None,
        "enables": "builds that compile nothing twice",
        "install": "apt-get install ccache",
    }


def _simulators(users: list[str]) -> Iterator[Row]:
    """Ours, which the host's compiler builds on first use."""
    yield {
        "name": "gap8_sim",
        "version": f"ours, built by {COMPILER}" if shutil.which(COMPILER) else None,
        "enables": f"deployer run --board {', '.join(users)}",
        "install": f"apt-get install {COMPILER}",
    }


def _users(boards: list[Board]) -> dict[str, list[str]]:
    """The boards that have each runner."""
    runners = dict.fromkeys(name for board in boards for name in board.runners)
    return {name: [b.name for b in boards if name in b.runners] for name in runners}


def _emulators(boards: list[Board]) -> dict[str, tuple[str, str]]:
    """Program to (package, what it enables)."""
    programs: dict[str, tuple[str, str]] = {}
    for board in boards:
        for runner in board.runners:
            table = load_twin(board, runner).runners.get(runner, {})
            if "program" in table:
                what = f"deployer run --board {board.name}"
                programs[str(table["program"])] = (str(table["package"]), what)
    return programs
