"""Questions to a board at a place of labgrid, which is held: power switch, probe, console, meter.
It has met no hardware."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from deployer_hil import locks
from deployer_hil.lab.bench import Bench
from deployer_hil.lab.on_board import Desk
from deployer_hil.lab.programs import stated
from deployer_hil.places.labgrid import ask
from deployer_hil.places.remote_board import PlaceLoader, PlaceMeter
from deployer_hil.probe import FREQUENCY
from deployer_hil.runners.probed import BAUD

_METER_SECONDS = 0.5


def steps(
    bench: Bench, table: Mapping[str, Any], options: Mapping[str, Any], own: locks.Locks
) -> dict[str, Callable[[], str]]:
    """By name, in order: those that the place has the parts for. ``options``: of its runner."""
    keeper = str(options["place"])
    has = ask(keeper, do="describe")
    loader = PlaceLoader(
        keeper,
        target=stated(bench, table, "target"),
        frequency=int(table.get("frequency", FREQUENCY)),
        port=str(options["port"]),
    )
    baud = bench.baud or int(table.get("baud", BAUD))
    desk = Desk(bench, loader, own, baud=baud, resets=True)
    return {
        **({"power": partial(_cycled, keeper)} if has["power"] else {}),
        "probe": desk.probe,
        "console": desk.console,
        **({"meter": partial(_recorded, keeper)} if has["meter"] else {}),
    }


def _cycled(keeper: str) -> str:
    ask(keeper, do="power", action="cycle")
    return "off and on, by labgrid"


def _recorded(keeper: str) -> str:
    """Of whatever the board does meanwhile."""
    meter = PlaceMeter(keeper)
    meter.start()
    time.sleep(_METER_SECONDS)
    found = meter.stop()
    watts = float((found.volts * found.amps).mean())
    return f"{meter.name}: {len(found.volts):,} samples of {found.seconds:.2f} s, {watts:.3g} W"
