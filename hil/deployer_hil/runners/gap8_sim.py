"""GAP8 in our simulator (docs/gap8-simulator.md), its UART on pipes."""

from __future__ import annotations

from deployer.bundle import Bundle
from deployer.simulator import simulator
from deployer.units import CounterUnit, FigureKind
from deployer_hil.runner import Caps, Runner, board_options, own_image
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

HERTZ = 0.5e6  # it counts the cycles of nine cores, two million a second on an idle machine
SIMULATED = Caps(timing=CounterUnit.CYCLES, kind=FigureKind.SIMULATED, hertz=HERTZ)
STAND_IN = StandIn(own_image=True, located_by="simulator")


def create(bundle: Bundle) -> Runner:
    board_options(bundle, "gap8_sim")
    own_image(bundle, "gap8_sim")

    def command(loaded: Bundle) -> list[str]:
        outer = ["--l3", str(loaded.outer.absolute())] if loaded.outer else []
        return [str(simulator()), *outer, str(loaded.firmware.absolute())]

    return ProgramRunner("gap8_sim", SIMULATED, command, tool=lambda: simulator().name)
