"""An in-order, dual-issue model of the Cortex-M7: cycles of a block that repeats.

Two instructions issue in a cycle unless their units or results collide: at most one product, one
SIMD or bit-field operation, one ALU operation with a shifted operand, one store, one branch; two
loads or a load and a store; two ALU operations. A product's result is there after two cycles, for
the accumulator of the next product after one; a loaded word after one, for products and addresses
after two, as a loaded byte or halfword for everything. Memory is ideal here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from deployer.tools.timing.decode import Micro, Unit, decode
from deployer.tools.timing.disassembly import Instruction

_WARM_REPETITIONS, _LONG_REPETITIONS = (
    8,
    24,
)  # repetitions between which a block is in its steady state
_LIMITS = {
    Unit.ALU: 2,
    Unit.SHIFTED: 1,
    Unit.SIMD: 1,
    Unit.MAC: 1,
    Unit.FLOAT: 1,
    Unit.LOAD: 2,
    Unit.STORE: 1,
    Unit.BRANCH: 1,
    Unit.IT: 2,
}
_ALUS = (Unit.ALU, Unit.SHIFTED)
_MEMORY = (Unit.LOAD, Unit.STORE)


def block_cycles(instructions: Sequence[Instruction]) -> float:
    """Cycles an execution, the block repeated: in its steady state."""
    return _steady(tuple(decode(each) for each in instructions))


@cache
def _steady(micros: tuple[Micro, ...]) -> float:
    return (_run(micros, _LONG_REPETITIONS) - _run(micros, _WARM_REPETITIONS)) / (
        _LONG_REPETITIONS - _WARM_REPETITIONS
    )


def unknown(instructions: Iterable[Instruction]) -> frozenset[str]:
    """Mnemonics the model has no rule for."""
    return frozenset(each.mnemonic for each in instructions if not decode(each).known)


def _run(micros: Sequence[Micro], repeat: int) -> int:
    pipeline = _Pipeline()
    for _ in range(repeat):
        for micro in micros:
            pipeline.issue(micro)
    return pipeline.cycle + 1


@dataclass
class _Pipeline:
    """The cycle in which instructions issue now, and when results are there, by use."""

    cycle: int = 0
    slots: int = 0
    used: Counter[Unit] = field(default_factory=Counter)
    flags: int = 0
    plain: dict[str, int] = field(default_factory=dict)
    product: dict[str, int] = field(default_factory=dict)
    accumulator: dict[str, int] = field(default_factory=dict)
    address: dict[str, int] = field(default_factory=dict)

    def issue(self, micro: Micro) -> None:
        self._advance(self._ready(micro))
        if micro.solo:
            self._alone(micro.solo)
        else:
            self._pair(micro.unit)
        self._write(micro)

    def _ready(self, micro: Micro) -> int:
        """The first cycle in which all operands are there."""
        reads = self.product if micro.unit == Unit.MAC else self.plain
        times = [reads.get(r, 0) for r in micro.reads]
        times += [self.accumulator.get(r, 0) for r in micro.accumulates]
        times += [self.address.get(r, 0) for r in (*micro.addresses, *micro.shifted)]
        times += [self.plain.get(r, 0) - 1 for r in micro.stores]
        if micro.needs_flags and micro.unit != Unit.BRANCH:  # branches are predicted
            times.append(self.flags)
        return max(times, default=0)

    def _advance(self, cycle: int) -> None:
        if cycle > self.cycle:
            self.cycle, self.slots, self.used = cycle, 0, Counter()

    def _alone(self, cycles: int) -> None:
        if self.slots:
            self._advance(self.cycle + 1)
        self._advance(self.cycle + cycles - 1)
        self.slots = 2

    def _pair(self, unit: Unit) -> None:
        if self.slots >= 2 or self._taken(unit):
            self._advance(self.cycle + 1)
        self.used[unit] += 1
        self.slots += 1

    def _taken(self, unit: Unit) -> bool:
        for group in (_ALUS, _MEMORY):
            if unit in group and sum(self.used[each] for each in group) >= 2:
                return True
        return self.used[unit] >= _LIMITS[unit]

    def _write(self, micro: Micro) -> None:
        plain, product, accumulator, address = self._latencies(micro)
        for name in micro.writes:
            self._set(name, plain, product, accumulator, address)
        for name in micro.updates:
            self._set(name, 1, 1, 1, 1)
        if micro.sets_flags:
            self.flags = self.cycle + 1

    def _latencies(self, micro: Micro) -> tuple[int, int, int, int]:
        if micro.load:
            return (1 if micro.load == "word" else 2), 2, 2, 2
        if micro.unit == Unit.MAC:
            return micro.latency, micro.latency, 1, micro.latency + 1
        if micro.unit in (Unit.SIMD, Unit.SHIFTED):
            return 1, 1, 1, 2
        return (micro.latency,) * 4

    def _set(self, name: str, plain: int, product: int, accumulator: int, address: int) -> None:
        self.plain[name] = self.cycle + plain
        self.product[name] = self.cycle + product
        self.accumulator[name] = self.cycle + accumulator
        self.address[name] = self.cycle + address
