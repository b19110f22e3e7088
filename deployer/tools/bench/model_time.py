"""One model's time without a board: counted instructions and estimated cycles of every layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deployer.analysis import launches
from deployer.bundle_facts import LaunchRow
from deployer.ir import Schedule
from deployer.kernelset import by_symbol
from deployer.pipeline import BUILD, SCHEDULE, Job, alone, execute
from deployer.tools.bench.facts import LayerFacts, NetworkFacts
from deployer.tools.bench.markdown import geometry
from deployer.tools.timing import (
    Machine,
    StepTime,
    estimate,
    kernel_bytes,
    profile,
    unknown_mnemonics,
)


@dataclass(frozen=True)
class LayerTime:
    """One launch. ``elements``: written. ``floor``: estimated cycles that the multiplier or one
    pass over the weights takes at the least, None where nothing multiplies."""

    name: str
    op: str
    geometry: str
    kernel: str
    macs: int
    elements: int
    weight_bytes: int
    floor: float | None
    time: StepTime

    @property
    def facts(self) -> LayerFacts:
        """The row as JSON types."""
        time, loop = self.time, self.time.loop
        return {
            "name": self.name,
            "op": self.op,
            "geometry": self.geometry,
            "kernel": self.kernel,
            "macs": self.macs,
            "elements": self.elements,
            "weight_bytes": self.weight_bytes,
            "floor": self.floor,
            "index": time.index,
            "instructions": time.instructions,
            "loads": time.loads,
            "stores": time.stores,
            "mispredicted": time.mispredicted,
            "data_misses": time.data_misses,
            "fetch_misses": time.fetch_misses,
            "outer_misses": time.outer.missed,
            "streamed": time.outer.streamed,
            "streamed_misses": time.outer.streamed_missed,
            "core": time.core,
            "memory": time.memory,
            "functions": time.functions,
            "loop": {
                "function": loop.function,
                "cycles": loop.cycles,
                "count": loop.count,
                "lines": loop.lines,
            },
            "cycles": time.cycles,
        }


@dataclass(frozen=True)
class ModelTime:
    """A network on a machine. ``unknown``: mnemonics the model of the pipeline has no rule for;
    ``kernel_bytes``: code of all its kernels."""

    name: str
    sha256: str
    macs: int
    layers: tuple[LayerTime, ...]
    compiler: str
    flags: tuple[str, ...]
    tool: str
    unknown: tuple[str, ...]
    kernel_bytes: int

    @property
    def instructions(self) -> int:
        return sum(layer.time.instructions for layer in self.layers)

    @property
    def core(self) -> float:
        return sum(layer.time.core for layer in self.layers)

    @property
    def cycles(self) -> float:
        return sum(layer.time.cycles for layer in self.layers)

    @property
    def floor(self) -> float:
        return sum(layer.floor or 0.0 for layer in self.layers)

    @property
    def facts(self) -> NetworkFacts:
        """The network as JSON types, with its totals."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "macs": self.macs,
            "layers": [layer.facts for layer in self.layers],
            "compiler": self.compiler,
            "flags": self.flags,
            "tool": self.tool,
            "unknown": self.unknown,
            "kernel_bytes": self.kernel_bytes,
            "total": {
                "instructions": self.instructions,
                "core": self.core,
                "cycles": self.cycles,
                "floor": self.floor,
            },
        }


def time_model(job: Job, machine: Machine, *, name: str = "") -> ModelTime:
    """Build, run one inference under the profiler, estimate. Raises what the stages raise, and
    BenchError when the profiler fails or the run is not bit-exact."""
    with alone(job):
        return _timed(job, machine, name)


def _timed(job: Job, machine: Machine, name: str) -> ModelTime:
    store = execute(job)
    bundle, schedule = store.get(BUILD), store.get(SCHEDULE)
    found = profile(bundle, machine, prefix=job.target.toolchain.prefix)
    steps = estimate(found, machine)
    manifest, rows = bundle.manifest, bundle.manifest["steps"]
    return ModelTime(
        name=name or manifest["model"]["name"],
        sha256=manifest["model"]["sha256"],
        macs=sum(row["macs"] for row in rows),
        layers=_layers(schedule, rows, steps, _floor(job, rows, machine)),
        compiler=manifest["toolchain"]["compiler"],
        flags=tuple(manifest["toolchain"]["flags"]),
        tool=found.tool,
        unknown=unknown_mnemonics(found.steps, machine.pipeline),
        kernel_bytes=kernel_bytes(
            bundle.firmware,
            _sources(schedule),
            prefix=job.target.toolchain.prefix,
        ),
    )


def _sources(schedule: Schedule) -> set[str]:
    """The files of its kernels; those that several share once."""
    kernels = {step.kernel for step in schedule.steps if step.kernel}
    return {name for symbol in kernels for name in by_symbol(symbol).sources}


@dataclass(frozen=True)
class _Floor:
    """The least cycles of a product, and of a byte of weights that is read once."""

    product: float
    byte: float

    def of(self, macs: int, weights: int) -> float | None:
        return max(macs * self.product, weights * self.byte) if macs else None


def _floor(job: Job, steps: Sequence[LaunchRow], machine: Machine) -> _Floor:
    return _Floor(machine.pipeline.mac_cycles, _byte_cost(job, steps, machine))


def _byte_cost(job: Job, steps: Sequence[LaunchRow], machine: Machine) -> float:
    """Estimated cycles a byte of weights costs that is read once an inference and not copied: none
    in tightly coupled memory, and none where all of them stay in the cache."""
    base = job.target.memory(job.target.place.weights).base
    weights = sum(row["weight_bytes"] for row in steps)
    if weights <= machine.data.size or machine.tight[0] <= base < machine.tight[1]:
        return 0.0
    if (outer := machine.outer) is not None:
        stay = weights <= outer.cache.size
        return (outer.streamed if stay else outer.streamed_miss) / outer.cache.line
    return machine.costs.data_miss / machine.data.line


def _layers(
    schedule: Schedule,
    rows: Sequence[LaunchRow],
    steps: tuple[StepTime, ...],
    floor: _Floor,
) -> tuple[LayerTime, ...]:
    triples = zip(launches(schedule), rows, steps, strict=True)
    return tuple(
        _layer(geometry(schedule.graph, launch), row, step, floor) for launch, row, step in triples
    )


def _layer(text: str, row: LaunchRow, step: StepTime, floor: _Floor) -> LayerTime:
    macs, weights = row["macs"], max(0, row["weight_bytes"] - row["copied_bytes"])
    return LayerTime(
        name=row["name"],
        op=row["op"],
        geometry=text,
        kernel=row["kernel"],
        macs=macs,
        elements=math.prod(row["shape"]),
        weight_bytes=row["weight_bytes"],
        floor=floor.of(macs, weights),
        time=step,
    )
