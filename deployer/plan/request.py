"""What the planner takes: a board, what the image is built for, and what a user grants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from deployer.board import Board
from deployer.choices import (
    ConstantCopies,
    EffortName,
    KernelPolicy,
    Objective,
    Restructuring,
    Sharing,
    TilerName,
)
from deployer.plan.effort import PLAN_EFFORTS, PlanEffort


@dataclass(frozen=True)
class Limits:
    """What the plan may take and what it is to save; the defaults are those of the command line.

    ``ram``: bytes the arena may take, None for no limit. ``flash``: those that weights, biases and
    requantization may take; ``kernel_code``: those of the kernels' code, None for what the board
    states. ``restructure`` and ``optimize`` as in
    ``RestructureOptions``. ``stream_input``: the first input is read by rows where that saves RAM.
    ``share``: whether values may take each other's bytes. ``choose``: kernels by the board's cost
    table, or the first of its list. ``place``: whether start-up copies constants to faster memory.
    ``tiler``: what tiles are chosen by (``tile.solve.TILERS``). ``effort``: how much is searched.
    """

    ram: int | None = None
    flash: int | None = None
    kernel_code: int | None = None
    restructure: Restructuring = Restructuring.AUTO
    optimize: Objective = Objective.TIME
    stream_input: bool = False
    share: Sharing = Sharing.ON
    choose: KernelPolicy = KernelPolicy.COST
    place: ConstantCopies = ConstantCopies.AUTO
    tiler: TilerName = TilerName.COST
    effort: EffortName = EffortName.NORMAL


@dataclass(frozen=True)
class PlanRequest:
    """``board``: the one the user named; ``target``: what the image is built for, the board itself
    or its emulated twin. ``code_excess``: bytes by which the linker found more code than was
    estimated. ``searching``: told what is searched, in a few words."""

    board: Board
    target: Board
    limits: Limits = field(default_factory=Limits)
    code_excess: int = 0
    searching: Callable[[str], None] = field(default=lambda what: None, compare=False, repr=False)

    @property
    def cores(self) -> int:
        """Of the board and of its twin: one plan serves both."""
        return max(self.board.cores, self.target.cores)

    @property
    def effort(self) -> PlanEffort:
        return PLAN_EFFORTS[self.limits.effort]

    def within(self, limits: Limits) -> PlanRequest:
        """The same with other limits."""
        return replace(self, limits=limits)
