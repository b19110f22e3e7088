"""Whether a board ran as it should: cycles with a cache off or at another clock mislead."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.errors import BenchError

UNCOUNTED = "uncounted"  # what a record says of counts that were taken away
_HELD_BACK = 0xF  # under-voltage, clock capped, throttled, too warm; from bit 16: since boot


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


def uncounted(caps: Mapping[str, str], clock_hz: int) -> dict[str, str]:
    """What makes counts of a machine with an operating system worth nothing, as UNCOUNTED: a clock
    that is not ``clock_hz``, or a chip that holds itself back, by a Raspberry Pi's own bits. Empty
    where nothing does."""
    hz = caps.get("clock_hz", "not told")
    clock = [] if hz == str(clock_hz) else [f"the clock is {hz}, not {clock_hz} Hz"]
    moments = [name for name in ("before", "after") if _held_back(caps, name)]
    held = [f"throttled {name} the run ({caps[f'throttled_{name}']})" for name in moments]
    return {UNCOUNTED: ", ".join([*clock, *held])} if clock or held else {}


def require_unthrottled(figures: str, board: str, caps: Mapping[str, str], clock_hz: int) -> None:
    """Raises BenchError where ``uncounted`` says that ``figures`` are worth nothing."""
    why = uncounted(caps, clock_hz).get(UNCOUNTED)
    if why:
        raise BenchError(
            f"{figures} of {board} would mislead: {why}",
            hints=["a heat sink, a stronger supply, a fan"],
        )


def _held_back(caps: Mapping[str, str], moment: str) -> bool:
    try:
        return bool(int(caps.get(f"throttled_{moment}", "0"), 16) & _HELD_BACK)
    except ValueError:
        return False
