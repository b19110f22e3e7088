"""Whether a board ran as it should: cycles with a cache off or at another clock mislead."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.errors import BenchError


def require_conditions(board: str, caps: Mapping[str, str], clock_hz: int) -> None:
    """``caps`` as the device reads them back; a cache that the chip lacks is "none". Raises
    BenchError naming what is not as wanted."""
    caches = {name: state for name, state in caps.items() if name in ("icache", "dcache")}
    wrong = [f"{name} is {state}" for name, state in caches.items() if state not in ("on", "none")]
    if caps.get("clock_hz") != str(clock_hz):
        wrong.append(f"the core runs at {caps.get('clock_hz', 'an unknown number of')} Hz")
    if wrong:
        raise BenchError(
            f"{board} does not run as its cycles would be told",
            why=[*wrong, f"wanted: caches on, {clock_hz} Hz"],
            hints=["program the image again and reset: start-up sets clock and caches"],
        )
