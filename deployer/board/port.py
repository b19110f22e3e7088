"""What a port of the firmware serves: its port.toml, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deployer.board.sections import (
    BOARD_NAME,
    CFLAG,
    MAX_MEMORY_BYTES,
    MEMORY_ACCESS,
    MEMORY_NAME,
    WORDS,
)
from deployer.errors import UsageError
from deployer.resources import data_root
from deployer.schema import BOOL, Each, Rule, Table, integer, read_toml, size, text
from deployer.units import parse_size

ANY = "any"  # of a chip or a core: the port runs on whatever an operating system does
FILE = "port.toml"
SCHEMA = 1
_CLOCK = integer(1, 100_000_000_000, "Hz")
_BAUD = integer(1, 100_000_000)
_RANGE = Table(
    {"name": MEMORY_NAME, "base": integer(0, MAX_MEMORY_BYTES), "size": size(1, MAX_MEMORY_BYTES)},
    {
        "access": MEMORY_ACCESS,
        "explored": size(1, MAX_MEMORY_BYTES),
        **dict.fromkeys(("needed", "fixed", "power_of_two", "outer"), BOOL),
    },
)
_SUPPLY = Table(
    {
        "millivolts": Each(integer(1, 100_000, "mV"), least=2),
        "fabric_hz": Each(_CLOCK, least=2),
        "cluster_hz": Each(_CLOCK, least=2),
        "fabric_clocks_hz": Each(_CLOCK, least=1),
    },
    {},
)
_CHIP = Table(
    {"name": BOARD_NAME, "core": BOARD_NAME, "memory": Each(_RANGE, least=1)},
    {
        "clocks_hz": Each(_CLOCK, least=1),
        "cflags": Each(CFLAG),
        "supply": _SUPPLY,
        "explored_by": Each(BOARD_NAME),
    },
)
_FILE = Table(
    {
        "schema": Rule(str(SCHEMA), lambda value: value == SCHEMA),
        "cores": Each(integer(1, 64), least=1),
        "console": Table(
            {"device": WORDS},
            {"baud": _BAUD, "rates": Each(_BAUD, least=1), "set_by": Each(BOARD_NAME)},
        ),
        "chip": Each(_CHIP, least=1),
    },
    {"linker": text(), "cache_line_bytes": integer(1, 4096)},
)


@dataclass(frozen=True)
class AddressRange:
    """Where a memory of that name may lie, and at most how large it is, in bytes.

    ``access``: the most that the port's protection leaves. ``needed``: its C names the memory.
    ``fixed``: the memory begins at ``base``. ``power_of_two``: a protected region covers it, whose
    size is a power of two and divides its base. ``outer``: no core addresses it. ``explored``:
    bytes of the largest that simulators have, which is none of a chip; 0 where they have it as it
    is.
    """

    name: str
    base: int
    size: int
    access: str = "rwx"
    needed: bool = False
    fixed: bool = False
    power_of_two: bool = False
    outer: bool = False
    explored: int = 0

    @property
    def end(self) -> int:
        return self.base + self.size


@dataclass(frozen=True)
class Supply:
    """Voltages that start-up sets, the last of which the chip starts with, and the highest clock of
    the core that leads and of the cluster at each. ``fabric_clocks_hz``: those that start-up sets
    of the former."""

    millivolts: tuple[int, ...]
    fabric_hz: tuple[int, ...]
    cluster_hz: tuple[int, ...]
    fabric_clocks_hz: tuple[int, ...]


@dataclass(frozen=True)
class Chip:
    """``name`` and ``core`` may be ANY. ``clocks_hz``: those that the port's start-up sets, none
    where it sets no clock. ``cflags``: those that tell the port's C this chip from its others.
    ``supply`` None: one clock, and a voltage that nothing sets. ``explored_by``: runners that have
    memories of any size up to ``explored``."""

    name: str
    core: str
    memories: tuple[AddressRange, ...]
    clocks_hz: tuple[int, ...] = ()
    cflags: tuple[str, ...] = ()
    supply: Supply | None = None
    explored_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Console:
    """``baud``: the rate of the line that no board file states, 0 where it has none. ``rates``: all
    that its C sets within a hundredth. ``set_by``: runners that change the rate in the image they
    run."""

    device: str
    baud: int = 0
    rates: tuple[int, ...] = ()
    set_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Port:
    """A folder of firmware/ports. ``linker``: the template it is linked by, "" for a hosted
    program. ``cores``: numbers of cores it runs. ``cache_line_bytes``: of the caches it starts, 0
    for none."""

    name: str
    linker: str
    cores: tuple[int, ...]
    console: Console
    chips: tuple[Chip, ...]
    cache_line_bytes: int = 0

    def chip(self, name: str) -> Chip | None:
        """The chip of that name, None when the port does not serve it."""
        return next((chip for chip in self.chips if chip.name in (name, ANY)), None)


def load_port(name: str) -> Port:
    """What firmware/ports/``name`` states. Raises UsageError naming the file and the key."""
    path = data_root() / "firmware" / "ports" / name / FILE
    table = read_toml(path)
    try:
        _FILE.check(table, "")
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", why=error.why, hints=error.hints) from None
    return Port(
        name=name,
        linker=table.get("linker", ""),
        cores=tuple(table["cores"]),
        console=_console(table["console"]),
        chips=tuple(_chip(entry) for entry in table["chip"]),
        cache_line_bytes=table.get("cache_line_bytes", 0),
    )


def _console(entry: Mapping[str, Any]) -> Console:
    baud = entry.get("baud", 0)
    rates = tuple(entry.get("rates", (baud,) if baud else ()))
    return Console(entry["device"], baud, rates, tuple(entry.get("set_by", ())))


def _chip(entry: Mapping[str, Any]) -> Chip:
    return Chip(
        name=entry["name"],
        core=entry["core"],
        memories=tuple(_range(each) for each in entry["memory"]),
        clocks_hz=tuple(entry.get("clocks_hz", ())),
        cflags=tuple(entry.get("cflags", ())),
        supply=_supply(entry["supply"]) if "supply" in entry else None,
        explored_by=tuple(entry.get("explored_by", ())),
    )


def _supply(entry: Mapping[str, Any]) -> Supply:
    return Supply(**{name: tuple(values) for name, values in entry.items()})


def _range(entry: Mapping[str, Any]) -> AddressRange:
    sizes = {name: parse_size(entry[name]) for name in ("size", "explored") if name in entry}
    return AddressRange(**{**entry, **sizes})
