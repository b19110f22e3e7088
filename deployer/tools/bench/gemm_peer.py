"""A product by another library, as the user built it: counted, priced and proven."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from deployer.board import Board
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.tools.timing import (
    Machine,
    Profile,
    StepProfile,
    StepTime,
    disassemble,
    estimate,
    run_bare,
)
from deployer_hil import find_program

RUNNER = "qemu_user"

Shape = tuple[int, int, int]  # rows, depth, columns


@dataclass(frozen=True)
class PeerKernel:
    """A function of the library, ``element``: what it multiplies."""

    symbol: str
    element: str


class GemmPeer(Protocol):
    """Another library's products."""

    def kernels(self) -> Sequence[PeerKernel]:
        """Raises UsageError for a build without one."""
        ...

    def program(self, kernel: PeerKernel) -> Path:
        """What multiplies by it, built. Raises BenchError when it does not link."""
        ...


@dataclass(frozen=True)
class GemmBench:
    """Programs are built for ``board`` and run in its emulator; ``folder`` keeps them."""

    board: Board
    machine: Machine
    folder: Path

    def check(self) -> None:
        """Raises UsageError for a board whose programs are not run in user mode."""
        if RUNNER not in self.board.runners:
            raise UsageError(
                f"--against on {self.board.name}",
                why=[f"products of other libraries are run in {RUNNER}"],
            )

    def linked(self, name: str, command: Sequence[str | Path]) -> Path:
        """The program that ``command`` makes with the board's flags, once. Raises BenchError."""
        app, toolchain = self.folder / name, self.board.toolchain
        if app.exists():
            return app
        done = subprocess.run(
            [*command, *toolchain.cflags, *toolchain.ldflags, "-o", app],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BenchError(f"{name} does not link", why=done.stderr.splitlines()[:8])
        return app

    def time(self, kernel: PeerKernel, app: Path, shape: Shape) -> StepTime:
        """With cold caches. Raises BenchError when it does not run, MismatchError when an element
        is not the product's."""
        program = disassemble(app, self.board.toolchain.prefix + "objdump")
        found = run_bare(
            self._emulator(),
            program,
            self.machine,
            begin="gemm_run",
            end="gemm_end",
            image=[str(app), *map(str, shape)],
        )
        if (wrong := int(found.lines[-1])) > 0:
            raise MismatchError(f"{kernel.symbol} computes {wrong} elements that are wrong")
        run = found.runs[0]
        step = StepProfile(0, run, program.basic_blocks(run.blocks, run.loaded))
        return estimate(Profile(program, (step,), ""), self.machine)[0]

    def _emulator(self) -> list[str]:
        options = self.board.runners[RUNNER]
        given = options.get("args", ())
        args = [str(each) for each in given] if isinstance(given, list | tuple) else []
        return [str(find_program(str(options["program"]), str(options["package"]))), *args]
