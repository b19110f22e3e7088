"""A meter that is not there, and the time in which it records: both of a ``Scene``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from deployer_hil.energy.live import Host
from deployer_hil.energy.recording import Recording
from fakes.traces import Scene, recorded, waiting

Fault = Callable[[Recording], Recording]


class FakeMeter:
    """While the host sleeps the board idles, else there is a window. ``fault``: what is wrong with
    every recording from number ``since`` on; ``late``: seconds that pass and are not recorded."""

    def __init__(
        self,
        scene: Scene,
        *,
        fault: Fault = lambda recording: recording,
        since: int = 0,
        late: float = 0.0,
        sees_trigger: bool = True,
    ):
        self.name, self.sees_trigger = "fake meter 7", sees_trigger
        self.calls: list[str] = []
        self._scene, self._fault, self._since, self._late = scene, fault, since, late
        self._number, self._readings, self._slept = 0, 0, 0.0
        self.host = Host(now=self._now, sleep=self._sleep)

    def start(self) -> None:
        self.calls.append("start")
        self._readings, self._slept = 0, 0.0
        scene = replace(self._scene, seed=self._scene.seed + self._number)
        self._window = recorded(scene)
        self._waiting = waiting(scene, seconds=3.2)

    def stop(self) -> Recording:
        self.calls.append("stop")
        found = self._waiting if self._slept else self._window
        self._number += 1
        return self._fault(found) if self._number > self._since else found

    def mark(self) -> None:
        self.calls.append("mark")

    def close(self) -> None:
        self.calls.append("close")

    def _now(self) -> float:
        """Asked before the work, and after it."""
        self._readings += 1
        took = self._slept or self._window.seconds
        return took + self._late if self._readings > 1 else 0.0

    def _sleep(self, seconds: float) -> None:
        self._slept = seconds


class StuckMeter(FakeMeter):
    """Does not return from ``at`` ("start", "stop", "close"), until it is let go; at "nothing" it
    returns, and has recorded nothing."""

    def __init__(self, scene: Scene, at: str):
        super().__init__(scene)
        self._at, self._free = at, threading.Event()

    def start(self) -> None:
        self._wait("start")
        super().start()

    def stop(self) -> Recording:
        self._wait("stop")
        found = super().stop()
        return found.part(0, 0) if self._at == "nothing" else found

    def close(self) -> None:
        self._wait("close")
        super().close()

    def let_go(self) -> None:
        self._free.set()

    def _wait(self, where: str) -> None:
        if where == self._at:
            self._free.wait()


# for pyvisa-sim: a supply of 3.3 V and 0.25 A
INSTRUMENT = """
spec: "1.1"
devices:
  supply:
    eom:
      ASRL INSTR:
        q: "\\n"
        r: "\\n"
    dialogues:
      - {q: "*IDN?", r: "MAKER,PSU-1,7,1.0"}
      - {q: "MEAS:VOLT?", r: "3.3"}
      - {q: "MEAS:CURR?", r: "0.25"}
resources:
  ASRL1::INSTR:
    device: supply
"""
