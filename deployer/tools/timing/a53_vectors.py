"""NEON and floating-point arithmetic on a Cortex-A53: lanes, latencies, accumulation.

Latencies and throughputs are those measured on a Raspberry Pi 3, source [I] of a53_rules.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deployer.tools.timing.a53_rules import Chain, Result


@dataclass(frozen=True)
class Arithmetic:
    """``lanes`` of 64 bits. ``accumulates``: it reads what it writes. ``pairwise``: SADALP and
    UADALP. ``adds``: in the adder of floats."""

    result: Result
    lanes: int
    cycles: int = 1
    accumulates: bool = False
    chain: Chain = Chain.NONE
    starts_chain: bool = False
    pairwise: bool = False
    adds: bool = False
    known: bool = True


_WIDE = re.compile(r"\.(16b|8h|4s|2d|1q)\b|\bq\d+\b")
_LOGIC = r"and|orr|eor|bic|orn|not|mvn|mov|movi|mvni|fmov"
_SIMPLE = (
    r"add|sub|neg|[su]r?hadd|[su]hsub|[su](max|min)p?|cm(eq|ge|gt|le|lt|hi|hs)|shl|[su]shl|[su]?shll2?"
    r"|[su]xtl2?|[su]shr|sli|sri|ext|(trn|zip|uzp)[12]|rev(16|32|64)|dup|ins|tbl|tbx|clz|cnt|rbit"
    r"|bsl|bif|bit|xtn2?|shrn2?|f?csel|f(ac|cm)(eq|ge|gt|le|lt)"
)
_MIDDLE = (
    r"[su]q(add|sub)|suqadd|usqadd|abs|[su]abd|[su]abdl2?|[su](add|sub)[lw]2?|[su]addlp|addp|addv"
    r"|[su]addlv|(add|sub)hn2?|[su]rsh[lr]|[su]sra|rshrn2?|sqneg|cls|cmtst|pmull?2?"
)
_FULL = (
    r"[su]?q(xtu?n|r?shru?n)2?|sqr?shrun2?|[su]qr?shl|sqshlu|sqabs|mul|[su]mull2?|sqr?dmulh|sqdmull2?"
    r"|ml[as]|[su]ml[as]l2?|sqdml[as]l2?|[su](max|min)v|r(add|sub)hn2?|[su]abal?2?|[su]adalp|[su]rsra"
    r"|f(add|sub|abd|abs|neg|mul|mulx|nmul)p?|f(max|min)(nm)?[pv]?|frint\w|fcvt\w*|[su]cvtf|frecp[ex]"
    r"|frsqrte|u(recpe|rsqrte)"
)
_FUSED = r"fml[as]|fn?m(add|sub)|frecps|frsqrts"
_GROUPS = (
    (Result.LOGIC, re.compile(f"^({_LOGIC})$")),
    (Result.SIMPLE, re.compile(f"^({_SIMPLE})$")),
    (Result.MIDDLE, re.compile(f"^({_MIDDLE})$")),
    (Result.FULL, re.compile(f"^({_FULL})$")),
    (Result.FUSED, re.compile(f"^({_FUSED})$")),
    (Result.DIVIDED, re.compile(r"^(fdiv|fsqrt)$")),
)
_NARROWS = re.compile(r"^(xtn|[su]q(xtu?n|r?shru?n)|sqxtun|sqr?shrun|r?shrn)2?$")
_MERGES = re.compile(
    r"^(ml[as]|[su]ml[as]l2?|sqdml[as]l2?|fml[as]|[su]adalp|[su]abal?2?|[su]r?sra|sli|sri|bsl|bif|bit"
    r"|tbx|suqadd|usqadd|ins|(xtn|[su]q(xtu?n|r?shru?n)|sqxtun|sqr?shrun|r?shrn|r?(add|sub)hn)2)$"
)
_TWO_CYCLES = re.compile(r"^(r(add|sub)hn2?|[su]abal?2?|[su]rsra)$")
_PRODUCTS = re.compile(r"^(ml[as]|[su]ml[as]l2?)$")
_MULTIPLIES = re.compile(r"^(mul|[su]mull2?)$")
_FLOATS = re.compile(r"^(fml[as]|fn?m(add|sub))$")
_PAIRS = re.compile(r"^([su]adalp|[su]abal?2?)$")
_ADDS = re.compile(r"^f(add|sub|abd)p?$")
_DIVIDE_CYCLES = 14  # [L] of single precision


def lanes_of(parts: Iterable[str]) -> int:
    """2 where a register of 128 bits is meant, else 1."""
    return 2 if any(_WIDE.search(part) for part in parts) else 1


def arithmetic_of(mnemonic: str, parts: tuple[str, ...]) -> Arithmetic:
    result = next((kind for kind, group in _GROUPS if group.match(mnemonic)), None)
    by_element = mnemonic == "mov" and "[" in parts[0]
    lanes = 1 if _NARROWS.match(mnemonic) else lanes_of(parts)
    pairwise = mnemonic in ("sadalp", "uadalp")
    return Arithmetic(
        result=Result.SIMPLE if by_element else result or Result.FULL,
        lanes=2 if by_element or mnemonic == "fcsel" else lanes,
        cycles=_cycles(mnemonic),
        accumulates=by_element or bool(_MERGES.match(mnemonic)),
        chain=_chain(mnemonic),
        starts_chain=bool(_MULTIPLIES.match(mnemonic)),
        pairwise=pairwise,
        adds=bool(_ADDS.match(mnemonic)),
        known=result is not None,
    )


def _cycles(mnemonic: str) -> int:
    if mnemonic in ("fdiv", "fsqrt"):
        return _DIVIDE_CYCLES
    return 2 if _TWO_CYCLES.match(mnemonic) else 1


def _chain(mnemonic: str) -> Chain:
    groups = ((Chain.PRODUCTS, _PRODUCTS), (Chain.FLOATS, _FLOATS), (Chain.PAIRS, _PAIRS))
    return next((chain for chain, group in groups if group.match(mnemonic)), Chain.NONE)


def table_cycles(mnemonic: str, registers: int) -> int:
    """Of TBL and TBX, whose ``registers`` are those of the table and the index; others 1."""
    if mnemonic not in ("tbl", "tbx"):
        return 1
    return registers + (mnemonic == "tbx")
