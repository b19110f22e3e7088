"""Bytes of code that the kernels of an image take, by its symbol table."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from deployer.errors import BenchError


def kernel_bytes(elf: Path, sources: Iterable[str], *, prefix: str) -> int:
    """Of every function in the C files ``sources``, each named after its public function; what is
    inlined elsewhere counts there. ``prefix`` is of the GNU tools. Raises BenchError when the image
    has no table."""
    done = subprocess.run(
        [prefix + "readelf", "-sW", str(elf)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchError(f"cannot read the symbols of {elf.name}", why=[done.stderr.strip()])
    return bytes_in(done.stdout.splitlines(), {"dpl_" + Path(name).stem for name in sources})


def bytes_in(lines: Iterable[str], kernels: set[str]) -> int:
    """Of functions named so and the files named after them, of what ``readelf -sW`` printed: local
    functions follow the name of their file."""
    files = {name.removeprefix("dpl_") + ".c" for name in kernels}
    total, file = 0, ""
    for words in map(str.split, lines):
        if len(words) != 8:
            continue
        size, kind, bind, name = words[2], words[3], words[4], words[7]
        if kind == "FILE":
            file = name
        elif kind == "FUNC" and (name in kernels if bind == "GLOBAL" else file in files):
            total += int(size, 0)
    return total
