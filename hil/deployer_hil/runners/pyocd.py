"""A real board through its debug probe, its console on a serial port.

Board options: ``target`` (pyOCD's name), ``frequency`` (SWD, Hz), ``baud``; ``twin`` only with a
loader that starts an emulated one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from deployer.bundle import Bundle
from deployer.errors import UsageError
from deployer_hil.places.remote_board import PlaceLoader
from deployer_hil.probe import FREQUENCY, Loader, Progress, PyocdLoader
from deployer_hil.runner import Caps, Runner, board_options, emulated_by, load_object
from deployer_hil.runners.probed import BAUD, MEASURED, Probed
from deployer_hil.stand_in import StandIn

STAND_IN = StandIn({"twin": "toy-twin", "baud": BAUD})


def create(
    bundle: Bundle,
    *,
    probe: str | None = None,
    port: str | None = None,
    baud: int | None = None,
    model: str | None = None,
    loader: Loader | str | None = None,
    progress: Progress | None = None,
    held: Collection[str] = (),
    place: str = "",
) -> Runner:
    """``probe``: full UID. ``port``: device of the console. ``model``: what the user typed, for
    the hint. ``loader``: one to use instead of pyOCD, or the ``module:factory`` of one, called with
    the bundle. ``progress``: told the part of the flash written, 0 to 1. ``held``: claims on probe
    and port that the caller has. ``place``: the path of who holds a place of labgrid, whose probe
    is used."""
    options = board_options(bundle, "pyocd", optional=("target", "frequency", "baud", "twin"))
    made: Loader | None = load_object(loader)(bundle) if isinstance(loader, str) else loader
    if place:
        made = _placed(bundle, options, place, port or "")
    return Probed(
        "pyocd",
        made or _pyocd(bundle, options, probe=probe, model=model),
        MEASURED if bundle.manifest["target"] == bundle.board else Caps(),
        tool=_version,
        port=port,
        baud=baud or options.get("baud", BAUD),
        progress=progress,
        held=held,
    )


def _pyocd(
    bundle: Bundle, options: Mapping[str, Any], *, probe: str | None, model: str | None
) -> Loader:
    built_for = bundle.manifest["target"]
    if built_for != bundle.board or "target" not in options:
        raise UsageError(
            f"this bundle was built for {built_for}, which no debug probe can program",
            hints=["deployer flash builds for the board itself"],
        )
    return PyocdLoader(
        target=options["target"],
        frequency=options.get("frequency", FREQUENCY),
        uid=probe,
        emulate=emulated_by(bundle, model),
    )


def _placed(bundle: Bundle, options: Mapping[str, Any], place: str, port: str) -> Loader:
    if "target" not in options:
        raise UsageError(f"{bundle.board} names no target for pyOCD")
    frequency = options.get("frequency", FREQUENCY)
    return PlaceLoader(place, target=options["target"], frequency=frequency, port=port)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"pyocd {version('pyocd')}"
    except PackageNotFoundError:
        return ""
