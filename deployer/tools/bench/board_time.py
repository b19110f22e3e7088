"""One model's time on a board: cycles of every layer from the board's own counter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployer.analysis import launches
from deployer.bundle_facts import LaunchRow
from deployer.pipeline import BUILD, SCHEDULE, Job, alone, execute
from deployer.tools.bench.facts import CyclesFacts
from deployer.tools.bench.markdown import geometry
from deployer_hil import Cycles, create, measure_cycles


@dataclass(frozen=True)
class LayerCycles:
    """One launch, measured: the first inference after a reset, and a later one."""

    name: str
    kernel: str
    geometry: str
    macs: int
    elements: int
    cold: int
    warm: int


@dataclass(frozen=True)
class BoardTime:
    """``caps``: what the device reads back. ``clock_hz`` is the board file's, and the chip's."""

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

    @property
    def total(self) -> CyclesFacts:
        """Of all layers."""
        return {
            "cold": sum(layer.cold for layer in self.layers),
            "warm": sum(layer.warm for layer in self.layers),
        }


def measure_model(job: Job, runner_options: Mapping[str, Any]) -> BoardTime:
    """Build, program, run. Raises what the stages and ``measure_cycles`` raise."""
    with alone(job):
        store = execute(job)
        bundle, schedule = store.get(BUILD), store.get(SCHEDULE)
        with create(job.runner, bundle, **runner_options) as device:
            found = measure_cycles(bundle, device, clock_hz=job.board.clock_hz)
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
    )


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
