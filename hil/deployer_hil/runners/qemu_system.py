"""A whole board in QEMU, its serial port on pipes.

Board options: ``program`` (qemu-system-arm), ``package`` (Debian package that holds it), ``args``
(machine, memory, cores), ``icount``: the shift N by which one instruction takes 2^N ns of virtual
time, or QEMU's own text ("shift=6,sleep=off"). Under it layer counts are exact; it costs speed.
"""

from __future__ import annotations

from collections.abc import Sequence

from deployer.bundle import Bundle
from deployer.units import CounterUnit, FigureKind
from deployer_hil.process import find_program, version_line
from deployer_hil.runner import Caps, Runner, board_options
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

CONSOLE = ("-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot")
COUNTING = Caps(timing=CounterUnit.INSTRUCTIONS, kind=FigureKind.COUNTED)
STAND_IN = StandIn(
    {"program": "qemu-toy", "package": "qemu-toy", "args": ["-M", "toy"], "icount": 0},
    programs=("qemu-toy",),
)


def create(bundle: Bundle, *, icount: bool = True, plugin: str = "") -> Runner:
    """``icount`` False runs faster and counts nothing: for datasets. ``plugin``: a TCG plugin's
    shared object and its arguments, as QEMU takes them."""
    options = board_options(
        bundle, "qemu_system", required=("program", "package"), optional=("args", "icount")
    )
    clock = _icount(options.get("icount", "")) if icount else ""
    program, package = options["program"], options["package"]

    def command(loaded: Bundle) -> list[str]:
        emulator = find_program(program, package)
        args = [*options.get("args", ()), *(["-plugin", plugin] if plugin else [])]
        return machine(emulator, args, firmware(loaded), icount=clock)

    caps = COUNTING if clock else Caps()
    return ProgramRunner("qemu_system", caps, command, tool=lambda: version_line(program))


def machine(emulator: str, args: Sequence[str], image: str, *, icount: str = "") -> list[str]:
    """The command line that runs ``image`` with its console on stdin and stdout."""
    clock = ["-icount", icount] if icount else []
    return [emulator, *args, *CONSOLE, *clock, "-kernel", image]


def _icount(value: int | str) -> str:
    return f"shift={value}" if isinstance(value, int) else value


def firmware(bundle: Bundle) -> str:
    return str(bundle.firmware.absolute())
