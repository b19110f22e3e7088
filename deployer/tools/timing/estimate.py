"""Estimated cycles of every step, from exact counts, the pipeline model and memory costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from deployer.tools.timing.cortex_m7 import price, stored_cycles, unknown
from deployer.tools.timing.disassembly import BasicBlock, Program
from deployer.tools.timing.issue_rules import IssueRules
from deployer.tools.timing.machine import Machine
from deployer.tools.timing.profile import Profile, StepProfile

_NEVER_SHARE, _ALWAYS_SHARE = 0.05, 0.95  # of a block's executions


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


def estimate(found: Profile, machine: Machine) -> tuple[StepTime, ...]:
    return tuple(_step(found, step, machine) for step in found.steps)


def _step(found: Profile, step: StepProfile, machine: Machine) -> StepTime:
    by_function = _by_function(found.program, step, machine.rules)
    counts, costs = step.counts, machine.costs
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
        loop=_loop(found.program, step, machine.rules),
    )


def _by_function(program: Program, step: StepProfile, rules: IssueRules) -> dict[str, float]:
    """Core cycles by function, at least those of its stores in the store buffer."""
    issued: dict[str, float] = defaultdict(float)
    stored: dict[str, float] = defaultdict(float)
    for block in step.blocks:
        name = program.function_at(block.address)
        issued[name] += block_total(block, rules)
        stored[name] += stored_cycles(block.instructions, rules) * block.count
    return {name: max(cycles, stored[name]) for name, cycles in issued.items()}


def block_total(block: BasicBlock, rules: IssueRules) -> float:
    """Core cycles of all executions of a block: its price with the banks and alignments that were
    counted, less what flags that are set early save of its mispredictions."""
    loops = _is_loop(block)
    found = price(block.instructions, rules, _conflicts(block, _ALWAYS_SHARE), loops=loops)
    cycles = found.cycles * block.count
    sometimes = _conflicts(block, _NEVER_SHARE)
    if rules.banks and sometimes != _conflicts(block, _ALWAYS_SHARE):
        worst = price(block.instructions, rules, sometimes, loops=loops).cycles
        cycles += (worst - found.cycles) * _middle_share(block) * block.count
    cycles += sum(
        count
        * (rules.unaligned_younger_cycles if i in found.younger else rules.unaligned_older_cycles)
        for i, count in block.unaligned
    )
    is_early = 0 < rules.early_flags_distance <= found.flags_distance
    return cycles - block.mispredicted * rules.early_flags_save_cycles * is_early


def _is_loop(block: BasicBlock) -> bool:
    """Whether its last instruction branches to its first."""
    last = block.instructions[-1]
    return last.leaves and last.operands.split(", ")[-1] == f"{block.address:x}"


def _conflicts(block: BasicBlock, share: float) -> frozenset[int]:
    """The loads that more than a share of the executions found in the bank of the load before."""
    return frozenset(i for i, count in block.same_bank if count > share * block.count)


def _middle_share(block: BasicBlock) -> float:
    """How often the loads conflict that neither always do nor never."""
    shares = [count / block.count for _, count in block.same_bank]
    middle = [share for share in shares if _NEVER_SHARE < share <= _ALWAYS_SHARE]
    return sum(middle) / len(middle)


def _loop(program: Program, step: StepProfile, rules: IssueRules) -> Loop:
    if not step.blocks:
        return Loop("", 0.0, 0, ())
    block = max(step.blocks, key=lambda each: block_total(each, rules))
    return Loop(
        function=program.function_at(block.address),
        cycles=block_total(block, rules) / block.count,
        count=block.count,
        lines=tuple(f"{each.mnemonic} {each.operands}".rstrip() for each in block.instructions),
    )


def unknown_mnemonics(steps: Iterable[StepProfile]) -> tuple[str, ...]:
    """What ran and the pipeline model has no rule for; priced as ALU operations."""
    found = {
        name for step in steps for block in step.blocks for name in unknown(block.instructions)
    }
    return tuple(sorted(found))
