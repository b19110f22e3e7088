"""Throughput and energy as JSON types, the same in tables and in records."""

from __future__ import annotations

from typing import TypedDict

from deployer.units import FigureKind
from deployer_hil.energy.per_inference import Energy
from deployer_hil.spread import Spread
from deployer_hil.throughput import Throughput

MICRO, MILLI = 1e6, 1e3


class SpreadFacts(TypedDict):
    """See ``Spread``."""

    count: int
    minimum: float
    median: float
    p95: float | None
    p99: float | None
    maximum: float
    jitter: float


class ColdAndWarm(TypedDict):
    cold: SpreadFacts
    warm: SpreadFacts


class RawFacts(TypedDict):
    """Every inference: counts of ``unit``, and microseconds."""

    cold: list[tuple[int, int]]
    warm: list[tuple[int, int]]


class ThroughputFacts(TypedDict):
    """``fps``, of inferences back to back, and ``latency_ms`` are None where the kind has no times,
    ``counts`` where an operating system shares the counter."""

    kind: str
    unit: str
    inferences: int
    warmups: int
    fps: float | None
    latency_ms: ColdAndWarm | None
    counts: ColdAndWarm | None
    raw: RawFacts


class EnergyFigures(TypedDict):
    """Of one inference, medians of windows. ``net_microjoules`` is None where idle was not
    recorded, ``edge_error`` where there was no meter."""

    meter: str
    inferences: int
    microjoules: float
    net_microjoules: float | None
    seconds: float
    watts: float
    idle_watts: float | None
    inferences_per_joule: float
    edge_error: float | None


class EnergyFacts(EnergyFigures):
    """``kind``: measured, or assumed."""

    kind: str


def throughput_facts(found: Throughput) -> ThroughputFacts:
    return {
        "kind": found.kind,
        "unit": found.unit,
        "inferences": found.load.inferences,
        "warmups": found.load.warmups,
        "fps": found.fps,
        "latency_ms": _both(found.cold_latency, found.latency, MILLI),
        "counts": _both(found.cold_counts, found.counts, 1),
        "raw": {
            "cold": [(run.count, run.microseconds) for run in found.cold],
            "warm": [(run.count, run.microseconds) for run in found.warm],
        },
    }


def energy_figures(meter: str, found: Energy) -> EnergyFacts:
    """``meter``: its name."""
    net = found.net_joules
    return {
        "kind": found.kind,
        "meter": meter,
        "inferences": found.inferences,
        "microjoules": MICRO * found.joules,
        "net_microjoules": None if net is None else MICRO * net,
        "seconds": found.seconds,
        "watts": found.watts,
        "idle_watts": found.idle_watts,
        "inferences_per_joule": 1 / found.joules,
        "edge_error": None if found.kind == FigureKind.ASSUMED else found.edge_error,
    }


def _both(cold: Spread | None, warm: Spread | None, times: float) -> ColdAndWarm | None:
    if cold is None or warm is None:
        return None
    return {"cold": spread_facts(cold, times), "warm": spread_facts(warm, times)}


def spread_facts(found: Spread, times: float = 1) -> SpreadFacts:
    """``times``: what each figure is multiplied by."""
    return {
        "count": found.count,
        "minimum": times * found.minimum,
        "median": times * found.median,
        "p95": None if found.p95 is None else times * found.p95,
        "p99": None if found.p99 is None else times * found.p99,
        "maximum": times * found.maximum,
        "jitter": times * found.jitter,
    }
