"""Errors a user can cause: what happened, why, and what to try.

Exit statuses: 0 fine, 1 a bug of ours, 2 usage, 3 model not supported, 4 does not fit,
5 results differ from the golden ones, 6 board, probe, serial or simulator trouble, a full disk
or memory, 7 a threshold or baseline missed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from deployer.printed import printed


class DeployerError(Exception):
    """A failure with a cause the user can act on.

    ``what`` is one line; ``why`` holds the details, one line each; ``hints`` say what to try.
    ``reasons`` are the details for programs, a table of texts each.
    """

    exit_status = 1

    def __init__(
        self,
        what: str,
        *,
        why: Sequence[str] = (),
        hints: Sequence[str] = (),
        reasons: Sequence[Mapping[str, str]] = (),
    ):
        super().__init__(what)
        self.what = what
        self.why = tuple(why)
        self.hints = tuple(hints)
        self.reasons = tuple(reasons)

    def __str__(self) -> str:
        """A line each, whatever names in them hold."""
        lines = [self.what, *(f"  {line}" for line in self.why), *self._hint_lines()]
        return "\n".join(map(printed, lines))

    def _hint_lines(self) -> list[str]:
        return [f"  {'try:' if i == 0 else '    '} {hint}" for i, hint in enumerate(self.hints)]


def near_hints(name: str, known: Iterable[str]) -> list[str]:
    """For a name that is none of ``known``: the nearest, and all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    hint = [f"did you mean {near[0]}?"] if near else []
    return [*hint, f"known: {', '.join(names) or 'none'}"]


class UsageError(DeployerError):
    """Wrong command line, board file, calibration file or artifact."""

    exit_status = 2


class ModelError(DeployerError):
    """The model cannot be read or holds something unsupported."""

    exit_status = 3


class FitError(DeployerError):
    """The network does not fit the board's memories."""

    exit_status = 4


class LimitError(FitError):
    """Nothing keeps to the RAM that the user grants."""


class ImageTooLarge(FitError):
    """The linked image has ``excess`` bytes more than memory ``memory`` has, or than boot can
    load there (``loaded``): found when all is planned and compiled."""

    def __init__(self, memory: str, excess: int, *, board: str, loaded: bool = False):
        super().__init__(
            f"the image takes {excess:,} B more than "
            + (f"{board} loads into {memory} at boot" if loaded else f"{memory} of {board} has"),
            why=["code, which is known only when it is compiled, takes more than was left for it"],
            hints=["a smaller model, or a board with more memory for code"],
        )
        self.memory, self.excess, self.loaded = memory, excess, loaded

    @property
    def told(self) -> str:
        """What another plan has to cure."""
        if self.loaded:
            return f"{self.excess:,} B more than can be loaded at boot"
        return f"code takes {self.excess:,} B more than estimated"


class MismatchError(DeployerError):
    """Results differ from the golden ones."""

    exit_status = 5


class BenchError(DeployerError):
    """Board, probe, serial port, emulator or toolchain trouble: not the model's fault."""

    exit_status = 6


class MachineError(BenchError):
    """This machine has no room, memory or files left: no bench is at fault."""


class ThresholdError(DeployerError):
    """A threshold or baseline was missed."""

    exit_status = 7
