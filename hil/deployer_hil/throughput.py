"""Inferences one by one and back to back: how long each takes, and how many a second there are.

Each inference is timed by itself, and told behind it; throughput is that of a window in which
nothing is said, as in MLPerf Tiny's performance mode. Counts of an emulator without a timing model
are no times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.conditions import require_unthrottled
from deployer_hil.cycles import require_counter, require_counting
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import Progress, begin, conditions, connect, counts_per_unit
from deployer_hil.protocol import TimedRun
from deployer_hil.runner import Runner
from deployer_hil.samples import require_golden_outputs
from deployer_hil.serial_log import Log
from deployer_hil.session import Session, through_restarts
from deployer_hil.spread import Spread, spread_of

T = TypeVar("T")
BATCH = 100  # inferences that one reply tells of
TIMES = (FigureKind.MEASURED, FigureKind.SIMULATED)  # kinds whose times are those of a board
_WRAP = 1 << 32
_CLOCK_TRUST = 0.01  # a count and a time of one inference, on a board that counts its only clock
_CLOCK_MICROSECONDS = 20.0  # and what reading both takes


@dataclass(frozen=True)
class Load:
    """What is asked of a board: ``inferences`` timed, each BATCH of them behind ``warmups`` that
    are not; ``cold_starts`` resets, behind each of which the first inference is timed."""

    inferences: int
    warmups: int
    cold_starts: int = 1


@dataclass(frozen=True)
class Throughput:
    """``cold``, ``warm``: every inference as the device told it, the time beside the count.
    ``window_seconds``: of all inferences back to back, None where times say nothing. ``clock_hz``:
    of what is counted; ``hosted`` where an operating system has it, so that only times count.
    ``kind`` is that of the counts, and of the times where there are any."""

    kind: FigureKind
    unit: CounterUnit
    clock_hz: int
    hosted: bool
    load: Load
    cold: tuple[TimedRun, ...]
    warm: tuple[TimedRun, ...]
    window_seconds: float | None
    caps: Mapping[str, str]
    tool: str

    @property
    def has_times(self) -> bool:
        """Whether its times are those of a board."""
        return self.kind in TIMES

    @property
    def fps(self) -> float | None:
        """Inferences a second, back to back; None where time says nothing."""
        return self.load.inferences / self.window_seconds if self.window_seconds else None

    @property
    def latency(self) -> Spread | None:
        """Of a warm inference, in seconds."""
        return spread_of([self._seconds(run) for run in self.warm]) if self.has_times else None

    @property
    def cold_latency(self) -> Spread | None:
        """Of the first inference after a reset, in seconds."""
        return spread_of([self._seconds(run) for run in self.cold]) if self.has_times else None

    @property
    def counts(self) -> Spread | None:
        """Of a warm inference, in ``unit``; None where an operating system shares the counter."""
        return None if self.hosted else spread_of([self._count(run) for run in self.warm])

    @property
    def cold_counts(self) -> Spread | None:
        return None if self.hosted else spread_of([self._count(run) for run in self.cold])

    def _count(self, run: TimedRun) -> int:
        return round(run.count / counts_per_unit(dict(self.caps)))

    def _seconds(self, run: TimedRun) -> float:
        return run.microseconds / 1e6 if self.hosted else self._count(run) / self.clock_hz


def measure_throughput(
    bundle: Bundle,
    runner: Runner,
    load: Load,
    *,
    timeouts: Timeouts | None = None,
    progress: Progress | None = None,
    log: Log | None = None,
) -> Throughput:
    """The first golden sample. Raises UsageError for a runner that counts nothing, BenchError for a
    board that does not run as it should, MismatchError for outputs that are not golden."""
    require_counting(bundle, runner)
    tell = progress or (lambda label, done, total: None)
    cold: list[TimedRun] = []
    for _ in range(load.cold_starts - 1):
        with connect(bundle, runner, timeouts=timeouts, log=log) as session:
            cold += _Device(bundle, runner, session).do(_first)
    with connect(bundle, runner, timeouts=timeouts, log=log) as session:
        device = _Device(bundle, runner, session)
        cold += device.do(_first)  # before its weights are read to check them
        caps = device.do(partial(_conditions, runner))
        warm = _warm(device, load, tell)
        seconds = device.do(partial(_window, load)) if runner.caps.kind in TIMES else None
    caps |= runner.surroundings
    if runner.caps.hosted:
        require_unthrottled("times", bundle.board, caps, bundle.manifest["clock_hz"])
    found = Throughput(
        kind=runner.caps.kind,
        unit=CounterUnit(caps["counter"]),
        clock_hz=bundle.manifest["clock_hz"],
        hosted=runner.caps.hosted,
        load=load,
        cold=tuple(cold),
        warm=tuple(warm),
        window_seconds=seconds,
        caps=caps,
        tool=runner.tool,
    )
    _require_agreement(bundle, found)
    return found


@dataclass(frozen=True)
class _Device:
    bundle: Bundle
    runner: Runner
    session: Session

    def do(self, part: Callable[[Session, Bundle], T]) -> T:
        """A part of the measurement, anew when the device restarts in it."""
        again = partial(begin, self.session, self.bundle, self.runner)
        return through_restarts(partial(part, self.session, self.bundle), again)


def _conditions(runner: Runner, session: Session, bundle: Bundle) -> dict[str, str]:
    """What the device says of itself; one that does not run as its figures would say is refused."""
    caps = conditions(session, bundle, runner)
    if not runner.caps.hosted:
        require_counter(bundle, runner, caps)
    return caps


def _first(session: Session, bundle: Bundle) -> tuple[TimedRun, ...]:
    """The one behind a reset; of a device that restarted meanwhile, the one behind that."""
    return _golden_runs(session, bundle, 1, 0)


def _warm(device: _Device, load: Load, tell: Progress) -> list[TimedRun]:
    found: list[TimedRun] = []
    while len(found) < load.inferences:
        tell("infer", len(found), load.inferences)
        count = min(BATCH, load.inferences - len(found))
        found += device.do(partial(_golden_runs, runs=count, warmups=load.warmups))
    tell("infer", load.inferences, load.inferences)
    return found


def _golden_runs(session: Session, bundle: Bundle, runs: int, warmups: int) -> tuple[TimedRun, ...]:
    session.load(bundle.golden["input"][0].tobytes())
    found = session.runs(runs, warmups)
    require_golden_outputs(session, bundle)
    return found


def _window(load: Load, session: Session, bundle: Bundle) -> float:
    session.load(bundle.golden["input"][0].tobytes())
    found = session.infer(load.inferences, load.warmups)
    require_golden_outputs(session, bundle)
    if not found.microseconds:
        raise BenchError(
            f"{bundle.board} tells no time of {found.runs} inferences",
            hints=["more inferences", "does its counter run, and does it run in energy mode?"],
        )
    return found.microseconds / 1e6


def _require_agreement(bundle: Bundle, found: Throughput) -> None:
    """Count and time of an inference are of one clock, or the count has wrapped."""
    if found.hosted or not found.has_times:
        return
    for run in (*found.cold, *found.warm):
        counted = 1e6 * run.count / counts_per_unit(dict(found.caps)) / found.clock_hz
        off = abs(counted - run.microseconds)
        if off > _CLOCK_MICROSECONDS + _CLOCK_TRUST * run.microseconds:
            raise BenchError(
                f"{bundle.board} counts {run.count:,} {found.unit} in {run.microseconds:,} µs",
                why=[f"at {found.clock_hz:,} Hz that would be {counted:,.0f} µs"],
                hints=[f"an inference of more than {_WRAP:,} {found.unit} cannot be counted"],
            )
