"""GAP8 in GVSoC, the simulator of its vendor's SDK (docs/gvsoc.md), its UART on pipes.

Board options: ``target`` (what gapy calls the board), ``baud`` (of the model's side of the UART).
The program is ``gapy`` of the SDK: the option ``tool``, else $DEPLOYER_GAPY, else on the path.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence

from deployer.bundle import Bundle
from deployer.errors import BenchError
from hil.process import find_program, start
from hil.quiet import QuietStream
from hil.runner import Caps, Runner, board_options
from hil.runners.program import ProgramRunner
from hil.stream import ByteStream

NAME = "gvsoc"
TOOL = "DEPLOYER_GAPY"
SIMULATED = Caps(timing="cycles", kind="simulated")
BAUD = 115_200
HOUR = 3600
_UART = "target/board/devices/uart"
_NOISE = b"raised_event\n"  # printed by the model for each byte that its UART takes
_STEPS = ("--image", "--flash", "--exec-prepare", "--exec")


def create(bundle: Bundle, *, tool: str = "", limit: int = HOUR) -> Runner:
    """``tool``: path of gapy. ``limit``: seconds after which the model ends, even if left alone."""
    options = board_options(bundle, NAME, required=("target",), optional=("baud",))
    target, baud = options["target"], options.get("baud", BAUD)

    def command(loaded: Bundle) -> list[str]:
        watch, buffer = (find_program(name, "coreutils") for name in ("timeout", "stdbuf"))
        uart = [f"--config-opt={_UART}/{key}" for key in ("stdin=true", f"baudrate={baud}")]
        return [
            *(watch, "--kill-after=5", str(limit), buffer, "-oL"),
            *(find_gapy(tool), f"--target={target}", "--platform=gvsoc", *uart),
            *("run", *_STEPS, f"--binary={loaded.firmware.absolute()}"),
        ]

    return ProgramRunner(NAME, SIMULATED, command, tool=lambda: f"GVSoC {target}", started=_started)


def find_gapy(tool: str = "") -> str:
    """Its path. Raises BenchError saying where it was looked for."""
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


def _started(command: Sequence[str]) -> ByteStream:
    """The model in a folder of its own, which goes with the stream."""
    folder = tempfile.TemporaryDirectory(prefix="deployer-gvsoc-")
    run = command.index("run")
    placed = [*command[:run], f"--work-dir={folder.name}", *command[run:]]
    try:
        return QuietStream(start(placed, name="gapy"), _NOISE, folder.cleanup)
    except BenchError:
        folder.cleanup()
        raise
