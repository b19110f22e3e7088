"""What the Cortex-M7's pipeline sees of an instruction: traits, registers, kind of result."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

from deployer.tools.timing.disassembly import Instruction
from deployer.tools.timing.issue_rules import Result, Trait

Registers = tuple[str, ...]


_NO_TRAITS: frozenset[Trait] = frozenset()


@dataclass(frozen=True)
class Micro:
    """``late``: registers that the late ALU reads; ``factors`` of a product, ``accumulates`` what
    it adds to. ``addresses`` and ``shifted`` are read in the early ALU, ``extracted`` (what a
    bit-field operation shifts) where the rules say so. ``stores``: a store's data; ``size``: of
    what is loaded or stored, "word", "half" or "byte". ``solo``: cycles in which nothing else
    issues.
    """

    traits: frozenset[Trait]
    result: Result = Result.LATE
    writes: Registers = ()
    late: Registers = ()
    factors: Registers = ()
    accumulates: Registers = ()
    addresses: Registers = ()
    shifted: Registers = ()
    extracted: Registers = ()
    stores: Registers = ()
    updates: Registers = ()
    size: str = ""
    solo: int = 0
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
_LOAD, _STORE = frozenset({Trait.LOAD}), frozenset({Trait.STORE})
_PRODUCT = frozenset({Trait.PRODUCT})
_SINGLE = _SINGLE_LOADS | _SINGLE_STORES | {_ASK_AHEAD}
_MANY = ("ldrd", "strd", "ldm", "stm", "push", "pop", "vldm", "vstm", "vpush", "vpop")
_LOADS_OF_MANY = ("ldrd", "ldm", "pop", "vldm", "vpop")
_HALVES = ("bb", "bt", "tb", "tt")
_ACCUMULATE = {
    *("smlad", "smladx", "smlsd", "smlsdx", "mla", "mls", "smlawb", "smlawt"),
    *("smmla", "smmlar", "smmls", "smmlsr", *(f"smla{each}" for each in _HALVES)),
}
_ACCUMULATE_LONG = {
    *("smlal", "umlal", "smlald", "smlaldx", "smlsld", "umaal"),
    *(f"smlal{each}" for each in _HALVES),
}
_MULTIPLY_LONG = {"smull", "umull"}
_MULTIPLY = {
    *("mul", "muls", "smuad", "smuadx", "smusd", "smusdx", "smmul", "smmulr", "smulwb", "smulwt"),
    *(f"smul{each}" for each in _HALVES),
}
_DIVIDE = {"sdiv", "udiv"}
_DIVIDE_CYCLES = 7  # [L] of 2 to 12
_DSP = re.compile(
    r"^([su]xta?[bh](16)?|pkh(bt|tb)|[su]sat(16)?|[su]bfx|bf[ic]|clz|rev|rev16|revsh|rbit|sel"
    r"|qd?(add|sub)|usada?8|([suq]|sh|uh|uq)(add|sub)(8|16)|([suq]|sh|uh|uq)(asx|sax))$"
)
_EARLY_BITS = re.compile(r"^([su]xta.*|pkh.*|[su]sat(16)?|[su]bfx|bf[ic]|rev|rev16|revsh|rbit)$")
_REVERSED = re.compile(r"^(rev|rev16|revsh|rbit)$")
_SATURATED = re.compile(r"^([su]sat(16)?|u?q.*|usada?8)$")
_SIMPLE = re.compile(r"^(mov|add|sub|addw|subw|movw|nop|adr)$")
_PLAIN_SHIFT = re.compile(r"^(lsl|lsr|asr|ror)s?$")
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
    return replace(micro, late=(*micro.late, *micro.writes), needs_flags=True)


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
    if _DSP.match(base):
        return _dsp(base, named)
    if _BRANCHES.match(base):
        late = named[:1] if base in ("cbz", "cbnz") else ()
        needs = base not in _WITHOUT_CONDITION
        return Micro(frozenset({Trait.BRANCH}), late=late, needs_flags=needs)
    if base.startswith("it") and set(base[2:]) <= set("te"):
        return Micro(frozenset({Trait.IT}))
    if base.startswith("v"):
        return Micro(frozenset({Trait.FLOAT}), Result.FLOAT, named[:1], named[1:])
    return _arithmetic(base, operands, named)


def _dsp(base: str, named: Registers) -> Micro:
    traits = {Trait.DSP, *({Trait.EARLY_BITS} if _EARLY_BITS.match(base) else ())}
    late, extracted = _extracted(base, named)
    result = Result.REVERSED if _REVERSED.match(base) else Result.DSP
    result = Result.SATURATED if _SATURATED.match(base) else result
    return Micro(frozenset(traits), result, named[:1], late, extracted=extracted)


def _extracted(base: str, named: Registers) -> tuple[Registers, Registers]:
    """What the late ALU reads and what the early one shifts."""
    read = named[1:] or named
    if base in ("bfi", "bfc"):
        return named[:1], named[1:]
    if base == "pkhtb" or not _EARLY_BITS.match(base):
        return ((), read) if base == "pkhtb" else (read, ())
    return read[:-1], read[-1:]


def registers(text: str) -> Registers:
    """The registers a text names, in order, by their numbers."""
    return tuple(_NAMES.get(name, name) for name in _REGISTER.findall(text))


def _single(base: str, operands: str, named: Registers) -> Micro:
    match = re.search(r"\[(.*?)\](!?)(.*)$", operands)
    addresses = registers(match[0]) if match else ()
    writes_back = match is not None and bool(match[2] or match[3].strip().startswith(","))
    updates = addresses[:1] if writes_back else ()
    if base == _ASK_AHEAD:
        return Micro(_LOAD, addresses=addresses)
    size = {"b": "byte", "h": "half"}.get(base[-1], "word")
    if base in _SINGLE_STORES:
        return Micro(_STORE, stores=named[:1], addresses=addresses, updates=updates, size=size)
    result = Result.WORD if base == "ldr" else Result.PART
    return Micro(_LOAD, result, named[:1], addresses=addresses, updates=updates, size=size)


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
        return Micro(_LOAD, Result.WORD, moved, addresses=addresses, updates=updates, solo=cycles)
    return Micro(_STORE, stores=moved, addresses=addresses, updates=updates, solo=cycles)


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
        return _multiplied(named[:1], named[1:3], named[3:4])
    if base in _ACCUMULATE_LONG:
        return _multiplied(named[:2], named[2:4], named[:2])
    if base in _MULTIPLY_LONG:
        return _multiplied(named[:2], named[2:4], ())
    if base in _MULTIPLY:
        return _multiplied(named[:1], named[1:3] or named, ())
    if base in _DIVIDE:
        return Micro(_PRODUCT, Result.QUOTIENT, named[:1], named[1:3], solo=_DIVIDE_CYCLES)
    return None


def _multiplied(writes: Registers, factors: Registers, accumulates: Registers) -> Micro:
    return Micro(_PRODUCT, Result.PRODUCT, writes, factors=factors, accumulates=accumulates)


def _arithmetic(base: str, operands: str, named: Registers) -> Micro:
    parts = [part.strip() for part in operands.split(",")]
    shifts = len(parts) > 2 and bool(_SHIFT.match(parts[-1]))
    shifted = registers(parts[-2]) if shifts else ()
    traits = _traits(base, shifts=shifts or _shifted_constant(base, parts[-1]))
    result = Result.SHIFTED if shifts else Result.LATE
    if base in ("cmp", "cmn", "tst", "teq"):
        return Micro(traits, result, (), named, shifted=shifted, sets_flags=True)
    stem = base.removesuffix("s")
    two_address = len(parts) == 2 and len(named) >= 2
    is_read = two_address and stem in ("add", "sub", "and", "orr", "eor")
    return Micro(
        traits,
        result,
        named[:1],
        named if is_read or stem == "movt" else named[1:] or _own(stem, named),
        shifted=shifted,
        sets_flags=base.endswith("s"),
        needs_flags=stem in ("adc", "sbc"),
        known=bool(_PLAIN.match(base)),
    )


def _own(stem: str, named: Registers) -> Registers:
    """What an operation of one register and a constant reads."""
    return () if stem in ("mov", "mvn", "movw", "adr") else named


def _traits(base: str, *, shifts: bool) -> frozenset[Trait]:
    if shifts:
        return frozenset({Trait.ALU, Trait.SHIFT})
    if _SIMPLE.match(base):
        return frozenset({Trait.ALU, Trait.SIMPLE})
    return frozenset({Trait.ALU, *({Trait.PLAIN_SHIFT} if _PLAIN_SHIFT.match(base) else ())})


_CONSTANT = re.compile(r"^#(-?)(0x[0-9a-f]+|\d+)$")
_WIDE_CONSTANTS = ("addw", "subw", "movw", "movt", "adr", "add", "sub", "nop")  # 12 or 16 bits


def _shifted_constant(base: str, text: str) -> bool:
    """A constant of more than eight bits that repeats no pattern of bytes."""
    match = _CONSTANT.match(text)
    if match is None or _PLAIN_SHIFT.match(base):
        return False
    value = int(match[2], 0)
    if value < 256 or (base in _WIDE_CONSTANTS and value < 4096) or base in ("movw", "movt"):
        return False
    low, high = value & 0xFF, value >> 8 & 0xFF
    return value not in (low * 0x00010001, high * 0x01000100, low * 0x01010101)
