"""A Linux program of another architecture, under QEMU user mode.

Board options: ``program`` (qemu-aarch64), ``package`` (Debian package that holds it), ``args``.
"""

from __future__ import annotations

from deployer.bundle import Bundle
from deployer_hil.process import find_program, version_line
from deployer_hil.runner import Caps, Runner, board_options
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

STAND_IN = StandIn({"program": "qemu-toy", "package": "qemu-user"}, programs=("qemu-toy",))


def create(bundle: Bundle) -> Runner:
    options = board_options(
        bundle, "qemu_user", required=("program", "package"), optional=("args",)
    )
    program, package = options["program"], options["package"]

    def command(loaded: Bundle) -> list[str]:
        emulator = find_program(program, package)
        return [emulator, *options.get("args", ()), str(loaded.firmware.absolute())]

    return ProgramRunner("qemu_user", Caps(), command, tool=lambda: version_line(program))
