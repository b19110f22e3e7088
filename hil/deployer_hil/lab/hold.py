"""Who uses a bench: one process at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from deployer.errors import BenchError, UsageError
from deployer_hil import locks, serial_ports
from deployer_hil.energy.meter import Source
from deployer_hil.energy.meters.replay import live_meter
from deployer_hil.lab.bench import Bench, Lab
from deployer_hil.locks import Holder, Locks
from deployer_hil.places.labgrid import Keeper, Place, ask
from deployer_hil.places.remote_board import PlaceMeter


@contextmanager
def hold(bench: Bench) -> Iterator[dict[str, Any]]:
    """``bench``, with its probe, port and host, for the caller alone. Inside it are the options of
    ``deployer_hil.create(bench.runner, …)``.

    Raises BenchHeld when another has one of them, BenchError when its console is not there. The
    system lets go when the process ends, however it does, and so does labgrid.
    """
    if bench.labgrid:
        with _held_place(bench, bench.labgrid) as options:
            yield options
        return
    device = device_of(bench)
    with Locks() as taken:
        claims = claims_of(bench, device)
        taken.take(*claims)
        yield runner_options(bench, device, claims)


@contextmanager
def _held_place(bench: Bench, place: Place) -> Iterator[dict[str, Any]]:
    """Of labgrid, and here: another process of this machine is told of by its command."""
    with Locks() as taken:
        taken.take(*claims_of(bench, ""))
        keeper = Keeper(place)
        try:
            options = _options_at(bench, keeper.described)
            taken.take(*options.get("held", ()))
            yield options
        finally:
            keeper.close()


def _options_at(bench: Bench, described: Mapping[str, Any]) -> dict[str, Any]:
    """Raises BenchError when the place has not what the runner needs."""
    key, lacks = ("host", "NetworkService") if bench.runner == "ssh" else ("serial", "serial port")
    found = str(described[key])
    if not found:
        raise BenchError(f"place {described['place']} of labgrid has no {lacks}")
    if bench.runner == "ssh":
        return {**bench.options, "host": found, "held": (locks.host(found),)}
    own = {"place": described["socket"], "port": found, "held": (locks.port(found),)}
    return {**bench.options, **own, **({"baud": bench.baud} if bench.baud else {})}


def meter_of(bench: Bench, options: Mapping[str, Any]) -> Source:
    """What measures the energy of ``bench``, held with ``options``: the meter of the lab file, else
    that of its place. Raises UsageError where it has none, BenchError for one that does not
    answer."""
    if bench.meter:
        return live_meter(bench.meter)
    if "place" in options and ask(str(options["place"]), do="describe")["meter"]:
        return PlaceMeter(str(options["place"]))
    raise UsageError(
        f"bench {bench.name} has no meter",
        hints=["give --meter", f"state meter under [bench.{bench.name}] of the lab file"],
    )


def claims_of(bench: Bench, device: str) -> tuple[str, ...]:
    """What is locked for ``bench``, whose console is ``device``, "" while it is not known."""
    return (
        f"bench {bench.name}",
        *([locks.probe(bench.probe)] if bench.probe else []),
        *([locks.port(device)] if device else []),
        *([locks.host(bench.host)] if bench.host else []),
        *([str(bench.labgrid)] if bench.labgrid and bench.labgrid.name else []),
    )


def device_of(bench: Bench) -> str:
    """The console's device, "" where the probe's own is to be used. Raises BenchError when no port
    has the USB serial number that the file states."""
    if not bench.serial or bench.serial.startswith("/"):
        return bench.serial
    return serial_ports.port_of(bench.serial)


def holder_of(bench: Bench, device: str = "") -> Holder | None:
    """Who has ``bench``, or its probe, port or host, now."""
    found = (locks.holder_of(claim) for claim in claims_of(bench, device))
    return next((holder for holder in found if holder), None)


def free_benches(lab: Lab, board: str) -> tuple[Bench, ...]:
    """Benches of ``board`` that nobody holds at this moment, in the file's order. Another may be
    quicker: ``hold`` decides."""
    own = [bench for bench in lab.benches if bench.board == board]
    return tuple(bench for bench in own if holder_of(bench, _known_device(bench)) is None)


def _known_device(bench: Bench) -> str:
    try:
        return device_of(bench)
    except BenchError:
        return ""


def runner_options(bench: Bench, device: str, held: tuple[str, ...]) -> dict[str, Any]:
    """What ``deployer_hil.create`` is told, of which the caller has the claims ``held``."""
    stated = {"probe": bench.probe, "port": device, "baud": bench.baud, "host": bench.host}
    given = {name: value for name, value in {**stated, "tcp": bench.tcp}.items() if value}
    claims = {"held": held} if {"port", "probe", "host"} & given.keys() else {}
    return {**bench.options, **given, **claims}
