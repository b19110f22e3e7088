"""One model's time on a board: counts of every layer, latencies, and energy where a meter is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deployer.analysis import launches
from deployer.bundle import Bundle
from deployer.bundle_facts import LaunchRow
from deployer.pipeline import BUILD, SCHEDULE, Job, Store, alone, complete, execute
from deployer.tools.bench.board_facts import CyclesFacts
from deployer.tools.bench.markdown import geometry
from deployer.tools.timing import pipeline_of
from deployer.units import CounterUnit, FigureKind
from deployer_hil import (
    Cycles,
    EnergyFacts,
    Load,
    Runner,
    RunRecord,
    SerialLog,
    Source,
    Throughput,
    create,
    energy_figures,
    measure_cycles,
    measure_energy,
    measure_throughput,
    prove,
    throughput_facts,
)


@dataclass(frozen=True)
class LayerCycles:
    """One launch: the first inference after a reset, and a later one."""

    name: str
    kernel: str
    geometry: str
    macs: int
    elements: int
    cold: int
    warm: int


@dataclass(frozen=True)
class BoardTime:
    """``caps``: what the device reads back. ``clock_hz`` is the board file's, and the chip's.
    ``kind``, ``unit``: of the counts. ``mac_cycles``: the least a MAC takes by the model of the
    core, None where cycles are not counted or the core has no model. ``point``: the operating
    point, "" for the board's own. ``record``: None where none was asked for."""

    name: str
    sha256: str
    board: str
    clock_hz: int
    macs: int
    layers: tuple[LayerCycles, ...]
    compiler: str
    flags: tuple[str, ...]
    tool: str
    caps: Mapping[str, str]
    kind: FigureKind
    unit: CounterUnit
    mac_cycles: float | None
    throughput: Throughput
    energy: EnergyFacts | None
    point: str = ""
    record: RunRecord | None = None

    @property
    def total(self) -> CyclesFacts:
        """Of all layers."""
        return {
            "cold": sum(layer.cold for layer in self.layers),
            "warm": sum(layer.warm for layer in self.layers),
        }


def measure_model(
    job: Job,
    runner_options: Mapping[str, Any],
    load: Load,
    source: Source | None = None,
    log: SerialLog | None = None,
) -> BoardTime:
    """Build, program, run; ``source`` measures energy too. With a ``log`` the network is proven as
    well, and all of it is a record. Raises what the stages, the device and the meter raise."""
    with alone(job):
        store = execute(job)
        bundle, schedule = store.get(BUILD), store.get(SCHEDULE)
        with create(job.runner, bundle, **runner_options) as device:
            energy = _energy(job, bundle, device, source, log)
            found = measure_cycles(bundle, device, clock_hz=job.board.clock_hz)
            throughput = measure_throughput(bundle, device, load, progress=job.progress, log=log)
            proven = prove(bundle, device, progress=job.progress, log=log) if log else None
        record = _record(job, store, proven, throughput, energy) if proven else None
    manifest = bundle.manifest
    shapes = [geometry(schedule.graph, launch) for launch in launches(schedule)]
    return BoardTime(
        name=manifest["model"]["name"],
        sha256=manifest["model"]["sha256"],
        board=job.board.name,
        clock_hz=job.board.clock_hz,
        macs=sum(row["macs"] for row in manifest["steps"]),
        layers=_layers(manifest["steps"], shapes, found),
        compiler=manifest["toolchain"]["compiler"],
        flags=tuple(manifest["toolchain"]["flags"]),
        tool=found.tool,
        caps=found.caps,
        kind=found.kind,
        unit=found.unit,
        mac_cycles=_mac_cycles(job) if found.unit == CounterUnit.CYCLES else None,
        throughput=throughput,
        energy=energy,
        point=job.board.point,
        record=record,
    )


def _record(
    job: Job,
    store: Store,
    proven: RunRecord,
    throughput: Throughput,
    energy: EnergyFacts | None,
) -> RunRecord:
    times = dict(throughput_facts(throughput))
    whole = replace(proven, throughput=times, energy=dict(energy) if energy else None)
    return complete(job, store, whole)[1]


def _energy(
    job: Job, bundle: Bundle, device: Runner, source: Source | None, log: SerialLog | None
) -> EnergyFacts | None:
    """First, since it refuses an emulator at once."""
    if source is None:
        return None
    found = measure_energy(bundle, device, source, progress=job.progress, log=log)
    return energy_figures(source.name, found.energy)


def _mac_cycles(job: Job) -> float | None:
    timing = job.board.timing
    return pipeline_of(timing.pipeline).mac_cycles if timing and job.board.cores == 1 else None


def _layers(rows: Sequence[LaunchRow], shapes: list[str], found: Cycles) -> tuple[LayerCycles, ...]:
    return tuple(
        LayerCycles(
            name=row["name"],
            kernel=row["kernel"],
            macs=row["macs"],
            geometry=shape,
            elements=math.prod(row["shape"]),
            cold=cold,
            warm=warm,
        )
        for row, shape, cold, warm in zip(rows, shapes, found.cold, found.warm, strict=True)
    )
