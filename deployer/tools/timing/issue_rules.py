"""What may issue beside what on a Cortex-M7, and when a result can be used: tables with sources.

Sources:

- [B] measurements of a board by others, STM32H743 rev Y, with the core's cycle counter: the public
  notes "pipeline cycle test" of jnk0le, January 2026. A second public series agrees on slots and
  shifts; it also counts sign and zero extensions as shifts, which is not followed here.
- [L] LLVM's scheduling model of the core, written by Arm: ``ARMScheduleM7.td``.

"Older" is the instruction at the lower address of a pair. The core has an early ALU (EX1: shifts,
addresses) and a late one (EX2), a cycle apart; products add in EX3, stores take their data last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deployer.choices import IssuePairs, Word


class Trait(Word):
    """What an instruction is, as far as pairing goes; it may be several."""

    ALU = "alu"
    SIMPLE = "simple"  # add, sub, mov without a shift
    PLAIN_SHIFT = "plain shift"  # lsl, lsr, asr, ror as instructions
    SHIFT = "shift"  # an inline shifted register or a shifted constant
    DSP = "dsp"  # SIMD and bit-field operations that do not multiply
    EARLY_BITS = "early bits"  # those of them that use the early shifter
    PRODUCT = "product"
    FLOAT = "float"
    LOAD = "load"
    STORE = "store"
    BRANCH = "branch"
    IT = "it"


class Result(Word):
    """How a result comes to be, which decides who can use it when."""

    LATE = "late"
    SHIFTED = "shifted"
    EARLY = "early"
    UPDATE = "update"
    WORD = "word"
    PART = "part"
    PRODUCT = "product"
    DSP = "dsp"
    REVERSED = "reversed"
    SATURATED = "saturated"
    QUOTIENT = "quotient"
    FLOAT = "float"


@dataclass(frozen=True)
class Latency:
    """Cycles from the issue of an instruction to the first issue of one that uses its result: in
    the late ALU, as a factor, as an accumulator, in the early ALU or an address, as a store's data.
    """

    late: int
    factor: int
    accumulator: int
    early: int
    stored: int
    source: str = ""


@dataclass(frozen=True)
class NoPair:
    """``older`` and ``younger`` never issue in one cycle."""

    older: Trait
    younger: Trait
    source: str


@dataclass(frozen=True, eq=False)
class IssueRules:
    """``older_only``: never the younger instruction of a pair. ``early``: traits that execute in
    the early ALU when their operands are there, and whether from the older slot alone.
    ``extracted_early``: bit-field operations take the register they shift in the early ALU.
    ``store_cycles``: of an entry of the store buffer, by size of the data. The cycles of an
    unaligned load add to the instruction's."""

    name: IssuePairs
    no_pair: tuple[NoPair, ...]
    latencies: Mapping[Result, Latency]
    older_only: Mapping[Trait, str] = field(default_factory=dict)
    early: Mapping[Trait, bool] = field(default_factory=dict)
    extracted_early: bool = False
    banks: bool = False
    store_cycles: Mapping[str, float] = field(default_factory=dict)
    store_entries: int = 0
    unaligned_older_cycles: float = 0.0
    unaligned_younger_cycles: float = 0.0
    early_flags_save_cycles: float = 0.0  # of a misprediction
    early_flags_distance: int = 0  # cycles before the branch
    replaces_randomly: bool = False  # lines of the caches


def _both(one: Trait, other: Trait, source: str) -> tuple[NoPair, ...]:
    turned = () if one == other else (NoPair(other, one, source),)
    return (NoPair(one, other, source), *turned)


