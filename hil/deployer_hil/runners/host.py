"""The image is a program of this machine."""

from __future__ import annotations

from deployer.bundle import Bundle
from deployer_hil.runner import Caps, Runner, board_options
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

STAND_IN = StandIn()


def create(bundle: Bundle) -> Runner:
    board_options(bundle, "host")
    return ProgramRunner("host", Caps(), lambda loaded: [str(loaded.firmware.absolute())])
