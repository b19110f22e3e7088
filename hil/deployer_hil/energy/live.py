"""Energy of a board: windows that a meter records while the firmware pulses its trigger.

Tested with a fake meter and a fake board; it has met no meter and no board.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer.units import FigureKind
from deployer_hil import protocol
from deployer_hil.conditions import require_conditions, require_unthrottled
from deployer_hil.constants import require_programmed
from deployer_hil.energy.meter import AssumedPower, Source
from deployer_hil.energy.per_inference import (
    LEAST_SECONDS,
    WINDOWS,
    Energy,
    EnergyWindow,
    energy_of,
    require_steady_time,
)
from deployer_hil.energy.pulses import window_between
from deployer_hil.energy.recording import Recording, refused, require_whole
from deployer_hil.energy.timed import Meter
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import Progress, begin, connect
from deployer_hil.protocol import Inference
from deployer_hil.runner import Runner
from deployer_hil.samples import require_golden_outputs
from deployer_hil.serial_log import Log
from deployer_hil.session import Session, through_restarts

Keep = Callable[[Sequence[Recording], Sequence[Recording]], None]
IDLE_SECONDS = 3.0
_ROOM = 1.05  # of a window beyond the least there is
_TIMED_SECONDS = 1.0  # that the time of an inference is measured over
_MOST_OFF = 0.05  # a window's time in the recording, of what the board's own clock says
_MOST_UNSAID = 0.02  # what a recording may be shorter than the host's time for it
_HOST_SECONDS = 0.5  # and what starting and stopping may take


@dataclass(frozen=True)
class Host:
    """The clock of this machine."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True)
class MeasuredEnergy:
    """``caps``: what the device says of itself. ``tool``: what programs it."""

    energy: Energy
    caps: Mapping[str, str]
    tool: str


def measure_energy(
    bundle: Bundle,
    runner: Runner,
    source: Source,
    *,
    inferences: int | None = None,
    timeouts: Timeouts | None = None,
    progress: Progress | None = None,
    keep: Keep = lambda windows, idle: None,
    host: Host | None = None,
    log: Log | None = None,
) -> MeasuredEnergy:
    """The first golden sample, WINDOWS times so many inferences, by default as last LEAST_SECONDS.
    Raises UsageError for an emulator, BenchError for a board that does not run as it should and
    for recordings that give no figure, MismatchError for outputs that are not golden. ``keep``: is
    given the recordings of windows and of the idle board before a figure is made of them."""
    _require_board(bundle, runner)
    tell = progress or (lambda label, done, total: None)
    with connect(bundle, runner, timeouts=timeouts, progress=progress, log=log) as session:
        board = _Board(bundle, runner, session, tell)
        caps = through_restarts(board.conditions, board.begin)
        seconds = through_restarts(board.seconds_of_one, board.begin)
        count = inferences or math.ceil(_ROOM * LEAST_SECONDS / seconds)
        if isinstance(source, AssumedPower):
            energy = _assumed(board, source, count, seconds)
        else:
            bench = _Bench(board, source, host or Host())
            caps = caps | bench.enter()
            windows, idle = bench.recordings(count, count * seconds)
            keep(windows, idle)
            energy = energy_of(windows, count, idle=idle)
    caps |= runner.surroundings
    if runner.caps.hosted:
        require_unthrottled("energy", bundle.board, caps, bundle.manifest["clock_hz"])
    return MeasuredEnergy(energy, caps, runner.tool)


class _Board:
    """The device with the first golden sample loaded."""

    def __init__(self, bundle: Bundle, runner: Runner, session: Session, tell: Progress):
        self.bundle, self.session, self.tell = bundle, session, tell
        self._runner = runner

    def begin(self) -> None:
        """Also after a restart."""
        begin(self.session, self.bundle, self._runner)

    def conditions(self) -> dict[str, str]:
        """What the device says of itself; a clock that is wrong is refused."""
        caps = self.session.caps()
        if not self._runner.caps.hosted:
            require_conditions(self.bundle.board, caps, self.bundle.manifest["clock_hz"])
        require_programmed(self.session.constants())
        return caps

    def seconds_of_one(self) -> float:
        """Of one inference, by the board's own clock and over _TIMED_SECONDS."""
        self.load()
        first = self._told(self.session.infer(1, 1))
        count = max(1, math.ceil(_TIMED_SECONDS / first))
        return self.timed(count, count * first) / count

    def load(self) -> None:
        self.session.load(self.bundle.golden["input"][0].tobytes())

    def timed(self, runs: int, seconds: float) -> float:
        """Seconds of all ``runs``, which are expected to take ``seconds``."""
        return self._told(self.session.infer(runs, seconds=seconds))

    def timed_window(self, runs: int, seconds: float) -> float:
        """``timed`` of the golden sample, its outputs compared."""
        self.load()
        took = self.timed(runs, seconds)
        self.require_golden()
        return took

    def _told(self, found: Inference) -> float:
        if not found.microseconds:
            raise BenchError(
                f"{self.bundle.board} tells no time of {found.runs} inferences",
                hints=["does its counter run? x-caps tells clock_hz and counter"],
            )
        return found.microseconds / 1e6

    def require_golden(self) -> None:
        """Of the last inference of a window."""
        require_golden_outputs(self.session, self.bundle)


