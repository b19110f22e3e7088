"""The board's own image, as a probe programs it, on a model of the registers it touches.

Needs the Python package unicorn. Nothing is timed: see hil/deployer_hil/register_model.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import version
from pathlib import Path

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.runner import Caps, Runner, board_options, own_image
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

PACKAGE = "unicorn"
STAND_IN = StandIn(own_image=True, located_by="interpreter", package=PACKAGE)


def create(bundle: Bundle) -> Runner:
    board_options(bundle, "register_model")
    own_image(bundle, "register_model")
    return ProgramRunner("register_model", Caps(), _command, tool=_version)


def interpreter() -> Path:
    """The Python that runs the model."""
    return Path(sys.executable)


def _command(bundle: Bundle) -> list[str]:
    if importlib.util.find_spec(PACKAGE) is None:
        raise BenchError(
            f"the Python package {PACKAGE}, which emulates the core, is not installed",
            hints=[f"pip install {PACKAGE}", "or leave out --runner: the emulated twin"],
        )
    return [
        str(interpreter()),
        "-m",
        "deployer_hil.register_model",
        str(bundle.firmware.absolute()),
    ]


def _version() -> str:
    return f"{PACKAGE} {version(PACKAGE)}"
