"""The image is a program of this machine."""

from __future__ import annotations

from deployer.bundle import Bundle
from hil.runner import Caps, Runner, board_options
from hil.runners.program import ProgramRunner
from hil.stand_in import StandIn

STAND_IN = StandIn()


def create(bundle: Bundle) -> Runner:
    board_options(bundle, "host")
    return ProgramRunner("host", Caps(), lambda loaded: [str(loaded.firmware.absolute())])
