"""Who uses a bench: one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from deployer.errors import BenchError
from deployer_hil import locks, serial_ports
from deployer_hil.lab.bench import Bench, Lab
from deployer_hil.locks import Holder, Locks


@contextmanager
def hold(bench: Bench) -> Iterator[dict[str, Any]]:
    """``bench``, with its probe, port and host, for the caller alone. Inside it are the options of
    ``deployer_hil.create(bench.runner, …)``.

    Raises BenchHeld when another has one of them, BenchError when its console is not there. The
    system lets go when the process ends, however it does.
    """
    device = device_of(bench)
    with Locks() as taken:
        claims = claims_of(bench, device)
        taken.take(*claims)
        yield runner_options(bench, device, claims)


def claims_of(bench: Bench, device: str) -> tuple[str, ...]:
    """What is locked for ``bench``, whose console is ``device``, "" while it is not known."""
    return (
        f"bench {bench.name}",
        *([locks.probe(bench.probe)] if bench.probe else []),
        *([locks.port(device)] if device else []),
        *([locks.host(bench.host)] if bench.host else []),
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
