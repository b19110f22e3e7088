"""The command line of GVSoC, the simulator in the SDK of GAP8's vendor (docs/gvsoc.md)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from deployer.errors import BenchError
from hil.process import find_program

TOOL = "DEPLOYER_GAPY"
GAPUINO = "gapuino_v3"  # the GAPuino board: GAP8, HyperRAM, HyperFlash
PREPARE = ("--image", "--flash", "--exec-prepare")  # the flash image, from which GAP8 boots
EXECUTE = ("--exec",)
FLASH_DATA = 0x100000  # where data begins in the flash, behind the boot loader's part
FLASH_IMAGE = "target.board.devices.flash.img"  # in the model's folder once it is prepared
HOUR = 3600  # seconds


def find_gapy(tool: str = "") -> str:
    """Path of gapy: ``tool``, else $DEPLOYER_GAPY, else on the path.

    Raises BenchError saying where it was looked for.
    """
    named = tool or os.environ.get(TOOL, "")
    found = shutil.which(named or "gapy")
    if found:
        return found
    raise BenchError(
        f"{named} is not a program" if named else "gapy, which runs GVSoC, is not installed",
        why=[f"looked at ${TOOL} and on the path"],
        hints=[
            "source configs/gapuino_v3.sh of the GAP SDK in this shell",
            f"or name a program that does so: {TOOL}=/path/to/it (docs/gvsoc.md)",
        ],
    )


def command(
    elf: Path,
    folder: str,
    steps: Sequence[str] = (*PREPARE, *EXECUTE),
    *,
    gapy: str,
    target: str = GAPUINO,
    settings: Sequence[str] = (),
    limit: int = HOUR,
) -> list[str]:
    """Runs ``elf`` on the model in ``folder``, its output by lines.

    ``settings`` are of the model's configuration, "path=value". After ``limit`` seconds the model
    ends, with all it has started, even if nobody is left to end it.
    """
    watch, buffer = (find_program(name, "coreutils") for name in ("timeout", "stdbuf"))
    return [
        *(watch, "--kill-after=5", str(limit), buffer, "-oL"),
        *(gapy, f"--target={target}", "--platform=gvsoc", f"--work-dir={folder}"),
        *(f"--config-opt={setting}" for setting in settings),
        *("run", *steps, f"--binary={elf.absolute()}"),
    ]
