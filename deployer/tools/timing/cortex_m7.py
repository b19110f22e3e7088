"""An in-order, dual-issue model of the Cortex-M7: cycles of a block that repeats.

Two instructions issue in a cycle where ``issue_rules`` let them and their operands are there. The
caches are ideal here. The store buffer takes as many stores as the rules say before it slows them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from deployer.tools.timing.decode import Micro, decode
from deployer.tools.timing.disassembly import Instruction, Issue
from deployer.tools.timing.issue_rules import MEASURED, IssueRules, Latency, Result, Trait

# repetitions between which a block is in its steady state
_WARM_REPETITIONS, _LONG_REPETITIONS = 8, 28
_USES = ("late", "factor", "accumulator", "early", "stored")


@dataclass(frozen=True)
class BlockPrice:
    """``cycles``: an execution, the block repeated. ``younger``: which of its instructions issue in
    the second slot. ``flags_distance``: cycles from what sets the flags to the block's last
    instruction; 0 where nothing in it does."""

    cycles: float
    younger: frozenset[int]
    flags_distance: int


def block_cycles(
    instructions: Sequence[Instruction],
    rules: IssueRules = MEASURED,
    conflicts: frozenset[int] = frozenset(),
) -> float:
    """Cycles an execution, the block repeated: in its steady state. ``conflicts``: indices of loads
    whose bank is that of the load right before."""
    return price(instructions, rules, conflicts).cycles


def price(
    instructions: Sequence[Instruction],
    rules: IssueRules = MEASURED,
    conflicts: frozenset[int] = frozenset(),
    *,
    loops: bool = True,
) -> BlockPrice:
    """As ``block_cycles``, and where the instructions issue. A block that does not loop finds the
    store buffer empty: others ran in between."""
    return _steady(tuple(decode(each) for each in instructions), rules, conflicts, loops)


def issues(instructions: Sequence[Instruction], rules: IssueRules = MEASURED) -> tuple[Issue, ...]:
    """Where each instruction issues in the steady state, from the block's first cycle on."""
    pipeline, found = _Pipeline(rules, frozenset()), list[Issue]()
    for _ in range(_WARM_REPETITIONS + 1):
        found.clear()
        for index, each in enumerate(instructions):
            pipeline.issue(decode(each), index)
            found.append(Issue(pipeline.cycle, index in pipeline.younger))
    return tuple(Issue(each.cycle - found[0].cycle, each.younger) for each in found)


def stored_cycles(instructions: Iterable[Instruction], rules: IssueRules = MEASURED) -> float:
    """Cycles that the store buffer takes for the stores of a block, its least time."""
    micros = (decode(each) for each in instructions)
    sizes = [each.size for each in micros if each.size and Trait.STORE in each.traits]
    return sum(rules.store_cycles[size] for size in sizes) if rules.store_entries else 0.0


def unknown(instructions: Iterable[Instruction]) -> frozenset[str]:
    """Mnemonics the model has no rule for."""
    return frozenset(each.mnemonic for each in instructions if not decode(each).known)


@cache
def _steady(
    micros: tuple[Micro, ...], rules: IssueRules, conflicts: frozenset[int], loops: bool
) -> BlockPrice:
    pipeline, ends = _Pipeline(rules, conflicts), [0, 0]
    for repetition in range(_LONG_REPETITIONS):
        if not loops:
            pipeline.buffered.clear()
        for index, micro in enumerate(micros):
            pipeline.issue(micro, index)
        if repetition == _WARM_REPETITIONS - 1:
            ends[0] = pipeline.cycle
    ends[1] = pipeline.cycle
    cycles = (ends[1] - ends[0]) / (_LONG_REPETITIONS - _WARM_REPETITIONS)
    distance = pipeline.cycle - (pipeline.flags - 1) if pipeline.flags else 0
    return BlockPrice(cycles, frozenset(pipeline.younger), distance)


