"""Whether a bench's meter records, and sees the pulses of the board's trigger. It has met neither.

The image that is there pulses twice in energy mode; nothing is built, programmed or measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing

from deployer.errors import BenchError
from deployer_hil import protocol
from deployer_hil.energy.meter import AssumedPower
from deployer_hil.energy.meters.replay import live_meter
from deployer_hil.energy.pulses import pulses
from deployer_hil.energy.recording import Recording, require_whole
from deployer_hil.energy.timed import Meter
from deployer_hil.lab.bench import Bench
from deployer_hil.session import Session

PULSES = 2
_SETTLE_SECONDS = 0.2  # around the pulses, and of a meter without a trigger


def metered(bench: Bench, session: Session) -> str:
    """What the meter of ``bench`` sees of the board behind ``session``; "" for assumed power.
    Raises BenchError where it gives no samples, or other pulses than were made."""
    with closing(live_meter(bench.meter)) as meter:
        if isinstance(meter, AssumedPower):
            return ""
        if not meter.sees_trigger:
            found = _recorded(meter, lambda: None)
            return f"{meter.name}: {len(found.amps):,} samples; it sees no trigger"
        return _edges(meter, session, bench.trigger or "the trigger pin")


def _edges(meter: Meter, session: Session, pin: str) -> str:
    session.hello()
    session.mode(protocol.ENERGY)
    try:
        found = _recorded(meter, lambda: _pulse(session))
    finally:
        session.mode(protocol.PERFORMANCE)
    seen = len(pulses(found))
    if seen != PULSES:
        raise BenchError(
            f"{meter.name} saw {seen} pulses of the trigger, {PULSES} were made",
            why=[f"{len(found.amps):,} samples at {found.rate_hz:g} a second"],
            hints=[f"is {pin} wired to the meter's input, with a common ground?"],
        )
    return f"{meter.name}: {PULSES} pulses in {found.seconds:.2f} s"


def _pulse(session: Session) -> None:
    for _ in range(PULSES):
        session.pulse()
        time.sleep(_SETTLE_SECONDS)


def _recorded(meter: Meter, work: Callable[[], None]) -> Recording:
    meter.start()
    try:
        time.sleep(_SETTLE_SECONDS)
        work()
    finally:
        found = meter.stop()
    require_whole(found)
    return found
