"""A network on one to four threads without a board: each thread's work, counted, and the time that
a schedule of it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deployer import bundle
from deployer.analysis import launches
from deployer.build import Program
from deployer.bundle_facts import LaunchRow
from deployer.folders import write_folder
from deployer.pipeline import GENERATE, SCHEDULE, Job, alone, assemble, execute
from deployer.tools.bench.markdown import geometry
from deployer.tools.bench.model_time import LayerTime, time_model
from deployer.tools.bench.programs import FOLDER
from deployer.tools.timing import Machine, Part, memory_bound, parts_of_cores

HAND_OVER_MICROSECONDS = 2.0  # of a shared step, as codegen/small_steps.py has it; stated
MOST_THREADS = 4
_IN_TURN, _POOL = "cores_in_turn.c", "dpl_threads.c"


@dataclass(frozen=True)
class SharedStep:
    """``cycles`` and ``instructions``: of each thread, one of a step that one does alone.
    ``memory``: the least cycles in which memory gives what all threads ask for. ``hand_over``: what
    sharing the step costs, 0 where it is not shared."""

    name: str
    op: str
    geometry: str
    kernel: str
    macs: int
    instructions: tuple[int, ...]
    cycles: tuple[float, ...]
    memory: float
    hand_over: float

    @property
    def time(self) -> float:
        """Cycles until the last thread is done."""
        return max(0.0, self.memory, *self.cycles) + self.hand_over


@dataclass(frozen=True)
class SharedNetwork:
    """A network on ``threads``."""

    threads: int
    steps: tuple[SharedStep, ...]

    @property
    def time(self) -> float:
        return sum(step.time for step in self.steps)

    @property
    def instructions(self) -> int:
        return sum(sum(step.instructions) for step in self.steps)


def shared_network(job: Job, machine: Machine) -> SharedNetwork:
    """The network of ``job`` on the threads that its options state. Raises what the stages raise,
    and BenchError when the profiler fails or a step is not golden."""
    threads = job.target.threads
    if threads == 1:
        timed = time_model(job, machine)
        return SharedNetwork(1, tuple(_alone(layer, machine) for layer in timed.layers))
    with alone(job):
        store = execute(job, last=GENERATE)
        folder = job.folder / "in-turn"
        write_folder(folder, lambda work: assemble(job, store, work, adapt=_in_turn))
        image = bundle.read(folder)
        turns = [f"turn_{core}" for core in range(threads)]
        parts = parts_of_cores(image, machine, turns, prefix=job.target.toolchain.prefix)
        rows, schedule = image.manifest["steps"], store.get(SCHEDULE)
    shapes = [geometry(schedule.graph, launch) for launch in launches(schedule)]
    steps = (
        _shared(row, shape, [part for part in parts if part.time.index == index], machine)
        for index, (row, shape) in enumerate(zip(rows, shapes, strict=True))
    )
    return SharedNetwork(threads, tuple(steps))


def _in_turn(program: Program) -> Program:
    """``program`` with cores that have turns in place of threads."""
    kept = (source for source in program.sources if source.name != _POOL)
    return replace(program, sources=(*kept, FOLDER / _IN_TURN))


def _alone(layer: LayerTime, machine: Machine) -> SharedStep:
    time = layer.time
    return SharedStep(
        name=layer.name,
        op=layer.op,
        geometry=layer.geometry,
        kernel=layer.kernel,
        macs=layer.macs,
        instructions=(time.instructions,),
        cycles=(time.cycles,),
        memory=memory_bound(time.outer, machine),
        hand_over=0.0,
    )


def _shared(row: LaunchRow, shape: str, parts: Sequence[Part], machine: Machine) -> SharedStep:
    cores = sorted({part.core for part in parts})
    times = [[part.time for part in parts if part.core == core] for core in cores]
    hand_over = HAND_OVER_MICROSECONDS * 1e-6 * machine.clock_hz
    return SharedStep(
        name=row["name"],
        op=row["op"],
        geometry=shape,
        kernel=row["kernel"],
        macs=row["macs"],
        instructions=tuple(sum(time.instructions for time in each) for each in times),
        cycles=tuple(sum(time.cycles for time in each) for each in times),
        memory=sum(memory_bound(part.time.outer, machine) for part in parts),
        hand_over=hand_over if len(cores) > 1 else 0.0,
    )
