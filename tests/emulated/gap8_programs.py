"""Building and running small programs for GAP8 on our simulator."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from deployer.simulator.gap8 import Run

FIRMWARE = Path(__file__).parent / "firmware" / "gap8"
COMPILER = "riscv64-unknown-elf-gcc"
FLAGS = [
    *("-march=rv32imc_zicsr", "-mabi=ilp32", "-O2", "-ffreestanding", "-fno-builtin"),
    *("-nostdlib", "-nostartfiles", "-Wall", "-Wl,--no-warn-rwx-segments", f"-I{FIRMWARE}"),
]


def build(folder: Path, *sources: str | Path, flags: Sequence[str] = ()) -> Path:
    """An ELF of ``sources``: files of firmware/gap8 by name, or files anywhere by path."""
    elf = folder / "program.elf"
    files = [FIRMWARE / "start.S", *(FIRMWARE / source for source in sources)]
    command = [COMPILER, *FLAGS, *flags, f"-T{FIRMWARE / 'link.ld'}", "-o", str(elf)]
    done = subprocess.run(
        [*command, *map(str, files), "-lgcc"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return elf


def build_text(folder: Path, source: str, *, flags: Sequence[str] = ()) -> Path:
    path = folder / "program.c"
    path.write_text(source)
    return build(folder, path, flags=flags)


def c_array(name: str, values: np.ndarray) -> str:
    """Its definition, aligned for words."""
    body = ",".join(map(str, values.reshape(-1).tolist()))
    return f"static const _Alignas(4) {values.dtype}_t {name}[] = {{{body}}};"


def reported(done: Run) -> dict[str, int]:
    """The numbers of lines "name value"."""
    assert done.status == 0, done.output
    return {line.split()[0]: int(line.split()[1]) for line in done.output.splitlines()}
