"""An A64 instruction as the pipeline of the Cortex-A53 sees it, and the registers in its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deployer.tools.timing.a53_rules import Chain, Result, Unit, Use

Registers = tuple[str, ...]
Reads = tuple[tuple[Use, Registers], ...]


@dataclass(frozen=True)
class Operation:
    """``reads``: registers by use. ``merges``: registers of which it writes a part. ``delay``:
    cycles that its results come later than ``result`` says; ``later``: that each further register
    of ``writes`` comes later than the one before. ``lanes`` of NEON that it takes. ``cycles`` it
    takes to issue, ``alone`` then. ``chain`` of accumulations it belongs to; ``starts_chain``: a
    product that could be the first of one. ``adds``: it needs the adder of floats, ``adds_later``:
    it will. ``simple``: an addition that shifts nothing."""

    result: Result = Result.ALU
    writes: Registers = ()
    reads: Reads = ()
    merges: Registers = ()
    updates: Registers = ()
    delay: int = 0
    later: int = 0
    lanes: int = 0
    unit: Unit = Unit.NONE
    older_only: bool = False
    alone: bool = False
    cycles: int = 1
    chain: Chain = Chain.NONE
    starts_chain: bool = False
    pairwise: bool = False
    adds: bool = False
    adds_later: bool = False
    simple: bool = False
    sets_flags: bool = False
    float_flags: bool = False
    needs_flags: bool = False
    known: bool = True


_REGISTER = re.compile(r"\b(?:([xw])(\d+)|(sp|wsp)|([vqdshb])(\d+))\b")
VECTOR = re.compile(r"\b[vqdshb]\d+\b")
_SPAN = re.compile(r"v(\d+)\.\w+-v(\d+)\.")


def registers(text: str) -> Registers:
    """The registers a text names, in order: x0, sp, v0 whatever part of them is meant; the zero
    register is none."""
    found = []
    for general, number, stack, _, vector in _REGISTER.findall(text):
        found.append(f"x{number}" if general else "sp" if stack else f"v{vector}")
    return tuple(found)


def listed(text: str) -> Registers:
    """The vector registers of a list in braces, spans filled in."""
    if span := _SPAN.search(text):
        first, last = int(span[1]), int(span[2])
        return tuple(f"v{(first + i) % 32}" for i in range((last - first) % 32 + 1))
    return registers(text)


def named(parts: tuple[str, ...]) -> Registers:
    return tuple(name for part in parts for name in registers(part))
