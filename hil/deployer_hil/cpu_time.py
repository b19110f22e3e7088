"""Whether a program still computes, by the processor time it takes with all that it started."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from pathlib import Path

LEAST_SHARE = 0.01  # of a processor that a model takes whose time goes on, even at load 10
_PROC = Path("/proc")
_PARENT, _TIMES = 1, slice(11, 15)  # behind the name: own and awaited children's, user and system


class CpuWatch:
    """Of the process ``pid``: it is stuck when ``seconds`` pass in which it takes next to no time
    of a processor. Where the system does not tell, it never is."""

    def __init__(self, pid: int, seconds: float):
        self.seconds = seconds
        self._pid = pid
        self._used = cpu_seconds(pid) or 0.0
        self._since = time.monotonic()

    def is_stuck(self) -> bool:
        used, now = cpu_seconds(self._pid), time.monotonic()
        if used is None or used - self._used >= LEAST_SHARE * self.seconds:
            self._used, self._since = used or 0.0, now
        return now - self._since >= self.seconds


def cpu_seconds(pid: int) -> float | None:
    """Of a process and its descendants; None where the system does not tell."""
    if not (_PROC / str(pid)).is_dir():
        return None
    children, ticks = defaultdict[int, list[int]](list), dict[int, int]()
    for process, fields in _processes():
        children[int(fields[_PARENT])].append(process)
        ticks[process] = sum(map(int, fields[_TIMES]))
    family = [pid]
    for member in family:  # grows
        family += children[member]
    return sum(ticks.get(member, 0) for member in family) / os.sysconf("SC_CLK_TCK")


def _processes() -> list[tuple[int, list[str]]]:
    found = []
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(errors="replace")
            except OSError:  # it has just ended
                continue
            found.append((int(entry.name), text.rpartition(")")[2].split()))
    return found
