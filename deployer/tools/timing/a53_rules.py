"""What issues beside what in a Cortex-A53, and how long results take: tables with their sources.

Sources:

- [I] ``insn_bench_aarch64`` of H. Suzuki, its results of a Raspberry Pi 3 (S. Hirschmann, 2025):
  latency and throughput of each instruction, measured on the board that is modelled.
- [Q] ``qsdr-benchmarks`` of D. Estevez: cycles of short sequences on a Cortex-A53, by its counter.
- [G] GCC's description of the core, contributed by Arm: ``config/arm/cortex-a53.md``.
- [L] LLVM's scheduling model: ``AArch64SchedA53.td``.
- [N] ncnn's developer guide, ``arm-a53-a55-dual-issue.md``.

"Older" is the instruction at the lower address of a pair. docs/cortex-a53.md tells where sources
disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from deployer.choices import IssuePairs, Word

LANES = 2  # of 64 bits: NEON and floating point work on so many a cycle [G, Q, I]


class Use(Word):
    """What an instruction does with a register it reads."""

    ALU = "alu"
    SHIFTED = "shifted"  # or extended, or a field of bits
    ADDRESS = "address"
    STORED = "stored"  # also what a branch compares with zero
    FACTOR = "factor"
    SUM = "sum"  # what an integer product is added to
    MOVED = "moved"  # into a vector register
    VECTOR = "vector"
    TOTAL = "total"  # what a NEON instruction accumulates in


class Result(Word):
    """How a result comes to be, which decides who can use it when."""

    ALU = "alu"
    EARLY = "early"  # of an addition whose operands were there a cycle before
    UPDATE = "update"  # of an address register, by a load or a store
    WIDE_LOAD = "wide load"  # 64 bits
    LOAD = "load"  # fewer, extended
    PRODUCT = "product"
    WIDE_PRODUCT = "wide product"  # 64 bits by 64
    HIGH_PRODUCT = "high product"  # the upper half of 128 bits
    QUOTIENT = "quotient"
    TAKEN = "taken"  # from a vector register
    LOGIC = "logic"
    SIMPLE = "simple"
    MIDDLE = "middle"
    FULL = "full"
    FUSED = "fused"  # floating-point multiply-accumulate
    INSERTED = "inserted"
    VECTOR_LOAD = "vector load"  # 64 bits
    WIDE_VECTOR_LOAD = "wide vector load"
    DIVIDED = "divided"


class Chain(Word):
    """Instructions whose result reaches the accumulator of their own kind early."""

    NONE = ""
    PRODUCTS = "products"  # MLA, SMLAL and the like
    FLOATS = "floats"  # FMLA, FMLS
    PAIRS = "pairs"  # SADALP, SABA: several steps each


class Unit(Word):
    """What takes one instruction a cycle."""

    NONE = ""
    MEMORY = "memory"
    MULTIPLIER = "multiplier"
    SHIFTER = "shifter"  # of a register by a register
    BRANCH = "branch"


@dataclass(frozen=True)
class Latency:
    """Cycles from the issue of an instruction to the first issue of one that uses its result."""

    alu: int
    shifted: int
    address: int
    stored: int
    factor: int
    sum: int
    moved: int
    vector: int = 0
    source: str = ""

    def of(self, use: Use) -> int:
        cycles: int = getattr(self, "vector" if use == Use.TOTAL else use.value)
        return cycles


def _vector(cycles: int, source: str) -> Latency:
    alu = (cycles,) * 7  # nothing but NEON and stores read it
    return Latency(*alu, vector=cycles, source=source)


@dataclass(frozen=True, eq=False)
class A53Rules:
    """``chained``: cycles from one accumulation to the next of its kind. ``pairwise_cycles``: of
    SADALP and UADALP, in which nothing else issues; 1 lets them pair as other arithmetic does.
    ``multiply_chains``: a product that accumulates nothing reaches an accumulator as early as one
    that does. ``taken_cycles``: the least from one taken branch to the next. ``adder_distance``:
    so many cycles after FMLA its sum takes the adder."""

    name: IssuePairs
    latencies: Mapping[Result, Latency]
    chained: Mapping[Chain, int]
    pairwise_cycles: int
    multiply_chains: bool
    taken_cycles: int = 3  # [I] b, bl, ret: one in three cycles
    adder_distance: int = 4  # [N] "no vector load on the 4th cycle"; [G] fpmac
    unaligned_cycles: float = 1.0  # [I] loads across 8 bytes; stores nothing
    flags_cycles: int = 1  # [G] until they can be selected by or added
    float_flags_cycles: int = 5  # [G]


_R = Result
SADALP_CYCLES = 2  # [I] 0.50 a cycle; no other source has it
_LATENCIES = {
    _R.ALU: Latency(1, 2, 3, 0, 1, 1, 2, source="[I] chains; [G, L] addresses; [G] stores, moves"),
    _R.EARLY: Latency(0, 1, 3, 0, 1, 1, 2, source="[Q] two additions, the second of the first's"),
    _R.UPDATE: Latency(1, 2, 3, 0, 1, 1, 2, source="[I] as an addition"),
    _R.WIDE_LOAD: Latency(2, 3, 3, 1, 2, 2, 3, source="[I] address; [G] others"),
    _R.LOAD: Latency(2, 3, 4, 1, 2, 2, 3, source="[I] address; [G] others"),
    _R.PRODUCT: Latency(2, 3, 4, 1, 3, 1, 3, source="[I] factor; [G] others"),
    _R.WIDE_PRODUCT: Latency(4, 5, 6, 3, 4, 3, 5, source="[I] 4, 5 with a sum"),
    _R.HIGH_PRODUCT: Latency(6, 7, 8, 5, 6, 5, 7, source="[I] 6"),
    _R.QUOTIENT: Latency(8, 9, 10, 7, 8, 8, 9, source="[G] of 2013; [I] 3 for the easiest"),
    _R.TAKEN: Latency(5, 6, 6, 3, 5, 5, 3, source="[G] 5; [I] 5 with the way back"),
    _R.LOGIC: _vector(1, "[I]"),
    _R.SIMPLE: _vector(2, "[I]"),
    _R.MIDDLE: _vector(3, "[I]"),
    _R.FULL: _vector(4, "[I, Q, G]"),
    _R.FUSED: _vector(8, "[I, G, L]"),
    _R.INSERTED: _vector(2, "[Q]"),
    _R.VECTOR_LOAD: _vector(3, "[Q, G]"),
    _R.WIDE_VECTOR_LOAD: _vector(4, "[Q, G]"),
    _R.DIVIDED: _vector(18, "[L]"),
}
MEASURED = A53Rules(
    name=IssuePairs.MEASURED,
    latencies=_LATENCIES,
    chained={Chain.PRODUCTS: 1, Chain.FLOATS: 4, Chain.PAIRS: 2},  # [I]; pairs: SABA's
    pairwise_cycles=SADALP_CYCLES,
    multiply_chains=False,
)
LOOSE = replace(
    MEASURED,
    name=IssuePairs.LOOSE,
    chained={Chain.PRODUCTS: 1, Chain.FLOATS: 4, Chain.PAIRS: 1},
    pairwise_cycles=1,
    multiply_chains=True,
)
"""What kernels would take if SADALP issued every cycle and SMULL forwarded to SMLAL."""

RULES = {rules.name: rules for rules in (MEASURED, LOOSE)}
