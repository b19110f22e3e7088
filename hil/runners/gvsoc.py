"""GAP8 in GVSoC, the simulator of its vendor's SDK (docs/gvsoc.md), its UART on pipes.

Board options: ``target`` (what gapy calls the board), ``baud`` (of the model's side of the UART).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

from deployer.bundle import Bundle
from deployer.errors import BenchError
from hil.gvsoc import HOUR, command, find_gapy
from hil.process import start
from hil.quiet import QuietStream
from hil.runner import Caps, Runner, board_options, own_image
from hil.runners.program import ProgramRunner
from hil.stream import ByteStream

NAME = "gvsoc"
SIMULATED = Caps(timing="cycles", kind="simulated", slow=6)
BAUD = 115_200
START = 120.0  # seconds; the model packs and loads the flash image first, deaf to its UART
_UART = "target/board/devices/uart"
_NOISE = b"raised_event\n"  # printed by the model for each byte that its UART takes
_FOLDER = "{folder}"


def create(bundle: Bundle, *, tool: str = "", limit: int = HOUR) -> Runner:
    """``tool``: path of gapy. ``limit``: seconds after which the model ends, even if left alone."""
    options = board_options(bundle, NAME, required=("target",), optional=("baud",))
    own_image(bundle, NAME)
    target, baud = options["target"], options.get("baud", BAUD)

    def line(loaded: Bundle) -> list[str]:
        return command(
            loaded.firmware,
            _FOLDER,
            gapy=find_gapy(tool),
            target=target,
            settings=[f"{_UART}/stdin=true", f"{_UART}/baudrate={baud}"],
            limit=limit,
        )

    return ProgramRunner(NAME, SIMULATED, line, tool=lambda: f"GVSoC {target}", started=_started)


def _started(line: Sequence[str]) -> ByteStream:
    """The model in a folder of its own, which goes with the stream."""
    folder = tempfile.TemporaryDirectory(prefix="deployer-gvsoc-")
    placed = [part.replace(_FOLDER, folder.name) for part in line]
    try:
        stream = QuietStream(start(placed, name="gapy"), _NOISE, folder.cleanup)
    except BenchError:
        folder.cleanup()
        raise
    stream.listen(START)
    return stream
