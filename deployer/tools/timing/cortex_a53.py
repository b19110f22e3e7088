"""An in-order, dual-issue model of the Cortex-A53: cycles of a block that repeats.

Two instructions issue in a cycle where units, lanes of NEON and operands let them. The caches are
ideal here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from deployer.tools.timing.a53_decode import decode
from deployer.tools.timing.a53_operation import Operation
from deployer.tools.timing.a53_rules import LANES, MEASURED, A53Rules, Chain, Result, Unit, Use
from deployer.tools.timing.disassembly import BasicBlock, Instruction, Issue

# repetitions between which a block is in its steady state
_WARM_REPETITIONS, _LONG_REPETITIONS = 8, 28
_LOADED = re.compile(r"\b(q\d+|v\d+\.(?:16b|8h|4s|2d))|\b[xwvdshb]\d+")  # the first of 128 bits
_ALWAYS_TAKEN = ("b", "bl", "br", "blr", "ret")


def block_cycles(instructions: Sequence[Instruction], rules: A53Rules = MEASURED) -> float:
    """Cycles an execution, the block repeated: in its steady state."""
    return _steady(tuple(decode(each) for each in instructions), rules)


def straight_cycles(instructions: Sequence[Instruction], rules: A53Rules = MEASURED) -> int:
    """Cycles of one execution from an empty pipeline until the next instruction issues alone."""
    pipeline = _Pipeline(rules)
    for each in instructions:
        pipeline.issue(decode(each))
    return pipeline.end


def issues(instructions: Sequence[Instruction], rules: A53Rules = MEASURED) -> tuple[Issue, ...]:
    """Where each instruction issues in the steady state, from the block's first cycle on."""
    pipeline = _Pipeline(rules)
    for _ in range(_WARM_REPETITIONS):
        for each in instructions:
            pipeline.issue(decode(each))
    found = tuple(pipeline.issue(decode(each)) for each in instructions)
    first = found[0].cycle if found else 0
    return tuple(Issue(each.cycle - first, each.younger) for each in found)


def block_total(block: BasicBlock, rules: A53Rules) -> float:
    """Core cycles of all executions of a block, with the alignments that were counted."""
    cycles = block_cycles(block.instructions, rules)
    if _is_taken(block):
        cycles = max(cycles, rules.taken_cycles)
    unaligned = sum(
        min(count / _accesses(block.instructions[index]), block.count)
        for index, count in block.unaligned
    )
    return cycles * block.count + unaligned * rules.unaligned_cycles


def _accesses(load: Instruction) -> int:
    """As how many the emulator counts it: 64 bits of a register at a time."""
    named = load.operands.split("[")[0]
    return sum(2 if found[1] else 1 for found in _LOADED.finditer(named)) or 1


def unknown(instructions: Iterable[Instruction]) -> frozenset[str]:
    """Mnemonics the model has no rule for."""
    return frozenset(each.mnemonic for each in instructions if not decode(each).known)


def _is_taken(block: BasicBlock) -> bool:
    """Whether its last instruction always branches, or to its first."""
    return block.loops or block.instructions[-1].mnemonic in _ALWAYS_TAKEN


@cache
def _steady(operations: tuple[Operation, ...], rules: A53Rules) -> float:
    pipeline, start = _Pipeline(rules), 0
    for repetition in range(_LONG_REPETITIONS):
        for operation in operations:
            pipeline.issue(operation)
        if repetition == _WARM_REPETITIONS - 1:
            start = pipeline.cycle
    return (pipeline.cycle - start) / (_LONG_REPETITIONS - _WARM_REPETITIONS)


@dataclass(frozen=True)
class _Made:
    """What wrote a register, or a part of it."""

    cycle: int
    result: Result
    chain: Chain


