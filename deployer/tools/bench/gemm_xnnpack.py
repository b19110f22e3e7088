"""Matrix products by the user's own build of XNNPACK's microkernels."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from deployer.build import COMMON_FLAGS, find_tools
from deployer.errors import BenchError, UsageError
from deployer.tools.bench.gemm_peer import GemmBench, PeerKernel
from deployer.tools.bench.programs import FOLDER

_NAME = re.compile(
    r"xnn_(?P<type>qs8_qc8w|f32)_gemm_minmax(?:_fp32)?_ukernel_"
    r"(?P<rows>\d+)x(?P<columns>\d+)(?:c(?P<depth>\d+))?__\w+"
)
_ELEMENTS: Mapping[str, str] = MappingProxyType({"qs8_qc8w": "int8", "f32": "fp32"})


@dataclass(frozen=True)
class Tile:
    """``rows`` by ``columns`` of the output at once, ``depth`` values of a column side by side."""

    rows: int
    columns: int
    depth: int


def microkernel(symbol: str) -> tuple[PeerKernel, Tile] | None:
    """What the name of a GEMM microkernel tells; None for any other symbol."""
    found = _NAME.fullmatch(symbol)
    if found is None:
        return None
    tile = Tile(int(found["rows"]), int(found["columns"]), int(found["depth"] or 1))
    return PeerKernel(symbol, _ELEMENTS[found["type"]]), tile


@dataclass(frozen=True)
class Xnnpack:
    """``archive`` holds microkernels for the board of ``bench``."""

    archive: Path
    bench: GemmBench

    def kernels(self) -> list[PeerKernel]:
        found = sorted(self._found(), key=lambda each: each.symbol)
        if not found:
            raise UsageError(
                f"no GEMM microkernel in {self.archive.name}",
                why=["names are xnn_qs8_qc8w_gemm_… and xnn_f32_gemm_…"],
            )
        return found

    def _found(self) -> Iterator[PeerKernel]:
        prefix = self.bench.board.toolchain.prefix
        listing = _output([prefix + "nm", "-g", "--defined-only", str(self.archive)])
        for line in listing.splitlines():
            each = microkernel(line.split()[-1]) if line.split() else None
            if each is not None:
                yield each[0]

    def program(self, kernel: PeerKernel) -> Path:
        found = microkernel(kernel.symbol)
        assert found is not None, kernel
        tile = found[1]
        command: list[str | Path] = [
            *(find_tools(self.bench.board).gcc, *COMMON_FLAGS, f"-DKERNEL={kernel.symbol}"),
            *(f"-DMR={tile.rows}", f"-DNR={tile.columns}", f"-DKR={tile.depth}"),
            *(["-DFLOATS"] if kernel.element == "fp32" else []),
            FOLDER / "xnnpack_gemm.c",
            self.archive,
            "-lm",
        ]
        return self.bench.linked(kernel.symbol, command)


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError("the archive cannot be read", why=done.stderr.splitlines()[:4])
    return done.stdout
