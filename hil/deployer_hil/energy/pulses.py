"""Pulses of the trigger pin in the sample stream: it is high, and low for about a millisecond."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deployer_hil.energy.recording import Recording, refused

GLITCH_SECONDS = 20e-6  # shorter levels are bounce of the pin and belong to what is around them
LONGEST_SECONDS = 20e-3  # of a pulse; firmware's is about 1 ms
_WIRE = "is the trigger pin wired to the meter's input, with a pull-up and a common ground?"


@dataclass(frozen=True)
class Pulse:
    """Low from sample ``begin`` on, high again from ``end`` on."""

    begin: int
    end: int


def pulses(recording: Recording) -> list[Pulse]:
    """In order. Raises BenchError for a pin that is low at an end of the recording or for longer
    than a pulse: an edge is missing then."""
    begins, levels = _levels(recording.trigger, recording.rate_hz)
    if not len(levels):
        return []
    if not levels[0] or not levels[-1]:
        where = "begins" if not levels[0] else "ends"
        raise refused(f"the recording {where} with the trigger low", hints=[_WIRE])
    low = np.flatnonzero(~levels)
    found = [Pulse(int(begins[at]), int(begins[at + 1])) for at in low]
    for pulse in found:
        _require_short(pulse, recording.rate_hz)
    return found


def window_between(recording: Recording) -> tuple[int, int]:
    """Samples from the falling edge that starts the one window to the one that ends it. Raises
    BenchError unless there are exactly two pulses."""
    found = pulses(recording)
    if len(found) != 2:
        raise refused(_counted(len(found), 2), *_times(recording, found), hints=[_WIRE])
    return found[0].begin, found[1].begin


def split(recording: Recording, windows: int) -> list[Recording]:
    """One recording a window, of a long one that holds ``windows`` of them and no other pulse."""
    found = pulses(recording)
    if len(found) != 2 * windows:
        raise refused(_counted(len(found), 2 * windows), *_times(recording, found), hints=[_WIRE])
    between = zip(found[1:-1:2], found[2::2], strict=True)
    cuts = [0, *((a.end + b.begin) // 2 for a, b in between), len(recording.trigger)]
    return [recording.part(*pair) for pair in pairwise(cuts)]


def _levels(trigger: np.ndarray, rate_hz: float) -> tuple[np.ndarray, np.ndarray]:
    """(first samples, levels) of what alternates once glitches are gone."""
    level = np.asarray(trigger, bool)
    begins = np.concatenate(([0], np.flatnonzero(level[1:] != level[:-1]) + 1))
    lengths = np.diff(np.concatenate((begins, [len(level)])))
    long = lengths >= max(1, math.ceil(GLITCH_SECONDS * rate_hz))
    begins, values = begins[long], level[begins[long]]
    changed = np.concatenate(([True], values[1:] != values[:-1]))[: len(values)]
    return begins[changed], values[changed]


def _require_short(pulse: Pulse, rate_hz: float) -> None:
    seconds = (pulse.end - pulse.begin) / rate_hz
    if seconds > max(LONGEST_SECONDS, 2 / rate_hz):
        raise refused(
            f"the trigger is low for {seconds:.3f} s, a pulse is about 1 ms",
            f"from {pulse.begin / rate_hz:.3f} s: an edge is missing",
            hints=["an image of an earlier version is low throughout: build it again", _WIRE],
        )


def _counted(found: int, wanted: int) -> str:
    return f"the trigger gave {found or 'no'} pulses, {wanted} bound the windows"


def _times(recording: Recording, found: list[Pulse]) -> list[str]:
    """Of the first pulses, as a line."""
    shown = ", ".join(f"{pulse.begin / recording.rate_hz:.3f}" for pulse in found[:12])
    return [f"at {shown} s"] if found else []
