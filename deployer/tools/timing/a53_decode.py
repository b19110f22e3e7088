"""What the Cortex-A53's pipeline sees of an A64 instruction: units, registers, kind of result."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from deployer.tools.timing.a53_memory import load, store
from deployer.tools.timing.a53_operation import (
    VECTOR,
    Operation,
    Reads,
    listed,
    named,
    registers,
)
from deployer.tools.timing.a53_rules import Chain, Result, Unit, Use
from deployer.tools.timing.a53_vectors import Arithmetic, arithmetic_of, table_cycles
from deployer.tools.timing.disassembly import Instruction

_PART = re.compile(r",(?![^\[{]*[\]}])")
_BRANCHES = re.compile(r"^(b|bl|br|blr|ret|cbn?z|tbn?z|b\.\w+)$")
_LOADS = re.compile(r"^(ldu?r(s?[bhw])?|ldp(sw)?|ldn?p|prfum?|prfm|ld[1-4]r?|lda?x?r[bh]?)$")
_STORES = re.compile(r"^(stu?r[bh]?|stn?p|st[1-4]|stlx?r[bh]?)$")
_SHIFTS = re.compile(r"^(lsl|lsr|asr|ror)$")
_FIELDS = re.compile(
    r"^([su]xt[bhw]|[su]bfx|[su]bfiz|bfi|bfxil|bfc|extr|rev(16|32)?|rbit|[su]?bfm)$"
)
_KEEPS_REST = {"bfi", "bfxil", "bfc", "movk", "bfm"}
_SELECTS = re.compile(
    r"^(cs(el|inc|inv|neg|et|etm)|c(inc|inv|neg)|fcsel|adcs?|sbcs?|ngcs?|f?ccm[pn]e?)$"
)
_COMPARES = re.compile(r"^(cmp|cmn|tst|ccmp|ccmn)$")
_PLAIN = re.compile(
    r"^((add|sub|and|bic|neg|adc|sbc|ngc)s?|orr|eor|orn|eon|mvn|mov[znk]?|adrp?|cl[sz]|nop|hint)$"
)
_FLAGS = re.compile(r"^((add|sub|and|bic|neg|adc|sbc|ngc)s|cmp|cmn|tst|ccmp|ccmn)$")
_EXTENDS = re.compile(r"^(lsl|lsr|asr|ror|[su]xt[bhwx])\b")
_NARROW_PRODUCTS = re.compile(r"^[su](mull|mnegl|maddl|msubl)$")
_PRODUCTS = re.compile(r"^(mul|mneg|madd|msub|[su](mull|mnegl|maddl|msubl|mulh))$")
_WIDE_CYCLES = {"mul": 2, "msub": 2, "madd": 3, "mneg": 3}  # [I] throughput
_HIGH_CYCLES, _DIVIDE_CYCLES = 4, 8  # [I]; [G] of 2013


def decode(instruction: Instruction) -> Operation:
    """``known`` is False where the tables have no rule and an operation of the ALU, or a slow one
    of NEON, is assumed."""
    return _decode(instruction.mnemonic, instruction.operands)


@cache
def _decode(mnemonic: str, text: str) -> Operation:
    parts = tuple(part.strip() for part in _PART.split(text)) if text else ()
    if _BRANCHES.match(mnemonic):
        reads = registers(parts[0]) if mnemonic[0] in "ct" and parts else ()
        needs = mnemonic.startswith("b.")
        return Operation(reads=((Use.STORED, reads),), unit=Unit.BRANCH, needs_flags=needs)
    if _LOADS.match(mnemonic):
        return load(mnemonic, parts)
    if _STORES.match(mnemonic):
        return store(mnemonic, parts)
    if VECTOR.search(text):
        return _vector(mnemonic, parts)
    return _general(mnemonic, parts)


def _general(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    if _PRODUCTS.match(mnemonic):
        return _product(mnemonic, parts)
    if mnemonic in ("sdiv", "udiv"):
        reads = ((Use.ALU, named(parts[1:])),)
        writes = registers(parts[0])
        return Operation(Result.QUOTIENT, writes, reads, alone=True, cycles=_DIVIDE_CYCLES)
    if _SHIFTS.match(mnemonic) and len(parts) > 2 and not parts[2].startswith("#"):
        writes, read = registers(parts[0]), named(parts[1:])
        return Operation(writes=writes, reads=((Use.ALU, read),), unit=Unit.SHIFTER)
    if _SHIFTS.match(mnemonic) or _FIELDS.match(mnemonic):
        kept = registers(parts[0]) if mnemonic in _KEEPS_REST else ()
        fields: Reads = ((Use.SHIFTED, named(parts[1:])), (Use.ALU, kept))
        return Operation(writes=registers(parts[0]), reads=fields)
    return _plain(mnemonic, parts)


def _plain(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    compares = bool(_COMPARES.match(mnemonic))
    sources = parts if compares or mnemonic in _KEEPS_REST else parts[1:]
    extended = len(parts) > 2 and bool(_EXTENDS.match(parts[-1]))
    last = len(sources) - 2 if extended else len(sources)
    return Operation(
        writes=() if compares or not parts else registers(parts[0]),
        reads=((Use.ALU, named(sources[:last])), (Use.SHIFTED, named(sources[last:]))),
        simple=mnemonic in ("add", "sub") and not extended,
        sets_flags=bool(_FLAGS.match(mnemonic)),
        needs_flags=bool(_SELECTS.match(mnemonic)),
        known=bool(_PLAIN.match(mnemonic) or compares or _SELECTS.match(mnemonic)),
    )


def _product(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    reads = ((Use.FACTOR, named(parts[1:3])), (Use.SUM, named(parts[3:])))
    base = Operation(Result.PRODUCT, registers(parts[0]), reads, unit=Unit.MULTIPLIER)
    if mnemonic.endswith("mulh"):
        return replace(base, result=Result.HIGH_PRODUCT, alone=True, cycles=_HIGH_CYCLES)
    if parts[0].startswith("x") and not _NARROW_PRODUCTS.match(mnemonic):
        cycles = _WIDE_CYCLES[mnemonic]
        return replace(base, result=Result.WIDE_PRODUCT, alone=True, cycles=cycles)
    return base


def _vector(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    target, sources = parts[0], parts[1:]
    if mnemonic.startswith(("fcmp", "fccmp")):
        reads = ((Use.VECTOR, named(parts)),)
        return Operation(reads=reads, lanes=1, sets_flags=True, float_flags=True)
    if not VECTOR.match(target):
        return _taken(mnemonic, parts)
    general = bool(sources) and not VECTOR.search(" ".join(sources))
    if general and registers(" ".join(sources)):
        return _given(mnemonic, parts)
    return _arithmetic(mnemonic, parts, arithmetic_of(mnemonic, parts))


def _taken(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    """From a vector to a general register [Q: not beside 128-bit arithmetic]."""
    known = mnemonic in ("umov", "smov", "mov", "fmov") or mnemonic.startswith("fcvt")
    reads = ((Use.VECTOR, named(parts[1:])),)
    return Operation(Result.TAKEN, registers(parts[0]), reads, lanes=1, known=known)


def _given(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    """From a general register: one lane, two of them a cycle [Q, I]."""
    converts = "cvtf" in mnemonic
    known = converts or mnemonic in ("mov", "ins", "dup", "fmov")
    target = registers(parts[0])
    merges = "[" in parts[0]
    return Operation(
        Result.FULL if converts else Result.INSERTED,
        () if merges else target,
        ((Use.MOVED, named(parts[1:])),),
        merges=target if merges else (),
        lanes=1,
        known=known,
    )


def _arithmetic(mnemonic: str, parts: tuple[str, ...], found: Arithmetic) -> Operation:
    target = registers(parts[0])
    own = target if found.accumulates else ()
    tables = listed(parts[1]) if mnemonic in ("tbl", "tbx") else named(parts[1:2])
    read, added = (*tables, *named(parts[2:])), own
    if mnemonic in ("fmadd", "fmsub", "fnmadd", "fnmsub"):
        read, added = named(parts[1:3]), named(parts[3:])
    lookups = table_cycles(mnemonic, len(tables))
    cycles = max(found.cycles, lookups)
    return Operation(
        found.result,
        target,
        ((Use.VECTOR, read), (Use.TOTAL, added)),
        delay=lookups - 1,
        lanes=found.lanes,
        older_only=found.lanes == 2,
        alone=cycles > 1,
        cycles=cycles,
        chain=found.chain,
        starts_chain=found.starts_chain,
        pairwise=found.pairwise,
        adds=found.adds,
        adds_later=found.chain == Chain.FLOATS,
        needs_flags=mnemonic == "fcsel",
        known=found.known,
    )
