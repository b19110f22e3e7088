"""What of a lab is connected, free and well, as far as it tells without being asked."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from deployer.errors import BenchError, DeployerError
from deployer_hil import probe, serial_ports
from deployer_hil.lab import programs
from deployer_hil.lab.bench import Bench, Lab
from deployer_hil.lab.hold import claims_of, holder_of
from deployer_hil.locks import Elsewhere, Holder
from deployer_hil.openocd import CABLE, CONSOLE
from deployer_hil.places.labgrid import Labgrid, Place, PlaceSeen
from deployer_hil.places.labgrid import seen as seen_places
from deployer_hil.probe import Probe
from deployer_hil.serial_ports import Port

TableOf = Callable[[Bench], Mapping[str, Any]]
"""What the board file of a bench says to its runner; raises UsageError for a board that is not
there or does not have that runner."""

_PYOCD, _OPENOCD = "pyocd", "openocd"
_ASKED = ("ssh", "tcp")  # runners whose board only answers who asks it
_RULES = "install the udev rules (hil/README.md), then plug it in again"


@dataclass(frozen=True)
class Seen:
    """Probes and serial ports of this machine. ``blind``: why probes could not be listed.
    ``places``: of labgrid, by who was asked, or why it could not be."""

    probes: tuple[Probe, ...] = ()
    ports: tuple[Port, ...] = ()
    blind: str = ""
    places: Mapping[Labgrid, tuple[PlaceSeen, ...] | str] = field(default_factory=dict)


@dataclass(frozen=True)
class State:
    """``connected`` is None where only ``lab check`` can tell. ``device``: the console, of labgrid
    the places and their exporters, "" when it is not there or there is none. ``holder``: who uses
    it. ``troubles``: what is wrong, a line each."""

    bench: Bench
    connected: bool | None
    device: str
    holder: Holder | Elsewhere | None
    troubles: tuple[str, ...]


def look(benches: Sequence[Bench]) -> Seen:
    """Lists what ``benches`` need."""
    own = [bench for bench in benches if bench.labgrid is None]
    asked = {bench.labgrid.labgrid for bench in benches if bench.labgrid}
    return replace(_look_here(own), places={each: _places(each) for each in asked})


def _look_here(benches: Sequence[Bench]) -> Seen:
    if not any(bench.runner in (_PYOCD, _OPENOCD) for bench in benches):
        return Seen()
    ports = serial_ports.ports()
    if not any(bench.runner == _PYOCD for bench in benches):
        return Seen(ports=ports)
    try:
        return Seen(probe.connected(), ports)
    except BenchError as error:
        return Seen(ports=ports, blind=error.what)


def _places(asked: Labgrid) -> tuple[PlaceSeen, ...] | str:
    try:
        return seen_places(asked)
    except DeployerError as error:
        return f"{error.what}: {error.hints[0]}" if error.hints else error.what


def states(lab: Lab, seen: Seen, table_of: TableOf) -> tuple[State, ...]:
    """Of every bench, in the file's order. It asks no device anything."""
    devices = {bench.name: _device(bench, seen) for bench in lab.benches}
    rivals = _rivals(lab.benches, devices)
    return tuple(_state(b, devices[b.name], seen, table_of, rivals[b.name]) for b in lab.benches)


def _state(
    bench: Bench, device: str, seen: Seen, table_of: TableOf, rivals: Sequence[str]
) -> State:
    missing = [*_program_troubles(bench, table_of)]
    if bench.labgrid:
        return _state_elsewhere(bench, bench.labgrid, seen, (*missing, *rivals))
    if bench.runner in (_PYOCD, _OPENOCD) and "loader" not in bench.options:
        missing += [*_probe_troubles(bench, seen), *_console_troubles(bench, device)]
    connected = None if bench.runner in _ASKED else not missing
    return State(bench, connected, device, holder_of(bench, device), (*missing, *rivals))


