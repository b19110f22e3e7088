"""The command lines of GVSoC, of the one in the SDK of GAP8's vendor and of the one that is still
maintained (docs/gvsoc.md)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import BenchError
from deployer_hil.process import find_program

TOOL = "DEPLOYER_GAPY"
OPEN_TOOL = "DEPLOYER_GVSOC"
GAPUINO = "gapuino_v3"  # the GAPuino board: GAP8, HyperRAM, HyperFlash
PREPARE = ("--image", "--flash", "--exec-prepare")  # the flash image, from which GAP8 boots
EXECUTE = ("--exec",)
FLASH_DATA = 0x100000  # where data begins in the flash, behind the boot loader's part
FLASH_IMAGE = "target.board.devices.flash.img"  # in the model's folder once it is prepared
HOUR_SECONDS = 3600  # seconds


@dataclass(frozen=True)
class Model:
    """A GVSoC of the user's: its program, the environment variable that names it elsewhere, and how
    to have it on the path."""

    program: str
    variable: str
    hint: str

    def find(self, tool: str = "") -> str:
        """Path of the program: ``tool``, else that of the variable, else the one on the path.

        Raises BenchError saying where it was looked for.
        """
        named = tool or os.environ.get(self.variable, "")
        found = shutil.which(named or self.program)
        if found:
            return found
        missing = f"{self.program}, which runs GVSoC, is not installed"
        other = f"or name a program that does so: {self.variable}=/path/to/it (docs/gvsoc.md)"
        raise BenchError(
            f"{named} is not a program" if named else missing,
            why=[f"looked at ${self.variable} and on the path"],
            hints=[self.hint, other],
        )


# By the runner that needs it.
MODELS = {
    "gvsoc": Model("gapy", TOOL, "source configs/gapuino_v3.sh of the GAP SDK in this shell"),
    "pulp_open": Model("gvsoc", OPEN_TOOL, "put install/bin of GVSoC on the path"),
}
find_gapy, find_gvsoc = MODELS["gvsoc"].find, MODELS["pulp_open"].find


def command(
    elf: Path,
    folder: str,
    steps: Sequence[str] = (*PREPARE, *EXECUTE),
    *,
    gapy: str,
    target: str = GAPUINO,
    settings: Sequence[str] = (),
    limit: int = HOUR_SECONDS,
) -> list[str]:
    """Runs ``elf`` on the model in ``folder``, its output by lines.

    ``settings`` are of the model's configuration, "path=value". After ``limit`` seconds the model
    ends, with all it has started, even if nobody is left to end it.
    """
    return [
        *_watched(limit),
        *(gapy, f"--target={target}", "--platform=gvsoc", f"--work-dir={folder}"),
        *(f"--config-opt={setting}" for setting in settings),
        *("run", *steps, f"--binary={elf.absolute()}"),
    ]


def open_command(
    elf: Path, folder: str, *, gvsoc: str, target: str, limit: int = HOUR_SECONDS
) -> list[str]:
    """The same for the maintained GVSoC, which loads the image itself."""
    return [
        *_watched(limit),
        *(gvsoc, f"--target={target}", f"--binary={elf.absolute()}", f"--work-dir={folder}"),
        *("image", "flash", "run"),
    ]


def _watched(limit: int) -> list[str]:
    """What ends the model after ``limit`` seconds, and has it print by lines."""
    watch, buffer = (find_program(name, "coreutils") for name in ("timeout", "stdbuf"))
    return [watch, "--kill-after=5", str(limit), buffer, "-oL"]
