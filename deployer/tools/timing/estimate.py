"""Estimated cycles of every step, from exact counts, the pipeline model and memory costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from deployer.tools.timing.counts import NO_OUTER, OuterCounts
from deployer.tools.timing.disassembly import Program
from deployer.tools.timing.machine import Machine
from deployer.tools.timing.memory_cost import memory_cycles
from deployer.tools.timing.pipelines import CORTEX_M7, Pipeline
from deployer.tools.timing.profile import Profile, StepProfile


@dataclass(frozen=True)
class Loop:
    """The block in which most of a step's core cycles go: ``cycles`` each of its ``count``
    executions; ``lines`` are its instructions."""

    function: str
    cycles: float
    count: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class StepTime:
    """``core``: cycles of the pipeline with ideal memory; ``memory``: what mispredictions and
    misses add; ``outer``: what the second cache had to do with them. ``functions``: core cycles by
    function, most first. Instructions are exact."""

    index: int
    instructions: int
    loads: int
    stores: int
    mispredicted: int
    data_misses: int
    fetch_misses: int
    core: float
    memory: float
    functions: tuple[tuple[str, float], ...]
    loop: Loop
    outer: OuterCounts = NO_OUTER

    @property
    def cycles(self) -> float:
        return self.core + self.memory


def estimate(found: Profile, machine: Machine) -> tuple[StepTime, ...]:
    return tuple(_step(found, step, machine) for step in found.steps)


def _step(found: Profile, step: StepProfile, machine: Machine) -> StepTime:
    by_function = _by_function(found.program, step, machine.pipeline)
    counts, core = step.counts, sum(by_function.values())
    return StepTime(
        index=step.index,
        instructions=counts.instructions,
        loads=counts.loads,
        stores=counts.stores,
        mispredicted=counts.mispredicted,
        data_misses=counts.data_misses,
        fetch_misses=counts.fetch_misses,
        core=core,
        memory=memory_cycles(counts, machine, core),
        outer=counts.outer,
        functions=tuple(sorted(by_function.items(), key=lambda item: -item[1])),
        loop=_loop(found.program, step, machine.pipeline),
    )


def _by_function(program: Program, step: StepProfile, pipeline: Pipeline) -> dict[str, float]:
    """Core cycles by function, at least those of its stores in the store buffer."""
    issued: dict[str, float] = defaultdict(float)
    stored: dict[str, float] = defaultdict(float)
    for block in step.blocks:
        name = program.function_at(block.address)
        issued[name] += pipeline.total(block)
        stored[name] += pipeline.stored(block)
    return {name: max(cycles, stored[name]) for name, cycles in issued.items()}


def _loop(program: Program, step: StepProfile, pipeline: Pipeline) -> Loop:
    if not step.blocks:
        return Loop("", 0.0, 0, ())
    block = max(step.blocks, key=pipeline.total)
    return Loop(
        function=program.function_at(block.address),
        cycles=pipeline.total(block) / block.count,
        count=block.count,
        lines=tuple(f"{each.mnemonic} {each.operands}".rstrip() for each in block.instructions),
    )


def unknown_mnemonics(
    steps: Iterable[StepProfile], pipeline: Pipeline = CORTEX_M7
) -> tuple[str, ...]:
    """What ran and the pipeline model has no rule for; priced as ALU operations."""
    blocks = (block for step in steps for block in step.blocks)
    return tuple(sorted({name for each in blocks for name in pipeline.unknown(each.instructions)}))
