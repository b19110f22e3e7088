"""What a meter gave between start and stop, and whether a figure may be made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from deployer.errors import BenchError

STUCK_SECONDS = 0.05  # that a working meter never gives the same current for,
STUCK_SAMPLES = 64  # nor for so many samples
NO_TRUST = "energy of this recording would be a guess"


@dataclass(frozen=True)
class Recording:
    """``volts``, ``amps``: (n,) real. ``trigger``: (n,) bool, whether the pin is high. Taken
    ``rate_hz`` times a second, without a gap but ``dropped`` samples, which the meter misses.

    ``edge_seconds``: how late an edge may be told, besides a sample. ``notes``: what the meter has
    to say of its samples.
    """

    rate_hz: float
    volts: np.ndarray
    amps: np.ndarray
    trigger: np.ndarray
    dropped: int = 0
    edge_seconds: float = 0.0
    notes: Sequence[str] = field(default=())

    @property
    def seconds(self) -> float:
        return len(self.amps) / self.rate_hz

    def part(self, begin: int, end: int) -> Recording:
        """Samples ``begin`` to ``end``, exclusive."""
        cut = slice(begin, end)
        return Recording(
            self.rate_hz,
            self.volts[cut],
            self.amps[cut],
            self.trigger[cut],
            self.dropped,
            self.edge_seconds,
            self.notes,
        )


def refused(what: str, *why: str, hints: Sequence[str] = ()) -> BenchError:
    """The error for a recording that gives no figure."""
    return BenchError(what, why=[*why, NO_TRUST], hints=hints)


def require_whole(recording: Recording) -> None:
    """Raises BenchError for a recording with samples that are missing or are no numbers."""
    counts = {len(recording.volts), len(recording.amps), len(recording.trigger)}
    if not (math.isfinite(recording.rate_hz) and recording.rate_hz > 0) or len(counts) > 1:
        raise refused(
            f"no recording: {recording.rate_hz} samples a second, {sorted(counts)} values"
        )
    if not len(recording.amps):
        raise refused("the meter gave no samples", hints=["is it running, is it connected?"])
    lost = recording.dropped + _not_finite(recording)
    if lost:
        raise refused(
            f"the meter dropped {lost:,} of {len(recording.amps) + recording.dropped:,} samples",
            *recording.notes,
            hints=["a lower rate, a USB port of its own, a machine with less to do"],
        )


def require_alive(recording: Recording) -> None:
    """Raises BenchError where the current stands still, which no real one does."""
    longest, at = _longest_still(recording.amps)
    bound = max(STUCK_SAMPLES, math.ceil(STUCK_SECONDS * recording.rate_hz))
    if longest >= bound:
        amps = recording.amps[at]
        raise refused(
            f"the meter is stuck: {amps:g} A for {longest:,} samples on end",
            f"from {at / recording.rate_hz:.3f} s, for {longest / recording.rate_hz:.3f} s",
            hints=["restart the meter", "does the supply run through it, is its range right?"],
        )


def _not_finite(recording: Recording) -> int:
    return int(np.count_nonzero(~(np.isfinite(recording.volts) & np.isfinite(recording.amps))))


def _longest_still(amps: np.ndarray) -> tuple[int, int]:
    """(samples, first) of the longest run of equal values."""
    bounds = np.flatnonzero(amps[1:] != amps[:-1]) + 1
    begins = np.concatenate(([0], bounds))
    lengths = np.diff(np.concatenate((begins, [len(amps)])))
    at = int(np.argmax(lengths))
    return int(lengths[at]), int(begins[at])
