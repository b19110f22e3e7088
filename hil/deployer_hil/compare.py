"""Golden comparison: every step's CRC, every output element, exactly; floats within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-4  # of floats: a share of the largest magnitude of the golden tensor


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
    floats: Sequence[int] = (),
) -> Verdict:
    """Compare one run: CRC per step, and the joined outputs against int8 (bytes,).

    ``elements`` numbers the element of every byte; by default a byte is one. An output that is too
    short or too long differs in every element that is missing or extra. ``floats``: bytes of each
    output where they are floats.
    """
    if floats:
        steps = tuple(int(a) == int(b) for a, b in zip(crcs, golden_crcs, strict=True))
        return Verdict(steps, golden_output.size // 4, far_floats(output, golden_output, floats))
    seen = np.frombuffer(output, dtype=np.int8)
    of_byte = np.arange(golden_output.size) if elements is None else elements
    common = min(seen.size, golden_output.size)
    wrong = np.flatnonzero(seen[:common] != golden_output[:common])
    differing = np.union1d(of_byte[wrong], of_byte[common:]).size + seen.size - common
    steps = tuple(int(a) == int(b) for a, b in zip(crcs, golden_crcs, strict=True))
    return Verdict(steps, int(np.unique(of_byte).size), int(differing))


def far_floats(output: bytes, golden: np.ndarray, sizes: Sequence[int]) -> int:
    """How many floats are further than TOLERANCE from those of ``golden``, its bytes as int8.

    Tensors of ``sizes`` bytes lie end to end; what is no number is far unless it is golden. An
    output of another length is far in every element.
    """
    if len(output) != golden.size:
        return golden.size // 4
    pairs = zip(_tensors(output, sizes), _tensors(golden.tobytes(), sizes), strict=True)
    return sum(_far(seen, wanted) for seen, wanted in pairs)


def _tensors(joined: bytes, sizes: Sequence[int]) -> list[np.ndarray]:
    ends = np.cumsum(sizes)
    return np.split(np.frombuffer(joined, "<f4"), ends[:-1] // 4)


def _far(seen: np.ndarray, wanted: np.ndarray) -> int:
    finite = np.abs(wanted[np.isfinite(wanted)], dtype=np.float64)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        error = np.abs(seen.astype(np.float64) - wanted)
    same = (seen == wanted) | (np.isnan(seen) & np.isnan(wanted))
    return int((~same & ~(error <= TOLERANCE * finite.max(initial=0.0))).sum())


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