def _state_elsewhere(bench: Bench, place: Place, seen: Seen, troubles: tuple[str, ...]) -> State:
    """At places of labgrid: free when one of them is."""
    places = seen.places.get(place.labgrid, "")
    if isinstance(places, str):
        return State(bench, False, "", holder_of(bench), (*troubles, places))
    own = [each for each in places if each.is_for(place)]
    if not own:
        return State(bench, False, "", None, (*troubles, f"labgrid has not {place}"))
    lacking = [f"{each.name} lacks {each.missing}" for each in own if each.missing]
    users = [each.acquired or each.reserved for each in own]
    holder = holder_of(bench) or (None if "" in users else Elsewhere(users[0]))
    where = ", ".join(f"{each.name} ({', '.join(each.exporters) or 'nowhere'})" for each in own)
    connected = len(lacking) < len(own)
    return State(bench, connected, where, holder, (*troubles, *lacking))


def _program_troubles(bench: Bench, table_of: TableOf) -> Iterator[str]:
    try:
        programs.find(bench, table_of(bench))
    except DeployerError as error:
        yield f"{error.what}: {error.hints[0]}" if error.hints else error.what


def _device(bench: Bench, seen: Seen) -> str:
    """Of the console: the one that is named, or that of the USB serial number."""
    if bench.serial.startswith("/"):
        return bench.serial if os.path.exists(bench.serial) else ""
    wanted = bench.serial or bench.probe or _only_probe(bench, seen)
    found = (port for port in seen.ports if wanted and port.serial.lower() == wanted.lower())
    ours = (p.device for p in found if bench.runner != _OPENOCD or p.interface == CONSOLE)
    return next(ours, "")


def _only_probe(bench: Bench, seen: Seen) -> str:
    found = _probes(bench, seen)
    return found[0].uid if len(found) == 1 else ""


def _probes(bench: Bench, seen: Seen) -> tuple[Probe, ...]:
    if bench.runner == _PYOCD:
        return seen.probes
    if bench.runner != _OPENOCD:
        return ()
    consoles = (port for port in seen.ports if (port.usb, port.interface) == (CABLE, CONSOLE))
    return tuple(Probe(port.serial, port.description, port.device) for port in consoles)


def _probe_troubles(bench: Bench, seen: Seen) -> Iterator[str]:
    found = _probes(bench, seen)
    if bench.runner == _PYOCD and seen.blind:
        yield f"probes are not seen: {seen.blind}"
    elif not bench.probe:
        if len(found) != 1:
            yield f"probe is not stated, and {len(found) or 'none'} are connected"
    elif bench.probe.lower() not in (each.uid.lower() for each in found):
        yield _unseen(bench, seen)


def _unseen(bench: Bench, seen: Seen) -> str:
    """A probe that may not be opened shows by its serial port alone."""
    shown = [p for p in seen.ports if p.serial.lower() == bench.probe.lower()]
    if shown and bench.runner == _PYOCD:
        return f"probe {bench.probe} may not be opened: {_RULES}"
    return f"probe {bench.probe} is not connected"


def _console_troubles(bench: Bench, device: str) -> Iterator[str]:
    if not device:
        yield f"serial port {bench.serial or 'of the probe'} is not there"
    elif not os.access(device, os.R_OK | os.W_OK):
        yield f"no permission to open {device}: sudo usermod -aG dialout $USER, then log in again"


def _rivals(benches: Sequence[Bench], devices: Mapping[str, str]) -> dict[str, list[str]]:
    """By bench: what it shares with others, which only one of them can use at a time."""
    users = defaultdict(list)
    for bench in benches:
        for claim in claims_of(bench, devices[bench.name]):
            users[claim].append(bench.name)
    found: dict[str, list[str]] = {bench.name: [] for bench in benches}
    for claim, names in users.items():
        for name in names if len(names) > 1 else ():
            others = ", ".join(other for other in names if other != name)
            found[name].append(f"{claim} is also of bench {others}")
    return found
