"""Benches of a lab, as its file states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deployer.errors import UsageError, near_hints
from deployer_hil.places.labgrid import Place


@dataclass(frozen=True)
class Power:
    """Commands that switch a bench on and off, a word each item."""

    on: tuple[str, ...]
    off: tuple[str, ...]


@dataclass(frozen=True)
class Bench:
    """A board on a desk, or an emulator. What its file does not state is "" or 0.

    ``probe``: unique id of the debug probe or cable. ``serial``: the console, by device or by USB
    serial number; "" is the probe's own. ``baud``: bits a second. ``host``: as ssh takes it.
    ``tcp``: HOST:PORT of an image that listens. ``options``: more that its runner takes. ``meter``
    as ``create_meter`` takes it. ``trigger``: its pin, as the board calls it. ``labgrid``: where it
    stands in a lab of many machines, which says the rest.
    """

    name: str
    board: str
    runner: str
    probe: str = ""
    serial: str = ""
    baud: int = 0
    host: str = ""
    tcp: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    meter: str = ""
    trigger: str = ""
    power: Power | None = None
    labgrid: Place | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lab:
    """The benches of one file, in its order. Those of one board and runner are twins: each may take
    the place of another."""

    path: Path
    benches: tuple[Bench, ...]

    def bench(self, name: str) -> Bench:
        """Raises UsageError with the nearest known name."""
        for bench in self.benches:
            if bench.name == name:
                return bench
        names = [bench.name for bench in self.benches]
        raise UsageError(f"no bench {name!r} in {self.path}", hints=near_hints(name, names))
