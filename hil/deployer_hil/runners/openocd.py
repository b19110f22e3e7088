"""A GAPuino through its own cable: GreenWaves' OpenOCD on JTAG, the UART as console.

Board options: ``cable``, ``target`` and ``boot``, scripts of that OpenOCD; ``baud``. In the
environment GAPY_OPENOCD_CABLE replaces ``cable``, as for gap_sdk. It has not met hardware.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace

from deployer.bundle import Bundle
from deployer.errors import UsageError
from deployer_hil.openocd import OpenocdLoader
from deployer_hil.openocd_files import find_openocd, installed
from deployer_hil.probe import Loader, Progress
from deployer_hil.process import version_line
from deployer_hil.runner import Caps, Runner, board_options, emulated_by, load_object
from deployer_hil.runners.probed import BAUD, MEASURED, Probed
from deployer_hil.stand_in import StandIn

STAND_IN = StandIn(
    {"cable": "cable.cfg", "target": "target.tcl", "boot": "boot.tcl"}, own_image=True
)


def create(
    bundle: Bundle,
    *,
    probe: str | None = None,
    port: str | None = None,
    baud: int | None = None,
    model: str | None = None,
    loader: Loader | str | None = None,
    openocd: str = "",
    progress: Progress | None = None,
    held: Collection[str] = (),
) -> Runner:
    """``probe``: USB serial number of the cable. ``port``: device of the console. ``openocd``: the
    program. ``model``, ``loader``, ``progress``, ``held``: as for pyocd; a count through another
    loader is worth nothing."""
    options = board_options(bundle, "openocd", optional=("cable", "target", "boot", "baud"))
    emulate = emulated_by(bundle, model)
    _require_loadable(bundle, tuple(options), emulate)
    given: Loader | None = load_object(loader)(bundle) if isinstance(loader, str) else loader
    cable = os.environ.get("GAPY_OPENOCD_CABLE") or options["cable"]
    scripts = (cable, options["target"], options["boot"])
    return Probed(
        "openocd",
        given
        or OpenocdLoader(
            lambda: find_openocd(scripts, program=openocd, emulate=emulate),
            uid=probe,
            port=port,
            emulate=emulate,
        ),
        replace(Caps() if given else MEASURED, sends=True),
        tool=lambda: version_line(openocd or installed() or "openocd"),
        port=port,
        baud=baud or options.get("baud", BAUD),
        progress=progress,
        held=held,
    )


def _require_loadable(bundle: Bundle, options: tuple[str, ...], emulate: str) -> None:
    built_for = bundle.manifest["target"]
    if built_for != bundle.board or not {"cable", "target", "boot"} <= set(options):
        raise UsageError(
            f"this bundle was built for {built_for}, which no debug probe can load",
            hints=["deployer flash builds for the board itself"],
        )
