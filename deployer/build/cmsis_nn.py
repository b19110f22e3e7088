"""The user's own build of Arm's CMSIS-NN, which is no part of this project."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deployer.board import Board
from deployer.choices import KernelSet
from deployer.errors import BenchError, UsageError

NAME, HEADER = KernelSet.CMSIS_NN, "arm_nnfunctions.h"
VARIABLE = "DEPLOYER_CMSIS_NN"
SINGLE = "CMSIS_NN_USE_SINGLE_ROUNDING"
FAMILY = "cmsis_nn"  # of the kernels that call it
_ABSENT = re.compile(r"undefined reference to [`'](\w+)'")
_MAX_SHOWN = 8
_MAGIC = b"!<arch>\n"


@dataclass(frozen=True)
class Library:
    """``archive`` is linked, ``include`` holds the public header."""

    archive: Path
    include: Path


def library_of(archive: Path | None, include: Path | None) -> Library:
    """The library of two options, or of the environment for those left out.

    Raises UsageError when there is none, or files are missing or something else.
    """
    from_archive, _, from_include = os.environ.get(VARIABLE, "").rpartition(",")
    archive = archive or _path(from_archive)
    include = include or _path(from_include)
    if archive is None or include is None:
        lacking = "library is" if archive is None else "headers are"
        raise UsageError(
            f"--kernels {NAME} calls your own build of CMSIS-NN, and no {lacking} given",
            why=["CMSIS-NN is Arm's and does not come with deployer"],
            hints=[
                "--cmsis-nn-lib LIB.a --cmsis-nn-include DIRECTORY",
                f"or {VARIABLE}=LIB.a,DIRECTORY in the environment",
                f"build it with -D{SINGLE} and the board's flags (docs/cmsis-nn.md)",
            ],
        )
    return checked(Library(archive, include), f"--kernels {NAME}")


def checked(library: Library, said: str) -> Library:
    """``library``. Raises UsageError, which begins with ``said``, when it is none."""
    for path in (library.archive, library.include / HEADER):
        if not path.is_file():
            raise UsageError(f"{said}: no file {path}")
    with library.archive.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise UsageError(
                f"{said}: {library.archive} is not a library",
                hints=["an archive of object files, as ar writes it: LIB.a"],
            )
    return library


def _path(text: str) -> Path | None:
    return Path(text) if text else None


def link_misfit(library: Library, board: Board) -> Callable[[list[str]], BenchError]:
    """What a linker's complaint of ``library`` says about it."""

    def misfit(lines: list[str]) -> BenchError:
        name, flags = library.archive.name, " ".join(board.toolchain.cflags)
        absent = list(dict.fromkeys(_ABSENT.findall("\n".join(lines))))
        if absent:
            return BenchError(
                f"{name} lacks functions of CMSIS-NN",
                why=[", ".join(absent[:_MAX_SHOWN])],
                hints=["build all of a release from 2024 or later"],
            )
        if any("VFP register arguments" in line for line in lines):
            return BenchError(
                f"{name} is built for another floating-point ABI than {board.name}",
                why=lines[:1],
                hints=[f"build it with {flags}"],
            )
        return BenchError(
            f"{name} does not link with the network",
            why=lines[:_MAX_SHOWN],
            hints=[f"build it with {flags}, for the same headers"],
        )

    return misfit


def header_misfit(library: Library) -> Callable[[list[str]], BenchError]:
    """What a compiler's complaint of a file that calls the library says about it."""

    def misfit(lines: list[str]) -> BenchError:
        return BenchError(
            f"the headers in {library.include} are not those of the CMSIS-NN that is called",
            why=lines[:_MAX_SHOWN],
            hints=["give the Include folder of a release from 2024 or later"],
        )

    return misfit
