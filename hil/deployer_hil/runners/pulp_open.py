"""The chip pulp-open in GVSoC as it is maintained (docs/gvsoc.md), its console by semihosting.

Board option: ``target``, what gvsoc calls the chip.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.gvsoc import HOUR_SECONDS, find_gvsoc, open_command
from deployer_hil.process import start
from deployer_hil.quiet import QuietStream
from deployer_hil.runner import Caps, Runner, board_options
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn
from deployer_hil.stream import ByteStream

NAME = "pulp_open"
SIMULATED = Caps(timing=CounterUnit.CYCLES, kind=FigureKind.SIMULATED, slow=6)
STAND_IN = StandIn({"target": "pulp-open"}, programs=("gvsoc",))
_FOLDER = "{folder}"


def create(bundle: Bundle, *, tool: str = "", limit: int = HOUR_SECONDS) -> Runner:
    """``tool``: path of gvsoc. ``limit``: seconds after which the model ends by itself."""
    target = board_options(bundle, NAME, required=("target",))["target"]

    def line(loaded: Bundle) -> list[str]:
        program = find_gvsoc(tool)
        return open_command(loaded.firmware, _FOLDER, gvsoc=program, target=target, limit=limit)

    return ProgramRunner(NAME, SIMULATED, line, tool=lambda: f"GVSoC {target}", started=_started)


def _started(line: Sequence[str]) -> ByteStream:
    """The model in a folder of its own, which goes with the stream."""
    folder = tempfile.TemporaryDirectory(prefix="deployer-gvsoc-")
    try:
        placed = [part.replace(_FOLDER, folder.name) for part in line]
        return QuietStream(start(placed, name="gvsoc"), b"", folder.cleanup)
    except BenchError:
        folder.cleanup()
        raise
