"""A bench instrument that answers queries (SCPI) for volts and amps, by PyVISA.

It has no input for the trigger: the host tells the edges, and a window is known to two readings.
Tested with pyvisa-sim: it has met no instrument.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from deployer.errors import BenchError
from deployer_hil.energy.meter import number
from deployer_hil.energy.recording import Recording

_EXTRA = "pip install 'cnn-deployer[visa]'"


class Visa:
    """``instrument``: an open resource of PyVISA, asked ``rate_hz`` times a second."""

    sees_trigger = False

    def __init__(
        self,
        instrument: Any,
        *,
        name: str,
        rate_hz: float = 10.0,
        volts: str = "MEAS:VOLT?",
        amps: str = "MEAS:CURR?",
    ):
        self.name = name
        self._instrument, self._rate_hz, self._queries = instrument, rate_hz, (volts, amps)
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()
        self._begin = 0.0
        self._rows: list[tuple[int, float, float]] = []  # tick, volts, amps
        self._marks: list[int] = []  # ticks
        self._trouble: Exception | None = None

    def start(self) -> None:
        self._rows, self._marks, self._trouble = [], [], None
        self._ends.clear()
        self._begin = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> Recording:
        """Ticks that no answer came for are dropped samples."""
        thread, self._thread = self._thread, None
        if thread is None:
            raise BenchError(f"{self.name} does not record")
        time.sleep(2 / self._rate_hz)
        self._ends.set()
        thread.join()
        if self._trouble is not None:
            raise BenchError(f"{self.name} does not answer: {self._trouble}")
        ticks = np.array([row[0] for row in self._rows], np.int64)
        trigger = np.ones(len(ticks), bool)
        marks = np.searchsorted(ticks, self._marks)
        trigger[marks[marks < len(ticks)]] = False
        volts, amps = (np.array([row[column] for row in self._rows]) for column in (1, 2))
        missing = int(ticks[-1] - ticks[0]) + 1 - len(ticks) if len(ticks) else 0
        return Recording(self._rate_hz, volts, amps, trigger, dropped=missing)

    def mark(self) -> None:
        """The next reading is behind the edge."""
        self._marks.append(self._tick() + 1)

    def close(self) -> None:
        if self._thread is not None:
            self._ends.set()
        self._instrument.close()

    def _run(self) -> None:
        try:
            while not self._ends.is_set():
                tick = self._tick()
                volts, amps = (float(self._instrument.query(query)) for query in self._queries)
                self._rows.append((tick, volts, amps))
                self._sleep_until(tick + 1)
        except Exception as error:  # of whatever library is below: told by ``stop``
            self._trouble = error

    def _tick(self) -> int:
        return int((time.monotonic() - self._begin) * self._rate_hz)

    def _sleep_until(self, tick: int) -> None:
        left = self._begin + tick / self._rate_hz - time.monotonic()
        time.sleep(max(0.0, left))


def create(
    target: str,
    rate: str = "10",
    volts: str = "MEAS:VOLT?",
    amps: str = "MEAS:CURR?",
    library: str = "",
) -> Visa:
    """``target``: the resource, such as USB0::0x0957::0x8B18::MY1::INSTR. ``volts``, ``amps``: the
    queries. ``library``: PyVISA's backend, such as @py."""
    rate_hz = number("rate", rate)
    try:
        import pyvisa
    except ImportError:
        raise BenchError("the package pyvisa is absent", hints=[_EXTRA]) from None
    try:
        instrument = pyvisa.ResourceManager(library).open_resource(target)
        instrument.read_termination = instrument.write_termination = "\n"
        said = instrument.query("*IDN?").strip() or _nothing()
    except Exception as error:
        raise BenchError(
            f"no instrument at {target}: {error}", hints=["pyvisa-info tells what PyVISA reaches"]
        ) from None
    return Visa(instrument, name=f"{said} at {target}", rate_hz=rate_hz, volts=volts, amps=amps)


def _nothing() -> str:
    raise ValueError("it does not say what it is")