@dataclass
class _Pipeline:
    """The cycle in which instructions issue now, what issued in it, what wrote the registers."""

    rules: A53Rules
    cycle: int = 0
    older: Operation | None = None
    is_full: bool = False
    flags: int = 0
    made: dict[str, tuple[_Made, ...]] = field(default_factory=dict)
    sums: set[int] = field(default_factory=set)

    @property
    def end(self) -> int:
        return self.cycle + (self.is_full or self.older is not None)

    def issue(self, operation: Operation) -> Issue:
        self._advance(self._first_cycle(operation))
        while operation.adds and self.cycle in self.sums:
            self._advance(self.cycle + 1)
        alone = operation.alone
        cycles = operation.cycles
        if operation.pairwise:
            cycles, alone = self.rules.pairwise_cycles, self.rules.pairwise_cycles > 1
        if alone:
            return self._alone(operation, cycles)
        younger = self._pair(operation)
        self._write(operation, self.cycle)
        return Issue(self.cycle, younger)

    def _first_cycle(self, operation: Operation) -> int:
        """The first cycle in which all operands are there."""
        times = [
            self._ready(name, use, operation.chain)
            for use, names in operation.reads
            for name in names
        ]
        times += [each.cycle + 1 for name in operation.merges for each in self.made.get(name, ())]
        if operation.needs_flags and operation.unit != Unit.BRANCH:  # branches are predicted
            times.append(self.flags)
        return max(times, default=0)

    def _ready(self, name: str, use: Use, chain: Chain) -> int:
        return max((self._usable(each, use, chain) for each in self.made.get(name, ())), default=0)

    def _usable(self, made: _Made, use: Use, chain: Chain) -> int:
        if use == Use.TOTAL and chain and made.chain == chain:
            return made.cycle + self.rules.chained[chain]
        return made.cycle + self.rules.latencies[made.result].of(use)

    def _advance(self, cycle: int) -> None:
        if cycle > self.cycle:
            self.cycle, self.older, self.is_full = cycle, None, False
            self.sums = {each for each in self.sums if each >= cycle}

    def _alone(self, operation: Operation, cycles: int) -> Issue:
        if self.older or self.is_full:
            self._advance(self.cycle + 1)
        first = self.cycle
        self._write(operation, first)
        self._advance(first + cycles - 1)
        self.is_full = True
        return Issue(first, younger=False)

    def _pair(self, operation: Operation) -> bool:
        if self.older is not None and self._is_pair(self.older, operation):
            self.is_full, self.older = True, None
            return True
        if self.older is not None or self.is_full:
            self._advance(self.cycle + 1)
        while operation.adds and self.cycle in self.sums:
            self._advance(self.cycle + 1)
        self.older = operation
        return False

    def _is_pair(self, older: Operation, younger: Operation) -> bool:
        if younger.older_only or older.lanes + younger.lanes > LANES:
            return False
        if set(younger.merges) & {*older.writes, *older.merges}:
            return False
        return not younger.unit or younger.unit != older.unit

    def _is_early(self, operation: Operation) -> bool:
        """Whether the first ALU executes it: as the older, its operands there in time."""
        if not operation.simple or self.older is not operation:
            return False
        read = (name for _, names in operation.reads for name in names)
        return all(self._ready(name, Use.SHIFTED, Chain.NONE) <= self.cycle for name in read)

    def _write(self, operation: Operation, cycle: int) -> None:
        result = Result.EARLY if self._is_early(operation) else operation.result
        starts = operation.starts_chain and self.rules.multiply_chains
        chain = Chain.PRODUCTS if starts else operation.chain
        for index, name in enumerate(operation.writes):
            at = cycle + operation.delay + index * operation.later
            self.made[name] = (_Made(at, result, chain),)
        for name in operation.merges:
            part = _Made(cycle, result, chain)
            self.made[name] = (*self.made.get(name, ()), part)[-2:]
        for name in operation.updates:
            self.made[name] = (_Made(cycle, Result.UPDATE, Chain.NONE),)
        if operation.sets_flags:
            wait = (
                self.rules.float_flags_cycles if operation.float_flags else self.rules.flags_cycles
            )
            self.flags = cycle + wait
        if operation.adds_later:
            self.sums.add(cycle + self.rules.adder_distance)
