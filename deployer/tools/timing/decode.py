"""What the Cortex-M7's pipeline sees of an instruction: unit, registers, latency.

Written from publicly described pairing and latency rules of the core, not from Arm's documents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from deployer.choices import Word
from deployer.tools.timing.disassembly import Instruction

Registers = tuple[str, ...]


class Unit(Word):
    """Where an instruction executes. ``SHIFTED``: an ALU, with a shifted operand."""

    ALU = "alu"
    SHIFTED = "shifted"
    SIMD = "simd"
    MAC = "mac"
    LOAD = "load"
    STORE = "store"
    BRANCH = "branch"
    IT = "it"
    FLOAT = "float"


@dataclass(frozen=True)
class Micro:
    """``reads`` are needed at issue, ``accumulates`` a cycle later than a product's other operands,
    ``addresses`` and ``shifted`` a cycle earlier than an ALU operand, ``stores`` a cycle later.
    ``solo``: cycles during which nothing else issues. ``load``: "word", "part" or "".
    """

    unit: Unit
    writes: Registers = ()
    reads: Registers = ()
    accumulates: Registers = ()
    addresses: Registers = ()
    shifted: Registers = ()
    stores: Registers = ()
    updates: Registers = ()
    latency: int = 1
    solo: int = 0
    load: str = ""
    sets_flags: bool = False
    needs_flags: bool = False
    known: bool = True


_NAMES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12"}
_REGISTER = re.compile(r"\b(r\d+|sb|sl|fp|ip|sp|lr|pc|s\d+|d\d+)\b")
_SPAN = re.compile(r"\b([rsd])(\d+)-[rsd](\d+)")
_CONDITION = re.compile(r"^(.{2,}?)(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$")
_NOT_CONDITIONAL = {"muls", "lsls", "smulls", "teq", "adcs", "sbcs", "movs", "subs", "adds", "bics"}
_STEMS_OF_OTHERS = {"mul", "smlal", "umlal", "mvn", "svc", "ad", "teq", "l", "sm"}
_SINGLE_LOADS = {"ldr", "ldrb", "ldrh", "ldrsb", "ldrsh"}
_SINGLE_STORES = {"str", "strb", "strh"}
_ASK_AHEAD = "pld"
_SINGLE = _SINGLE_LOADS | _SINGLE_STORES | {_ASK_AHEAD}
_MANY = ("ldrd", "strd", "ldm", "stm", "push", "pop", "vldm", "vstm", "vpush", "vpop")
_LOADS_OF_MANY = ("ldrd", "ldm", "pop", "vldm", "vpop")
_ACCUMULATE = {
    *("smlad", "smladx", "smlsd", "mla", "mls", "smlabb", "smlabt", "smlatb", "smlatt"),
    *("smlawb", "smlawt", "smmla", "smmlar"),
}
_ACCUMULATE_LONG = {"smlal", "umlal", "smlald", "umaal"}
_MULTIPLY_LONG = {"smull", "umull"}
_MULTIPLY = {
    *("mul", "muls", "smuad", "smuadx", "smulbb", "smulbt", "smultb", "smultt"),
    *("smmul", "smmulr", "smulwb", "smulwt"),
}
_DIVIDE = {"sdiv", "udiv"}
_SIMD = re.compile(
    r"^([su]xta?[bh](16)?|pkh(bt|tb)|[su]sat(16)?|[su]bfx|bf[ic]|clz|rev|rev16|rbit|sel|qd?(add|sub)"
    r"|([suq]|sh|uh|uq)(add|sub)(8|16))$"
)
_PLAIN = re.compile(
    r"^(mov|mvn|add|sub|rsb|adc|sbc|and|orr|eor|bic|orn|lsl|lsr|asr|ror|neg|rrx|movw|movt|adr|addw"
    r"|subw|nop)s?$"
)
_SHIFT = re.compile(r"^(lsl|lsr|asr|ror|rrx)\b")
_BRANCHES = re.compile(r"^(bl?x?|cbn?z|tb[bh]|b(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le))$")
_WITHOUT_CONDITION = {"b", "bx", "bl", "blx", "cbz", "cbnz", "tbb", "tbh"}


def decode(instruction: Instruction) -> Micro:
    """``known`` is False where the table has no rule and an ALU operation is assumed."""
    return _decode(instruction.mnemonic, instruction.operands)


@cache
def _decode(mnemonic: str, operands: str) -> Micro:
    base, conditional = _without_condition(mnemonic.partition(".")[0])
    micro = _form(base, operands)
    if not conditional:
        return micro
    return replace(micro, reads=(*micro.reads, *micro.writes), needs_flags=True)


def _without_condition(base: str) -> tuple[str, bool]:
    match = _CONDITION.match(base)
    if match is None or base.startswith("b") or base in _NOT_CONDITIONAL:
        return base, False
    return (base, False) if match[1] in _STEMS_OF_OTHERS else (match[1], True)


def _form(base: str, operands: str) -> Micro:
    named = registers(operands)
    if base in _SINGLE:
        return _single(base, operands, named)
    if base.startswith(_MANY):
        return _many(base, operands, named)
    if product := _product(base, named):
        return product
    if _SIMD.match(base):
        reads = named if base in ("bfi", "bfc") else named[1:] or named
        return Micro(Unit.SIMD, named[:1], reads)
    if _BRANCHES.match(base):
        reads = named[:1] if base in ("cbz", "cbnz") else ()
        return Micro(Unit.BRANCH, reads=reads, needs_flags=base not in _WITHOUT_CONDITION)
    if base.startswith("it") and set(base[2:]) <= set("te"):
        return Micro(Unit.IT)
    if base.startswith("v"):
        return Micro(Unit.FLOAT, named[:1], named[1:], latency=3)
    return _arithmetic(base, operands, named)


def registers(text: str) -> Registers:
    """The registers a text names, in order, by their numbers."""
    return tuple(_NAMES.get(name, name) for name in _REGISTER.findall(text))


def _single(base: str, operands: str, named: Registers) -> Micro:
    match = re.search(r"\[(.*?)\](!?)(.*)$", operands)
    addresses = registers(match[0]) if match else ()
    writes_back = match is not None and bool(match[2] or match[3].strip().startswith(","))
    updates = addresses[:1] if writes_back else ()
    if base == _ASK_AHEAD:
        return Micro(Unit.LOAD, addresses=addresses)
    if base in _SINGLE_STORES:
        return Micro(Unit.STORE, stores=named[:1], addresses=addresses, updates=updates)
    load = "word" if base == "ldr" else "part"
    return Micro(Unit.LOAD, named[:1], addresses=addresses, updates=updates, load=load)


def _many(base: str, operands: str, named: Registers) -> Micro:
    if base in ("ldrd", "strd"):
        addresses = registers(operands[operands.index("[") :])
        moved: Registers = named[:2]
        back = "!" in operands or "]," in operands
    else:
        moved = _listed(operands)
        stacks = base.lstrip("v") in ("push", "pop")
        addresses, back = (("sp",) if stacks else named[:1]), stacks or "!" in operands
    cycles, updates = (len(moved) + 1) // 2, addresses[:1] if back else ()
    if base.startswith(_LOADS_OF_MANY):
        return Micro(
            Unit.LOAD, moved, addresses=addresses, updates=updates, solo=cycles, load="word"
        )
    return Micro(Unit.STORE, stores=moved, addresses=addresses, updates=updates, solo=cycles)


def _listed(operands: str) -> Registers:
    """The registers of a list in braces, spans filled in."""
    inside = operands[operands.index("{") :]
    between = (
        f"{kind}{number}"
        for kind, first, last in _SPAN.findall(inside)
        for number in range(int(first) + 1, int(last))
    )
    return (*registers(inside), *between)


def _product(base: str, named: Registers) -> Micro | None:
    if base in _ACCUMULATE:
        return Micro(Unit.MAC, named[:1], named[1:3], named[3:4], latency=2)
    if base in _ACCUMULATE_LONG:
        return Micro(Unit.MAC, named[:2], named[2:4], named[:2], latency=2)
    if base in _MULTIPLY_LONG:
        return Micro(Unit.MAC, named[:2], named[2:4], latency=2)
    if base in _MULTIPLY:
        return Micro(Unit.MAC, named[:1], named[1:3] or named, latency=2)
    if base in _DIVIDE:
        return Micro(Unit.MAC, named[:1], named[1:3], latency=6, solo=6)  # 12, the slowest
    return None


def _arithmetic(base: str, operands: str, named: Registers) -> Micro:
    if base in ("cmp", "cmn", "tst", "teq"):
        return Micro(Unit.ALU, reads=named, sets_flags=True)
    parts = [part.strip() for part in operands.split(",")]
    reads = named[1:] or named
    stem = base.removesuffix("s")
    if len(parts) == 2 and len(named) >= 2 and stem in ("add", "sub", "and", "orr", "eor"):
        reads = named
    shifted = registers(parts[-2]) if len(parts) > 2 and _SHIFT.match(parts[-1]) else ()
    return Micro(
        Unit.SHIFTED if shifted or (len(parts) > 2 and _SHIFT.match(parts[-1])) else Unit.ALU,
        named[:1],
        reads,
        shifted=shifted,
        sets_flags=base.endswith("s"),
        needs_flags=stem in ("adc", "sbc"),
        known=bool(_PLAIN.match(base)),
    )