class _Bench:
    """A board and the meter that records it."""

    def __init__(self, board: _Board, meter: Meter, host: Host):
        self._board, self._meter, self._host = board, meter, host

    def enter(self) -> dict[str, str]:
        """The mode that the meter needs, and what the device says in it."""
        session, board = self._board.session, self._board.bundle.board
        session.mode(protocol.ENERGY if self._meter.sees_trigger else protocol.PERFORMANCE)
        caps = session.caps()
        if self._meter.sees_trigger and "trigger" not in caps:
            raise BenchError(
                f"{board} has no trigger pin for {self._meter.name}",
                hints=["a Raspberry Pi: may the user open /dev/gpiochip0? See docs/energy.md"],
            )
        return caps

    def recordings(self, count: int, seconds: float) -> tuple[list[Recording], list[Recording]]:
        """Windows, each expected to take ``seconds``, and idle before and after them."""
        self._board.load()
        idle = [self._idle()]
        windows = [self._told(at, count, seconds) for at in range(WINDOWS)]
        return windows, [*idle, self._idle()]

    def _told(self, index: int, count: int, seconds: float) -> Recording:
        found = self._window(count, seconds)
        self._board.tell("measure energy", index + 1, WINDOWS)
        return found

    def _window(self, count: int, seconds: float) -> Recording:
        laps: list[float] = []
        found = self._recorded(lambda: laps.append(self._inferences(count, seconds)))
        self._board.require_golden()
        if laps[0]:
            found = replace(found, edge_seconds=_beyond(found, laps[0]))
        _require_expected(found, laps[0] or seconds)
        return found

    def _inferences(self, count: int, seconds: float) -> float:
        """The board's own seconds, 0.0 where it tells none."""
        self._meter.mark()
        found = self._board.session.window(count, seconds).microseconds
        self._meter.mark()
        return (found or 0) / 1e6

    def _idle(self) -> Recording:
        return self._recorded(partial(self._host.sleep, IDLE_SECONDS))

    def _recorded(self, work: Callable[[], None]) -> Recording:
        """What the meter records while ``work`` is done: all of that time."""
        self._meter.start()
        try:
            begin = self._host.now()
            work()
            took = self._host.now() - begin
        finally:
            found = self._meter.stop()
        require_whole(found)
        if found.seconds < (1 - _MOST_UNSAID) * took - _HOST_SECONDS:
            raise refused(
                f"the meter recorded {found.seconds:.3f} s of {took:.3f} s",
                hints=["a lower rate, a USB port of its own, a machine with less to do"],
            )
        return found


def _beyond(recording: Recording, seconds: float) -> float:
    """Seconds by which the host's marks are further apart than the window of the board."""
    begin, end = window_between(recording)
    return max(0.0, (end - begin) / recording.rate_hz - seconds)


def _require_expected(recording: Recording, seconds: float) -> None:
    begin, end = window_between(recording)
    found = (end - begin) / recording.rate_hz
    off = abs(found - seconds) - 2 / recording.rate_hz
    if off > _MOST_OFF * seconds:
        raise refused(
            f"the window lasts {found:.3f} s by the trigger, the board takes {seconds:.3f} s",
            hints=["is another signal on the meter's input, is the meter's clock right?"],
        )


def _require_board(bundle: Bundle, runner: Runner) -> None:
    if runner.caps.kind != FigureKind.MEASURED:
        raise UsageError(
            f"{runner.name} has no energy of {bundle.board}",
            why=["the time of an emulator is none of a board, so that power times it is none"],
            hints=["a board: its probe, --host or --tcp"],
        )


def _assumed(board: _Board, source: AssumedPower, count: int, seconds: float) -> Energy:
    """Power times the board's own time, in windows as a meter would have them."""
    windows = []
    for index in range(WINDOWS):
        took = through_restarts(partial(board.timed_window, count, count * seconds), board.begin)
        windows.append(EnergyWindow(took, source.watts * took, 0.0))
        board.tell("measure time", index + 1, WINDOWS)
    require_steady_time(windows)
    return Energy(count, tuple(windows), None, FigureKind.ASSUMED)