_T, _R = Trait, Result
_ALWAYS = (
    *_both(_T.DSP, _T.DSP, "[B, L] one SIMD and bit-field unit"),
    *_both(_T.PRODUCT, _T.PRODUCT, "[B, L] one multiplier"),
    *_both(_T.SHIFT, _T.SHIFT, "[B] operand2: one inline shift or shifted constant a cycle"),
    *_both(_T.STORE, _T.STORE, "[B, L] one store a cycle"),
    *_both(_T.BRANCH, _T.BRANCH, "[L] one branch a cycle"),
    *_both(_T.FLOAT, _T.FLOAT, "[B] arithmetic of floats never pairs with itself"),
)
MEASURED = IssueRules(
    name=IssuePairs.MEASURED,
    no_pair=(
        *_ALWAYS,
        *_both(_T.PRODUCT, _T.STORE, "[B] without any dependency"),
        *_both(_T.SHIFT, _T.EARLY_BITS, "[B] one early shifter"),
        NoPair(_T.PLAIN_SHIFT, _T.SHIFT, "[B] operand2 matrix; the other order pairs"),
    ),
    older_only={_T.DSP: "[B] must be the older one; [L] BeginGroup"},
    early={_T.SIMPLE: True, _T.PLAIN_SHIFT: False},
    extracted_early=True,
    banks=True,
    latencies={
        _R.LATE: Latency(1, 1, 0, 2, 0, "[B, L] accumulators a cycle later than the late ALU"),
        _R.SHIFTED: Latency(1, 1, 0, 2, 0, "[B, L]"),
        _R.EARLY: Latency(0, 0, 0, 1, 0, "[B] early results reach the late ALU in their cycle"),
        _R.UPDATE: Latency(0, 0, 0, 1, 0, "[B, L] base updates come out of EX1"),
        _R.WORD: Latency(1, 2, 1, 2, 0, "[B] not as a factor in the next cycle; stored in its own"),
        _R.PART: Latency(2, 2, 1, 3, 0, "[B] bytes and halfwords one more; [L] latency 2"),
        _R.PRODUCT: Latency(2, 2, 1, 3, 1, "[B] one more cycle; accumulators chain every cycle"),
        _R.DSP: Latency(1, 1, 0, 2, 0, "[B] one more before an address; [L] latency 1"),
        _R.REVERSED: Latency(0, 0, 0, 2, 0, "[B, L] early, not for an address or shift next cycle"),
        _R.SATURATED: Latency(2, 2, 2, 3, 1, "[L] latency 2 of SSAT, USAT, QADD and the like"),
        _R.QUOTIENT: Latency(1, 1, 1, 2, 1, "[L] stalls for its latency of 7"),
        _R.FLOAT: Latency(3, 3, 3, 3, 1, "[B] three cycles to the next operand"),
    },
    store_cycles={"word": 1.0, "half": 2.0, "byte": 2.4},  # [B]; a core with ECC measured them
    store_entries=5,  # [B] so many issue freely
    unaligned_older_cycles=3.0,  # [B]
    unaligned_younger_cycles=4.0,  # [B]
    early_flags_save_cycles=2.0,  # [B] 8 cycles, 6 where flags are set in time
    early_flags_distance=3,
    replaces_randomly=True,  # reported of this chip; its manuals were not read for it
)
LOOSE = IssueRules(
    name=IssuePairs.LOOSE,
    no_pair=_ALWAYS,
    latencies={
        **dict.fromkeys((_R.LATE, _R.EARLY, _R.UPDATE), Latency(1, 1, 1, 1, 0)),
        **dict.fromkeys((_R.SHIFTED, _R.DSP), Latency(1, 1, 1, 2, 0)),
        **dict.fromkeys((_R.REVERSED, _R.SATURATED), Latency(1, 1, 1, 2, 0)),
        _R.WORD: Latency(1, 2, 2, 2, 0),
        _R.PART: Latency(2, 2, 2, 2, 1),
        _R.PRODUCT: Latency(2, 2, 1, 3, 1),
        _R.QUOTIENT: Latency(6, 6, 1, 7, 5),
        _R.FLOAT: Latency(3, 3, 3, 3, 2),
    },
)
"""Pairing rules that were described before those measurements: operations in either slot, memory
without banks. They stay for one release, so that earlier figures can be repeated."""

RULES = {rules.name: rules for rules in (MEASURED, LOOSE)}
