"""How a table ends: with the error of its worst row, once everything is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from deployer.errors import BenchError, DeployerError, MismatchError, ModelError, ThresholdError
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, FINE, LIMIT, UNSUPPORTED

ERRORS: dict[str, type[DeployerError]] = {
    DIFFERS: MismatchError,
    FAILED: BenchError,
    UNSUPPORTED: ModelError,
    LIMIT: ThresholdError,
}  # the worst first


class Ended(Protocol):
    """Anything with an outcome, one of the constants of row.py."""

    @property
    def outcome(self) -> str: ...


AnyRow = TypeVar("AnyRow", bound=Ended)


def worst_of(outcomes: Iterable[str]) -> str:
    """The outcome that matters most, EXACT when everything that fits is exact."""
    found = set(outcomes)
    return next((outcome for outcome in ERRORS if outcome in found), EXACT)


def require_fine(rows: Sequence[AnyRow], said: Callable[[AnyRow], str]) -> None:
    """Raise the error of the worst row; it lists with ``said`` every row that fits and is not
    exact."""
    bad = [row for row in rows if row.outcome not in FINE]
    if bad:
        raise ERRORS[worst_of(row.outcome for row in bad)](
            f"{len(bad)} of {len(rows)} rows are not exact", why=[said(row) for row in bad]
        )


def require_proven(emulated: Sequence[str]) -> None:
    """The same of what emulators said of points: texts that begin with the outcome, "" of one that
    was not run."""
    bad = [text for text in emulated if text and not text.startswith(EXACT)]
    kinds = {DIFFERS: MismatchError, LIMIT: ThresholdError, "": BenchError}
    for outcome, kind in kinds.items():
        if any(outcome in text for text in bad):
            raise kind(f"{len(bad)} of {len(emulated)} points are not proven", why=bad)
