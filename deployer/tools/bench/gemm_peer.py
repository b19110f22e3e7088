"""Matrix products by the user's own build of XNNPACK's microkernels, under the same profiler."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deployer.board import Board
from deployer.build import COMMON_FLAGS, find_tools
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.files import existing
from deployer.tools.bench.programs import FOLDER
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

XNNPACK = "xnnpack"
RUNNER = "qemu_user"
_NAME = re.compile(
    r"xnn_(?P<type>qs8_qc8w|f32)_gemm_minmax(?:_fp32)?_ukernel_"
    r"(?P<rows>\d+)x(?P<columns>\d+)(?:c(?P<depth>\d+))?__\w+"
)
_FLOATS = "f32"

Shape = tuple[int, int, int]  # rows, depth, columns


@dataclass(frozen=True)
class Microkernel:
    """``rows`` by ``columns`` of the output at once, ``depth`` values of a column side by side."""

    symbol: str
    element: str
    rows: int
    columns: int
    depth: int


def microkernel(symbol: str) -> Microkernel | None:
    """What the name of a GEMM microkernel tells; None for any other symbol."""
    found = _NAME.fullmatch(symbol)
    if found is None:
        return None
    element = "fp32" if found["type"] == _FLOATS else "int8"
    depth = int(found["depth"] or 1)
    return Microkernel(symbol, element, int(found["rows"]), int(found["columns"]), depth)


def archive_of(text: str) -> Path:
    """``xnnpack=LIB.a``. Raises UsageError when it is none, or the file is not there."""
    name, _, file = text.partition("=")
    if name != XNNPACK or not file:
        raise UsageError(f"--against {text}", hints=[f"{XNNPACK}=LIB.a"])
    return existing(Path(file), "archive")


@dataclass(frozen=True)
class GemmPeer:
    """``archive`` holds microkernels for ``board``; programs are built in ``folder``."""

    archive: Path
    board: Board
    machine: Machine
    folder: Path

    def kernels(self) -> list[Microkernel]:
        """Raises UsageError for a board that runs none, or an archive without one."""
        if RUNNER not in self.board.runners:
            raise UsageError(
                f"--against {XNNPACK} on {self.board.name}",
                why=[f"{XNNPACK}'s microkernels are run in {RUNNER}"],
            )
        found = sorted(self._found(), key=lambda each: each.symbol)
        if not found:
            raise UsageError(
                f"no GEMM microkernel in {self.archive.name}",
                why=["names are xnn_qs8_qc8w_gemm_… and xnn_f32_gemm_…"],
            )
        return found

    def _found(self) -> Iterator[Microkernel]:
        listing = _output(
            [self.board.toolchain.prefix + "nm", "-g", "--defined-only", str(self.archive)]
        )
        for line in listing.splitlines():
            each = microkernel(line.split()[-1]) if line.split() else None
            if each is not None:
                yield each

    def time(self, kernel: Microkernel, shape: Shape) -> StepTime:
        """With cold caches. Raises BenchError when it does not link or run, MismatchError
        when an element is not the product's."""
        app = self._linked(kernel)
        program = disassemble(app, self.board.toolchain.prefix + "objdump")
        options = self.board.runners[RUNNER]
        emulator = find_program(str(options["program"]), str(options["package"]))
        given = options.get("args", ())
        args = [str(each) for each in given] if isinstance(given, list | tuple) else []
        found = run_bare(
            [str(emulator), *args],
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

    def _linked(self, kernel: Microkernel) -> Path:
        app = self.folder / kernel.symbol
        if app.exists():
            return app
        tools, toolchain = find_tools(self.board), self.board.toolchain
        done = subprocess.run(
            [
                *(tools.gcc, *COMMON_FLAGS, *toolchain.cflags, *toolchain.ldflags),
                f"-DKERNEL={kernel.symbol}",
                *(f"-DMR={kernel.rows}", f"-DNR={kernel.columns}", f"-DKR={kernel.depth}"),
                *(["-DFLOATS"] if kernel.element == "fp32" else []),
                *(str(FOLDER / "xnnpack_gemm.c"), str(self.archive), "-lm", "-o", str(app)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BenchError(f"{kernel.symbol} does not link", why=done.stderr.splitlines()[:8])
        return app


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError("the archive cannot be read", why=done.stderr.splitlines()[:4])
    return done.stdout
