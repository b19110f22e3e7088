"""Energy per inference from the windows of a measurement: added up between edges, and the median.

A window is from one falling edge of the trigger to the next, as MLPerf Tiny's runner has it. What
cannot be told from the samples is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from deployer.errors import UsageError
from deployer.units import FigureKind
from deployer_hil.energy.pulses import pulses, window_between
from deployer_hil.energy.recording import Recording, refused, require_alive, require_whole

WINDOWS = 5
LEAST_SECONDS = 10.0  # of a window
LEAST_IDLE_SECONDS = 1.0
MOST_ENERGY_DRIFT = 0.05  # largest less smallest window, of the median
MOST_TIME_DRIFT = 0.01  # the same work at the same clock takes the same time
MOST_IDLE_DRIFT = 0.05  # of the windows' power, from one idle recording to another
_CHUNK = 1 << 20  # samples multiplied at a time


@dataclass(frozen=True)
class EnergyWindow:
    """``edge_error``: the part of the energy that may lie on the wrong side of an edge."""

    seconds: float
    joules: float
    edge_error: float

    @property
    def watts(self) -> float:
        return self.joules / self.seconds


@dataclass(frozen=True)
class Energy:
    """``inferences`` in each window; ``idle_watts`` is None where idle was not recorded. ``kind``:
    what the energy is worth, measured unless its power is assumed."""

    inferences: int
    windows: tuple[EnergyWindow, ...]
    idle_watts: float | None
    kind: FigureKind = FigureKind.MEASURED

    @property
    def joules(self) -> float:
        """Of one inference, all that flows: the median of the windows."""
        return median(window.joules for window in self.windows) / self.inferences

    @property
    def net_joules(self) -> float | None:
        """Of one inference, less what the board takes when idle for as long."""
        idle = self.idle_watts
        if idle is None:
            return None
        each = [window.joules - idle * window.seconds for window in self.windows]
        return median(each) / self.inferences

    @property
    def watts(self) -> float:
        """Average within windows, their median."""
        return median(window.watts for window in self.windows)

    @property
    def seconds(self) -> float:
        """Of one inference."""
        return median(window.seconds for window in self.windows) / self.inferences

    @property
    def edge_error(self) -> float:
        return max(window.edge_error for window in self.windows)


def window_of(recording: Recording) -> EnergyWindow:
    """The one window in ``recording``. Raises BenchError for every recording that gives none."""
    require_whole(recording)
    begin, end = window_between(recording)
    seconds = (end - begin) / recording.rate_hz
    _require_long(seconds)
    within = recording.part(begin, end)
    require_alive(within)
    joules = _joules(within)
    if joules <= 0:
        raise refused(
            f"no energy flows to the board in the window: {joules:g} J",
            hints=["are the meter's leads swapped, is the board supplied through it?"],
        )
    return EnergyWindow(seconds, joules, _edge_error(within, joules))


def idle_watts(recording: Recording) -> float:
    """Average power of a board that waits. Raises BenchError for a recording that is short, has a
    pulse, or gives no figure for another reason."""
    require_whole(recording)
    if recording.seconds < LEAST_IDLE_SECONDS:
        raise refused(f"idle was recorded for {recording.seconds:.3f} s")
    if pulses(recording):
        raise refused("the trigger gave a pulse while the board was to be idle")
    require_alive(recording)
    return _joules(recording) / recording.seconds


def energy_of(
    recordings: Sequence[Recording], inferences: int, *, idle: Sequence[Recording] = ()
) -> Energy:
    """From one recording a window of ``inferences`` each, and those of the idle board. Raises
    BenchError when a recording is refused, or windows differ more than a steady board's do."""
    if inferences < 1:
        raise UsageError(f"{inferences} inferences a window")
    if len(recordings) != WINDOWS:
        raise refused(f"{len(recordings)} windows, a measurement has {WINDOWS}")
    found = tuple(map(window_of, recordings))
    require_steady_time(found)
    _require_steady(found, "take", "J", lambda window: window.joules, MOST_ENERGY_DRIFT)
    powers = [idle_watts(recording) for recording in idle]
    _require_steady_idle(powers, median(window.watts for window in found))
    return Energy(inferences, found, sum(powers) / len(powers) if powers else None)


def require_steady_time(windows: Sequence[EnergyWindow]) -> None:
    """Raise BenchError for windows too short or of different lengths: the same inferences, at the
    same clock, take the same time."""
    for window in windows:
        _require_long(window.seconds)
    _require_steady(windows, "last", "s", lambda window: window.seconds, MOST_TIME_DRIFT)


def _require_long(seconds: float) -> None:
    if seconds < LEAST_SECONDS:
        raise refused(
            f"the window lasts {seconds:.3f} s, at least {LEAST_SECONDS:g} s are needed",
            hints=["more inferences a window"],
        )


def _joules(recording: Recording) -> float:
    """V times I times the time of a sample, added up."""
    total = 0.0
    for at in range(0, len(recording.amps), _CHUNK):
        volts = recording.volts[at : at + _CHUNK].astype(np.float64)
        total += float(np.dot(volts, recording.amps[at : at + _CHUNK].astype(np.float64)))
    return total / recording.rate_hz


def _edge_error(recording: Recording, joules: float) -> float:
    """Two edges, each up to a sample and ``edge_seconds`` off, at the most power there is."""
    most = float(np.max(np.abs(recording.volts * recording.amps)))
    return 2 * (1 / recording.rate_hz + recording.edge_seconds) * most / joules


def _require_steady(
    windows: Sequence[EnergyWindow],
    verb: str,
    unit: str,
    figure: Callable[[EnergyWindow], float],
    bound: float,
) -> None:
    values = [figure(window) for window in windows]
    drift = (max(values) - min(values)) / median(values)
    if drift > bound:
        shown = ", ".join(f"{value:.4g}" for value in values)
        raise refused(
            f"the windows drift: they {verb} {shown} {unit}",
            f"{drift:.1%} from smallest to largest, {bound:.0%} are allowed",
            hints=["let the board warm up, check clock and supply, and run again"],
        )


def _require_steady_idle(powers: Sequence[float], window_watts: float) -> None:
    if not powers:
        return
    drift = (max(powers) - min(powers)) / window_watts
    if drift > MOST_IDLE_DRIFT:
        raise refused(
            f"idle power drifts from {min(powers):.4g} to {max(powers):.4g} W",
            f"{drift:.1%} of the windows' power, {MOST_IDLE_DRIFT:.0%} are allowed",
        )
    if max(powers) > window_watts:
        raise refused(
            f"the board takes {max(powers):.4g} W idle and {window_watts:.4g} W at work",
            hints=["was the idle recording taken in the same clocks, after the same supply?"],
        )
