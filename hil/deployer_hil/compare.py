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
    crcs: Sequence[int],
    golden_crcs: np.ndarray,
    output: bytes,
    golden_output: np.ndarray,
    elements: np.ndarray | None = None,
) -> Verdict:
    """Compare one run: CRC per step, and the joined outputs against int8 (bytes,).

    ``elements`` numbers the element of every byte; by default a byte is one. An output that is too
    short or too long differs in every element that is missing or extra.
    """
    seen = np.frombuffer(output, dtype=np.int8)
    of_byte = np.arange(golden_output.size) if elements is None else elements
    common = min(seen.size, golden_output.size)
    wrong = np.flatnonzero(seen[:common] != golden_output[:common])
    differing = np.union1d(of_byte[wrong], of_byte[common:]).size + seen.size - common
    steps = tuple(int(a) == int(b) for a, b in zip(crcs, golden_crcs, strict=True))
    return Verdict(steps, int(np.unique(of_byte).size), int(differing))


def element_of_byte(sizes: Sequence[int], element_bytes: Sequence[int]) -> np.ndarray:
    """The running number of the element each byte belongs to, of tensors of ``sizes`` bytes laid
    end to end."""
    counts = [size // each for size, each in zip(sizes, element_bytes, strict=True)]
    return np.repeat(np.arange(sum(counts)), np.repeat(element_bytes, counts))


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