@cache
def _excluded(rules: IssueRules) -> frozenset[tuple[Trait, Trait]]:
    return frozenset((each.older, each.younger) for each in rules.no_pair)


@dataclass
class _Pipeline:
    """The cycle in which instructions issue now, and when results are there, by use."""

    rules: IssueRules
    conflicts: frozenset[int]
    cycle: int = 0
    older: Micro | None = None
    is_full: bool = False
    flags: int = 0
    ready: dict[str, dict[str, int]] = field(default_factory=lambda: {use: {} for use in _USES})
    buffered: deque[float] = field(default_factory=deque)
    younger: set[int] = field(default_factory=set)

    def issue(self, micro: Micro, index: int) -> None:
        self._advance(self._first_cycle(micro))
        if micro.solo:
            self._alone(micro.solo)
        else:
            self._pair(micro, index)
        if micro.size and Trait.STORE in micro.traits:
            self._buffer(micro.size)
        self._write(micro)

    def _first_cycle(self, micro: Micro) -> int:
        """The first cycle in which all operands are there."""
        early = (*micro.addresses, *micro.shifted)
        extracted_use = "early" if self.rules.extracted_early else "late"
        wanted = (
            ("late", micro.late),
            ("factor", micro.factors),
            ("accumulator", micro.accumulates),
            ("early", early),
            (extracted_use, micro.extracted),
            ("stored", micro.stores),
        )
        times = [self.ready[use].get(name, 0) for use, names in wanted for name in names]
        if micro.needs_flags and Trait.BRANCH not in micro.traits:  # branches are predicted
            times.append(self.flags)
        return max(times, default=0)

    def _advance(self, cycle: int) -> None:
        if cycle > self.cycle:
            self.cycle, self.older, self.is_full = cycle, None, False

    def _alone(self, cycles: int) -> None:
        if self.older or self.is_full:
            self._advance(self.cycle + 1)
        self._advance(self.cycle + cycles - 1)
        self.is_full = True

    def _pair(self, micro: Micro, index: int) -> None:
        if self.older is not None and self._is_pair(self.older, micro, index):
            self.is_full, self.older = True, None
            self.younger.add(index)
            return
        if self.older is not None or self.is_full:
            self._advance(self.cycle + 1)
        self.older = micro
        self.younger.discard(index)

    def _is_pair(self, older: Micro, younger: Micro, index: int) -> bool:
        if any(trait in self.rules.older_only for trait in younger.traits):
            return False
        if self.rules.banks and index in self.conflicts:
            return False
        pairs = ((a, b) for a in older.traits for b in younger.traits)
        return not any(pair in _excluded(self.rules) for pair in pairs)

    def _buffer(self, size: str) -> None:
        """A store issues where the buffer has room; an entry leaves it behind those before it."""
        if not self.rules.store_entries:
            return
        while len(self.buffered) >= self.rules.store_entries:
            self._advance(math.ceil(self.buffered.popleft()))
        start = max(self.cycle, self.buffered[-1] if self.buffered else 0)
        self.buffered.append(start + self.rules.store_cycles[size])
        while self.buffered and self.buffered[0] <= self.cycle:
            self.buffered.popleft()

    def _write(self, micro: Micro) -> None:
        result = Result.EARLY if self._is_early(micro) else micro.result
        self._set(micro.writes, self.rules.latencies[result])
        self._set(micro.updates, self.rules.latencies[Result.UPDATE])
        if micro.sets_flags:
            self.flags = self.cycle + 1

    def _is_early(self, micro: Micro) -> bool:
        """Whether the early ALU executes it: its slot allows that, its operands are there."""
        for trait in micro.traits & self.rules.early.keys():
            only_older = self.rules.early[trait]
            if only_older and self.older is not micro:
                return False
            return all(self.ready["early"].get(name, 0) <= self.cycle for name in micro.late)
        return False

    def _set(self, names: Iterable[str], latency: Latency) -> None:
        for use in _USES:
            for name in names:
                self.ready[use][name] = self.cycle + getattr(latency, use)
