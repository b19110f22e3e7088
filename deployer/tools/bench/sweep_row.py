"""What one layer of a sweep took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from deployer.kernelset import in_fallback
from deployer.tools.bench.row import EXACT
from deployer.tools.bench.sweep_layers import SweepLayer

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class StepCount:
    """A step of a layer. ``instructions``, and ``cycles`` of the kind that the sweep states: None
    where nothing counts them; ``core``: those of them that the core would take without memory.
    ``part``: which part of its layer it is of. ``moved``: cycles that the transfers of its tiles
    take at the least; ``stalled``: that it is estimated to wait for weights of an outer memory."""

    kernel: str
    macs: int
    instructions: int | None = None
    cycles: float | None = None
    core: float | None = None
    part: int = 0
    moved: float = 0.0
    stalled: int = 0


@dataclass(frozen=True)
class SweepRow:
    """``outcome`` is EXACT where every output was golden: then there are ``steps``; else one of
    bench/row.py, of which ``detail`` says more. ``theirs_by_part``: cycles of CMSIS-NN on each part
    of the layer, None where it has it not; () where it was not asked."""

    layer: SweepLayer
    outcome: str
    detail: str = ""
    steps: Sequence[StepCount] = ()
    theirs_by_part: Sequence[float | None] = ()

    @property
    def judged(self) -> Sequence[SweepRow]:
        """A row for each part of a layer of several: a rate of all would hide the slowest."""
        alone = self.layer.alone
        if len(alone) == 1 or not self.exact:
            return (self,)
        theirs = self.theirs_by_part or [None] * len(alone)
        steps = [tuple(one for one in self.steps if one.part == n) for n in range(len(alone))]
        return tuple(
            SweepRow(layer, EXACT, steps=own, theirs_by_part=(cycles,))
            for layer, own, cycles in zip(alone, steps, theirs, strict=True)
        )

    @property
    def theirs(self) -> float | None:
        """Cycles of CMSIS-NN on the whole layer, None where it does not have all of it."""
        return _whole(self.theirs_by_part)

    @property
    def instructions(self) -> int | None:
        return _whole([step.instructions for step in self.steps])

    @property
    def cycles(self) -> float | None:
        return _whole([step.cycles for step in self.steps])

    @property
    def core(self) -> float | None:
        """Cycles without those that memory takes."""
        return _whole([step.core for step in self.steps])

    @property
    def moved(self) -> float:
        return sum(step.moved for step in self.steps)

    @property
    def stalled(self) -> int:
        return sum(step.stalled for step in self.steps)

    @property
    def count(self) -> float | None:
        """Cycles; instructions where nothing tells cycles."""
        return self.instructions if self.cycles is None else self.cycles

    @property
    def rate(self) -> float | None:
        return None if self.count is None else self.count / self.layer.work

    @property
    def kernel(self) -> str:
        """Of the step that takes longest; without counts, of that with most products."""
        return max(self.steps, key=_length).kernel if self.steps else ""

    @property
    def fallback_macs(self) -> int:
        return sum(step.macs for step in self.steps if in_fallback(step.kernel))

    @property
    def falls_back(self) -> bool:
        """Whether some of it runs on the portable kernels."""
        return any(in_fallback(step.kernel) for step in self.steps)

    @property
    def slower(self) -> float | None:
        """Cycles over those of CMSIS-NN."""
        return None if not self.theirs or self.cycles is None else self.cycles / self.theirs

    @property
    def said(self) -> str:
        """What came of it, in a line."""
        text = f"{self.layer.operator} {self.layer.text}, {self.layer.bits} bits: {self.outcome}"
        if self.rate is not None:
            return f"{text}, {self.rate:.2f}"
        return f"{text}, {self.detail}" if self.detail else text

    @property
    def exact(self) -> bool:
        return self.outcome == EXACT


def _length(step: StepCount) -> float:
    return step.cycles or step.instructions or step.macs


def _whole(counts: Sequence[Number | None]) -> Number | None:
    """Their sum, None where one is missing or none is there."""
    known = [count for count in counts if count is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(counts) else None
