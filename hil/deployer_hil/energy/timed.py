"""What a meter does, and one whose every call ends: what hangs is named, and not asked again.

A call that hangs goes on in its thread, which ends with the process: only then is the instrument
free again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Protocol, TypeVar

from deployer.errors import BenchError
from deployer_hil.energy.recording import Recording

T = TypeVar("T")
CALL_SECONDS = 10.0  # that opening, starting or closing a meter may take
READING_FACTOR = 2.0  # seconds that a second of recording may take to be read, beside those
_HINTS = ("power the meter off and on, or plug it in again", "is another program using it?")


class Meter(Protocol):
    """A recording at a time: ``start``, then ``stop``. ``close`` frees the instrument."""

    name: str  # kind of meter, and which one
    sees_trigger: bool  # else it is told by ``mark``

    def start(self) -> None:
        """Record from now on. Raises BenchError when the meter does not answer."""

    def stop(self) -> Recording:
        """What was recorded since ``start``; samples that were lost are in it as dropped."""

    def mark(self) -> None:
        """The host is where an edge is: of meters that do not see the trigger."""

    def close(self) -> None:
        """Twice is harmless."""


class TimedMeter:
    """``inner``, each call of which may take ``seconds``. One that takes longer raises
    BenchError, as do all calls behind it."""

    def __init__(self, inner: Meter, *, seconds: float = CALL_SECONDS):
        self.name, self.sees_trigger = inner.name, inner.sees_trigger
        self._inner, self._seconds = inner, seconds
        self._begun = time.monotonic()
        self._stuck = False

    def start(self) -> None:
        self._call("does not begin to record", self._inner.start, self._seconds)
        self._begun = time.monotonic()

    def stop(self) -> Recording:
        """Raises BenchError for one without a sample, too."""
        recorded = time.monotonic() - self._begun
        seconds = self._seconds + READING_FACTOR * recorded
        found = self._call("does not give its recording", self._inner.stop, seconds)
        if not len(found.amps):
            raise BenchError(f"{self.name} gave no samples", hints=_HINTS)
        return found

    def mark(self) -> None:
        """At once: its moment is what counts."""
        self._inner.mark()

    def close(self) -> None:
        """A meter that is stuck stays as it is: what was measured before stands."""
        if self._stuck:
            return
        try:
            self._call("is not given back", self._inner.close, self._seconds)
        except BenchError:
            if not self._stuck:
                raise

    def _call(self, what: str, work: Callable[[], T], seconds: float) -> T:
        if self._stuck:
            raise BenchError(f"{self.name} is stuck", hints=_HINTS)
        try:
            return within(seconds, work)
        except TimeoutError:
            self._stuck = True
            raise stuck(self.name, what, seconds) from None


def within(seconds: float, work: Callable[[], T]) -> T:
    """What ``work`` gives or raises, TimeoutError where it takes longer and goes on by itself."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    return done.result(seconds)


def stuck(name: str, what: str, seconds: float) -> BenchError:
    """The error for the meter ``name`` that did not answer in time."""
    return BenchError(f"{name} is stuck: it {what} within {seconds:.0f} s", hints=_HINTS)
