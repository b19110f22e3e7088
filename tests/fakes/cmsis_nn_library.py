"""A library with CMSIS-NN's interface and arithmetic in plain loops, built for a board."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from deployer.build.cmsis_nn import Library

HEADERS = Path(__file__).parent / "cmsis_nn"
ARM = "arm-none-eabi-"


def build(folder: Path, cflags: Sequence[str], *defines: str) -> Library:
    """The stand-in as an archive in ``folder``; ``defines`` are those of cmsis_nn/stand_in.c."""
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", *cflags]
    source, part = HEADERS / "stand_in.c", folder / "stand_in.o"
    given = [f"-D{define}" for define in defines]
    subprocess.run([ARM + "gcc", *flags, *given, "-c", source, "-o", part], check=True)
    subprocess.run([ARM + "ar", "rcs", folder / "lib.a", part], check=True)
    return Library(folder / "lib.a", HEADERS)
