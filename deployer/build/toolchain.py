"""Find a GNU toolchain and ask for its version."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

from deployer.board import Board
from deployer.errors import BenchError


@dataclass(frozen=True)
class Tools:
    """Programs of one toolchain; ``version`` is the compiler's first line."""

    gcc: str
    size: str
    version: str


def find_tools(board: Board) -> Tools:
    """The board's toolchain. Raises BenchError naming the package that holds what is missing."""
    chain = board.toolchain
    found = {name: shutil.which(chain.prefix + name) for name in ("gcc", "size")}
    missing = [chain.prefix + name for name, path in found.items() if path is None]
    if missing:
        raise BenchError(
            f"no compiler for {board.name}: {', '.join(missing)} not found",
            hints=[f"apt-get install {chain.package}", "deployer doctor lists every tool"],
        )
    gcc, size = str(found["gcc"]), str(found["size"])
    return Tools(gcc, size, compiler_version(gcc))


def ccache() -> list[str]:
    """The user's ccache, before a compiler's command it keeps objects by what they are made of."""
    found = shutil.which("ccache")
    return [found] if found else []


def compiler_version(gcc: str) -> str:
    """First line of ``--version``, without the path it was called by."""
    done = subprocess.run([gcc, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else "unknown"
