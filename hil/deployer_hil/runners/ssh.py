"""A Linux board through the user's own ssh: the image is sent, run and removed (remote.py).

Board options: ``machines`` (what ``uname -m`` may say there), ``host`` (as ssh takes it, where the
user names none), ``governor`` (of the clock while the image runs, by default performance),
``launcher`` (a program there that runs the image, such as an emulator: nothing is then measured).

Keys, passwords and known hosts are ssh's. It has not met a Raspberry Pi.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from platform import machine
from typing import Any

from deployer.bundle import Bundle
from deployer.errors import UsageError
from deployer.units import CounterUnit, FigureKind, command_line
from deployer_hil import locks
from deployer_hil.process import version_line
from deployer_hil.remote import PERFORMANCE, Image, run_remotely
from deployer_hil.runner import Caps, Runner, board_options, own_image
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn

STAND_IN = StandIn({"machines": [machine()], "host": "pi@toy"}, own_image=True, programs=("ssh",))
MEASURED = Caps(timing=CounterUnit.CYCLES, kind=FigureKind.MEASURED, hosted=True)
_IN_RAM = ("arena", "weights", "code", "static", "stack", "input_copy")


def create(
    bundle: Bundle, *, host: str = "", model: str = "", held: Collection[str] = ()
) -> Runner:
    """``host``: as ssh takes it, ``pi@raspberrypi``, locked from ``load`` to ``close``. ``model``:
    what the user typed, for hints. ``held``: claims that the caller has."""
    options = board_options(
        bundle, "ssh", required=("machines",), optional=("host", "launcher", "governor")
    )
    own_image(bundle, "ssh")
    memory: Mapping[str, Any] = bundle.manifest["memory"]
    launcher, facts = str(options.get("launcher", "")), dict[str, str]()
    image = Image(
        file=bundle.firmware.absolute(),
        host=ssh_host(host, options, bundle.board, model),
        machines=tuple(options["machines"]),
        needs=sum(count for name, count in memory.items() if name in _IN_RAM),
        cores=bundle.manifest.get("cores", 1),
        launcher=launcher,
        governor=str(options.get("governor", PERFORMANCE)),
    )
    return ProgramRunner(
        "ssh",
        Caps() if launcher else MEASURED,
        lambda loaded: image.command,
        tool=partial(version_line, "ssh", "-V"),
        started=lambda command: run_remotely(image, facts),
        surroundings=facts,
        locks=locks.Locks(held),
        claims=[locks.host(image.host)],
    )


def ssh_host(host: str, options: Mapping[str, object], board: str, model: str) -> str:
    """``host``, or that of the board file's ``options``, as ssh takes it. Raises UsageError where
    there is none; ``model`` as the user typed it."""
    found = host or str(options.get("host", ""))
    if found and not found.startswith("-"):  # ssh would take that for an option
        return found
    flash = command_line(["flash", "--board", board, "--host", "pi@raspberrypi"], model or "MODEL")
    raise UsageError(
        f"no host: {found!r}" if found else f"{board} is reached by ssh, and --host is not given",
        hints=[flash, 'or host = "pi@raspberrypi" under [runners.ssh] of a board file'],
    )
