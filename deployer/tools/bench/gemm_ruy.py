"""Matrix products by the user's own build of ruy."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import BenchError
from deployer.tools.bench.gemm_peer import GemmBench, PeerKernel
from deployer.tools.bench.programs import FOLDER

_FLAGS = ("-std=c++17", "-O2", "-Wall")


@dataclass(frozen=True)
class Ruy:
    """``archive``: the library for the board of ``bench``; ``include``: the folder of ruy/ruy.h."""

    archive: Path
    include: Path
    bench: GemmBench

    def kernels(self) -> list[PeerKernel]:
        """One function, which chooses kernels itself."""
        return [PeerKernel("ruy::Mul", element) for element in ("int8", "fp32")]

    def program(self, kernel: PeerKernel) -> Path:
        command: list[str | Path] = [
            *(_compiler(self.bench.board.toolchain.prefix + "g++"), *_FLAGS),
            *(["-DFLOATS"] if kernel.element == "fp32" else []),
            "-isystem",
            self.include,
            FOLDER / "ruy_gemm.cc",
            self.archive,
        ]
        return self.bench.linked(f"ruy_{kernel.element}", command)


def _compiler(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BenchError(f"{name} is not installed", hints=[f"apt-get install {_package(name)}"])
    return found


def _package(compiler: str) -> str:
    """Debian's, of a cross compiler: g++-aarch64-linux-gnu holds aarch64-linux-gnu-g++."""
    return "g++-" + compiler.removesuffix("-g++")
