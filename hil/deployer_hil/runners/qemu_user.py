"""A Linux program of another architecture, under QEMU user mode.

Board options: ``program`` (qemu-aarch64), ``package`` (Debian package that holds it), ``args``.

With a plugin the program runs in its own folder and without environment variables: paths and
variables lie on its stack, and its addresses are to be the same in every run.
"""

from __future__ import annotations

from deployer.bundle import Bundle
from deployer_hil.process import find_program, version_line
from deployer_hil.runner import Caps, Runner, board_options
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

STAND_IN = StandIn({"program": "qemu-toy", "package": "qemu-user"}, programs=("qemu-toy",))


def create(bundle: Bundle, *, plugin: str = "") -> Runner:
    """``plugin``: a TCG plugin's shared object and its arguments, as QEMU takes them."""
    options = board_options(
        bundle, "qemu_user", required=("program", "package"), optional=("args",)
    )
    program, package = options["program"], options["package"]

    def command(loaded: Bundle) -> list[str]:
        emulator = [find_program(program, package), *options.get("args", ())]
        image = loaded.firmware.absolute()
        if not plugin:
            return [*emulator, str(image)]
        alone = [find_program("env", "coreutils"), "-i", "-C", str(image.parent)]
        return [*alone, *emulator, "-plugin", plugin, image.name]

    return ProgramRunner("qemu_user", Caps(), command, tool=lambda: version_line(program))
