"""What object files and images hold, by GNU readelf: bytes of code, functions and their places."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import DeployerError

_CODE = ".text"
_VENEER = "_veneer"  # how GNU ld ends the names of its own jumps


@dataclass(frozen=True)
class CodeSize:
    """``bytes`` at the most, whatever order the linker has its sections in; ``calls``: names it
    takes from other files, so no fewer than the functions it calls there."""

    bytes: int
    calls: int


def code_size(prefix: str, file: Path) -> CodeSize:
    """Of an object file. ``prefix`` is of the GNU tools. Raises DeployerError when unreadable."""
    lines = _read(prefix, file)
    code = [row for row in _sections(lines) if row[0].startswith(_CODE)]
    foreign = [words for words in _symbols(lines) if words[6] == "UND"]
    return CodeSize(sum(size + align - 1 for _, _, size, align in code if size), len(foreign))


def functions_in(prefix: str, image: Path, section: str) -> tuple[str, ...]:
    """Names of the functions in ``section`` of a linked ``image``, sorted; those of the linker left
    out. Raises DeployerError when it cannot be read."""
    lines = _read(prefix, image)
    spans = [(base, base + size) for name, base, size, _ in _sections(lines) if name == section]
    found = {
        words[7]
        for words in _symbols(lines)
        if words[3] == "FUNC" and any(low <= int(words[1], 16) < high for low, high in spans)
    }
    return tuple(sorted(name for name in found if not name.endswith(_VENEER)))


def _read(prefix: str, file: Path) -> list[str]:
    done = subprocess.run(
        [prefix + "readelf", "-SsW", str(file)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise DeployerError(f"cannot read the sections of {file.name}", why=[done.stderr.strip()])
    return done.stdout.splitlines()


def _sections(lines: Iterable[str]) -> list[tuple[str, int, int, int]]:
    """Name, address, size, alignment of each."""
    rows = [line.partition("]")[2].split() for line in lines if line.lstrip().startswith("[")]
    rows = [row for row in rows if len(row) >= 9 and row[-1].isdigit()]
    return [(row[0], int(row[2], 16), int(row[4], 16), int(row[-1])) for row in rows]


def _symbols(lines: Iterable[str]) -> list[Sequence[str]]:
    """Number, value, size, kind, binding, visibility, section and name of each that has one."""
    rows = (line.split() for line in lines)
    return [row for row in rows if len(row) == 8 and row[0].endswith(":") and row[0][:-1].isdigit()]
