"""What a search for widths is to reach: a quality at the least RAM, or the best within a RAM."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.errors import UsageError
from deployer.units import format_bytes, parse_size

KINDS = ("sqnr", "top1", "ram")
_HINTS = [
    "sqnr=35: at least 35 dB between the float outputs and the integer ones",
    "top1=99%: the class float gives, for 99 of 100 samples",
    "ram=64KiB: the best quality with an arena of at most 64 KiB",
]


@dataclass(frozen=True)
class Goal:
    """``kind`` is one of KINDS, ``amount`` dB, a share of 1 or bytes."""

    kind: str
    amount: float

    def __str__(self) -> str:
        return f"{self.kind}={self._text}"

    @property
    def _text(self) -> str:
        if self.kind == "ram":
            return format_bytes(int(self.amount))
        return f"{self.amount:g} dB" if self.kind == "sqnr" else f"{self.amount:.4g}"


def parse_goal(text: str) -> Goal:
    """``sqnr=35``, ``top1=99%`` or ``ram=64KiB``. Raises UsageError for anything else."""
    kind, _, amount = text.partition("=")
    if kind not in KINDS:
        raise UsageError(f"--mixed {text!r} names no goal", hints=_HINTS)
    try:
        goal = Goal(kind, _amount(kind, amount.strip()))
    except (ValueError, UsageError):
        raise UsageError(f"--mixed {text!r}: {amount!r} is no amount", hints=_HINTS) from None
    top = {"sqnr": 200.0, "top1": 1.0}.get(kind, float("inf"))
    if not 0 < goal.amount <= top:
        raise UsageError(f"--mixed {text!r} cannot be reached", hints=_HINTS)
    return goal


def _amount(kind: str, text: str) -> float:
    if kind == "ram":
        return float(int(text) if text.isdigit() else parse_size(text))
    if kind == "top1" and text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text.removesuffix("dB"))
