"""A library with CMSIS-NN's interface and arithmetic in plain loops, and the one that is given."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from deployer.board.load import load_board
from deployer.build.cmsis_nn import VARIABLE, Library, library_of
from deployer.resources import data_root

HEADERS = Path(__file__).parent / "cmsis_nn"
ARM = "arm-none-eabi-"
_DRIVER = Path(__file__).parents[1] / "kernels" / "driver"
_BARE = ("-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns")
_EMULATOR = ("qemu-system-arm", "-M", "mps2-an500", "-display", "none")
_CONSOLE = ("-semihosting-config", "enable=on,target=native")


def build(folder: Path, cflags: Sequence[str], *defines: str) -> Library:
    """The stand-in as an archive in ``folder``; ``defines`` are those of cmsis_nn/stand_in.c."""
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", *cflags]
    source, part = HEADERS / "stand_in.c", folder / "stand_in.o"
    given = [f"-D{define}" for define in defines]
    subprocess.run([ARM + "gcc", *flags, *given, "-c", source, "-o", part], check=True)
    subprocess.run([ARM + "ar", "rcs", folder / "lib.a", part], check=True)
    return Library(folder / "lib.a", HEADERS)


def given_library(need: Callable[[str, bool], None], folder: Path) -> Library:
    """The user's library that rounds once; the test skips by name without one."""
    need(f"CMSIS-NN ({VARIABLE})", bool(os.environ.get(VARIABLE)))
    library = library_of(None, None)
    image = folder / "rounding.elf"
    bare_image(library, _DRIVER / "cmsis_nn_rounding.c", image)
    run = [*_EMULATOR, *_CONSOLE, "-kernel", str(image)]
    said = subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)
    need("CMSIS-NN for single rounding", "single" in said.stdout + said.stderr)
    return library


def bare_image(library: Library, source: Path, image: Path) -> None:
    """``source``, which defines run_cases, as a program of its own for the emulated board."""
    flags = ["-std=c11", "-O2", *_BARE, *load_board("nucleo-f767zi").toolchain.cflags]
    include = [f"-I{_DRIVER}", f"-I{data_root() / 'kernels/include'}"]
    include += ["-isystem", str(library.include), f"-T{_DRIVER / 'mps2.ld'}"]
    files = [str(source), str(_DRIVER / "port_mps2.c"), str(library.archive), "-lgcc"]
    subprocess.run([ARM + "gcc", *flags, *include, *files, "-o", str(image)], check=True)
