"""Estimated cycles of every step, from exact counts, the pipeline model and memory costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from deployer.board import Costs
from deployer.tools.timing.cortex_m7 import block_cycles, unknown
from deployer.tools.timing.disassembly import Program
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
    misses add. ``functions``: core cycles by function, most first. Instructions are exact."""

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

    @property
    def cycles(self) -> float:
        return self.core + self.memory


def estimate(found: Profile, costs: Costs) -> tuple[StepTime, ...]:
    return tuple(_step(found, step, costs) for step in found.steps)


def _step(found: Profile, step: StepProfile, costs: Costs) -> StepTime:
    by_function: dict[str, float] = defaultdict(float)
    for block in step.blocks:
        name = found.program.function_at(block.address)
        by_function[name] += block_cycles(block.instructions) * block.count
    counts = step.counts
    memory = (
        costs.misprediction * counts.mispredicted
        + costs.data_miss * counts.data_misses
        + costs.fetch_miss * counts.fetch_misses
    )
    return StepTime(
        index=step.index,
        instructions=counts.instructions,
        loads=counts.loads,
        stores=counts.stores,
        mispredicted=counts.mispredicted,
        data_misses=counts.data_misses,
        fetch_misses=counts.fetch_misses,
        core=sum(by_function.values()),
        memory=memory,
        functions=tuple(sorted(by_function.items(), key=lambda item: -item[1])),
        loop=_loop(found.program, step),
    )


def _loop(program: Program, step: StepProfile) -> Loop:
    if not step.blocks:
        return Loop("", 0.0, 0, ())
    block = max(step.blocks, key=lambda each: block_cycles(each.instructions) * each.count)
    return Loop(
        function=program.function_at(block.address),
        cycles=block_cycles(block.instructions),
        count=block.count,
        lines=tuple(f"{each.mnemonic} {each.operands}".rstrip() for each in block.instructions),
    )


def unknown_mnemonics(steps: Iterable[StepProfile]) -> tuple[str, ...]:
    """What ran and the pipeline model has no rule for; priced as ALU operations."""
    found = {
        name for step in steps for block in step.blocks for name in unknown(block.instructions)
    }
    return tuple(sorted(found))
