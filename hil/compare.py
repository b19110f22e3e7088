"""Golden comparison: every step's CRC, every output element, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Verdict:
    """One sample. ``steps`` says of each step whether its CRC is the golden one.

    A step that differs makes later ones differ, so the first one is where to look.
    """

    steps: tuple[bool, ...]
    elements: int
    differing: int

    @property
    def first_step(self) -> int | None:
        return self.steps.index(False) if False in self.steps else None

    @property
    def match(self) -> bool:
        return all(self.steps) and self.differing == 0


@dataclass(frozen=True)
class Summary:
    """All samples. ``elements`` and ``differing`` count output elements; ``first_step`` is the
    first differing step of sample ``first_sample``, the first one that differs.

    When only the output differs, no step is to blame and ``first_step`` is None.
    """

    match: bool
    samples: int
    matching: int
    elements: int
    differing: int
    first_step: int | None
    first_sample: int | None


def sample(
    crcs: Sequence[int], golden_crcs: np.ndarray, output: bytes, golden_output: np.ndarray
) -> Verdict:
    """Compare one run: CRC per step, and the joined outputs against int8 (bytes,).

    An output that is too short or too long differs in every element that is missing or extra.
    """
    seen = np.frombuffer(output, dtype=np.int8)
    common = min(seen.size, golden_output.size)
    wrong = int(np.count_nonzero(seen[:common] != golden_output[:common]))
    excess = abs(seen.size - golden_output.size)
    steps = tuple(int(a) == int(b) for a, b in zip(crcs, golden_crcs, strict=True))
    return Verdict(steps, int(golden_output.size), wrong + excess)


def summarize(verdicts: Sequence[Verdict]) -> Summary:
    """The verdict over all samples; none at all is no match."""
    bad = next((i for i, verdict in enumerate(verdicts) if not verdict.match), None)
    return Summary(
        match=bool(verdicts) and bad is None,
        samples=len(verdicts),
        matching=sum(verdict.match for verdict in verdicts),
        elements=sum(verdict.elements for verdict in verdicts),
        differing=sum(verdict.differing for verdict in verdicts),
        first_step=None if bad is None else verdicts[bad].first_step,
        first_sample=bad,
    )


def step_matches(verdicts: Sequence[Verdict]) -> tuple[bool, ...]:
    """Per step, whether it matched in every sample."""
    return tuple(all(column) for column in zip(*(v.steps for v in verdicts), strict=True))
