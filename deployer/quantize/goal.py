"""What a search for widths is to reach: a quality at the least RAM, or the best within a RAM."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.choices import Word
from deployer.errors import UsageError
from deployer.units import format_bytes, parse_size


class GoalKind(Word):
    SQNR = "sqnr"
    TOP1 = "top1"
    RAM = "ram"


_HINTS = [
    "sqnr=35: at least 35 dB between the float outputs and the integer ones",
    "top1=99%: the class float gives, for 99 of 100 samples",
    "ram=64KiB: the best quality with an arena of at most 64 KiB",
]


@dataclass(frozen=True)
class Goal:
    """``amount``: dB, a share of 1 or bytes."""

    kind: GoalKind
    amount: float

    def __str__(self) -> str:
        return f"{self.kind}={self._text}"

    @property
    def _text(self) -> str:
        if self.kind == GoalKind.RAM:
            return format_bytes(int(self.amount))
        return f"{self.amount:g} dB" if self.kind == GoalKind.SQNR else f"{self.amount:.4g}"


def parse_goal(text: str) -> Goal:
    """``sqnr=35``, ``top1=99%`` or ``ram=64KiB``. Raises UsageError for anything else."""
    word, _, amount = text.partition("=")
    if word not in tuple(GoalKind):
        raise UsageError(f"--mixed {text!r} names no goal", hints=_HINTS)
    kind = GoalKind(word)
    try:
        goal = Goal(kind, _amount(kind, amount.strip()))
    except (ValueError, UsageError):
        raise UsageError(f"--mixed {text!r}: {amount!r} is no amount", hints=_HINTS) from None
    top = {GoalKind.SQNR: 200.0, GoalKind.TOP1: 1.0}.get(kind, float("inf"))
    if not 0 < goal.amount <= top:
        raise UsageError(f"--mixed {text!r} cannot be reached", hints=_HINTS)
    return goal


def _amount(kind: GoalKind, text: str) -> float:
    if kind == GoalKind.RAM:
        return float(int(text) if text.isdigit() else parse_size(text))
    if kind == GoalKind.TOP1 and text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text.removesuffix("dB"))
