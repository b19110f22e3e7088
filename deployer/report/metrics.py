"""The figures of a record that a report plots, one line each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from deployer.units import CounterUnit, FigureKind
from deployer_hil import RunRecord

_JOULES, _FRAMES = "microjoules", "inferences_per_joule"


@dataclass(frozen=True)
class Metric:
    """``read``: the figure of a record, None where it tells none. ``least``: less is better."""

    key: str
    title: str
    unit: str
    least: bool
    read: Callable[[RunRecord], float | None]


def latency_ms(record: RunRecord) -> float | None:
    """Milliseconds of all layers, None where the record counts no time: instructions are none."""
    total = record.total
    if total is None:
        return None
    if record.counter == CounterUnit.NANOSECONDS:
        return total / 1e6
    clock = _number(record.caps.get("clock_hz"))
    if record.counter != CounterUnit.CYCLES or not clock:
        return None
    return 1e3 * total / clock


def _number(text: str | None) -> float | None:
    """A finite number that is no less than zero."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _bytes(name: str) -> Callable[[RunRecord], float | None]:
    return lambda record: record.memory.get(name)


def _accuracy(record: RunRecord) -> float | None:
    """Per cent of the labelled samples."""
    share = (record.accuracy or {}).get("device")
    return None if share is None else 100 * float(share)


def _energy(name: str, kind: FigureKind) -> Callable[[RunRecord], float | None]:
    """``name`` of the energy, where it is of ``kind``: what was measured never mixes with what
    somebody assumed."""

    def read(record: RunRecord) -> float | None:
        found = record.energy
        return float(found[name]) if found and found["kind"] == kind and name in found else None

    return read


def _fps(record: RunRecord) -> float | None:
    """Frames a second, back to back; None where the kind has no times, or none were taken."""
    found = (record.throughput or {}).get("fps")
    return None if found is None else float(found)


METRICS = (
    Metric("count", "count of all layers", "", True, lambda record: record.total),
    Metric("latency", "latency", "ms", True, latency_ms),
    Metric("ram", "RAM", "B", True, _bytes("ram")),
    Metric("flash", "flash", "B", True, _bytes("flash")),
    Metric("arena", "arena", "B", True, _bytes("arena")),
    Metric("stack", "stack used", "B", True, _bytes("stack_used")),
    Metric("accuracy", "accuracy", "%", False, _accuracy),
    Metric("fps", "throughput", "frames/s", False, _fps),
    Metric("energy", "energy, measured", "µJ", True, _energy(_JOULES, FigureKind.MEASURED)),
    Metric("assumed", "energy by assumed power", "µJ", True, _energy(_JOULES, FigureKind.ASSUMED)),
    Metric("frames", "frames a joule, measured", "", False, _energy(_FRAMES, FigureKind.MEASURED)),
    Metric(
        *("assumed_frames", "frames a joule by assumed power", "", False),
        read=_energy(_FRAMES, FigureKind.ASSUMED),
    ),
)
