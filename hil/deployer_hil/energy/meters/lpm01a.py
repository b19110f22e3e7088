"""ST's X-NUCLEO-LPM01A, the "PowerShield", by its own serial protocol.

It supplies the board, up to about 50 mA that vary: enough for GAP8, not for a NUCLEO-F767ZI at full
speed. Set up as MLPerf Tiny's runner does: energy of each millisecond, falling edges of D7 in the
stream. Tested with a fake behind a terminal: it has met no LPM01A.
"""

from __future__ import annotations

import re
import time
from itertools import pairwise
from typing import Any

import numpy as np

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.meter import number
from deployer_hil.energy.meters.drain import Drain
from deployer_hil.energy.recording import Recording, refused

BAUD = 3_686_400
RATE_HZ = 1000.0
_REPLY_SECONDS = 3.0
_PROMPT = "PowerShield > "
_VALUE = re.compile(r"(\d{4})([+-]\d{2})")  # 6409-07 is 6409e-7
_VALUES = re.compile(rf"(?:{_VALUE.pattern})+")
_EVENT = re.compile(r"event (\d+) \w+")
_CLOCK = re.compile(r"TimeStamp:\D*(\d+)s (\d+)ms.*")


class Lpm01a:
    """``port``: a serial port as pyserial has it, whose reads do not wait."""

    sees_trigger = True

    def __init__(self, port: Any, *, volts: float):
        self.name = f"X-NUCLEO-LPM01A, supplying {volts:g} V"
        self._port, self._volts = port, volts
        self._drain: Drain | None = None
        self._head = ""  # of the stream, heard with what it answered
        for command in (
            *("htc", "acqtime inf", "trigdelay 0", "trigsrc sw", "eventsrc d7 fal"),
            *("output energy", "format ascii_dec", "freq 1k", f"volt {round(1000 * volts)}m"),
            "pwr on nostatus",
        ):
            self._ask(command)

    def start(self) -> None:
        self._head = self._ask("start")
        self._drain = Drain(self._read)

    def stop(self) -> Recording:
        if self._drain is None:
            raise BenchError(f"{self.name} does not record")
        drain, self._drain = self._drain, None
        data = drain.finish()
        self._send("stop")
        self._until("Acquisition completed")
        return parse_stream(self._head + data.decode("ascii", "replace"), self._volts)

    def mark(self) -> None:
        """The meter sees the trigger."""

    def close(self) -> None:
        """The board stays supplied; the panel is given back."""
        if self._drain is not None:
            self.stop()
        if self._port.is_open:
            self._ask("hrc")
            self._port.close()

    def _ask(self, command: str) -> str:
        """What came behind its acknowledgement; raises BenchError for none."""
        self._send(command)
        said = self._until(f"ack {command}", f"error {command}")
        if f"error {command}" in said:
            raise BenchError(f"{self.name} refuses {command!r}", why=said.splitlines()[-4:])
        return said.partition(f"ack {command}")[2]

    def _send(self, command: str) -> None:
        self._port.write(f"{command}\r\n".encode())

    def _read(self) -> bytes:
        found: bytes = self._port.read(self._port.in_waiting or 1)
        return found

    def _until(self, *marks: str) -> str:
        """What it says up to one of ``marks``."""
        heard, end = "", time.monotonic() + _REPLY_SECONDS
        while not any(mark in heard for mark in marks):
            if time.monotonic() > end:
                raise BenchError(
                    f"no X-NUCLEO-LPM01A answers: {marks[0]!r} was waited for",
                    why=[repr(line) for line in heard.splitlines()[-4:]],
                    hints=["lpm01a:PORT names its serial port"],
                )
            heard += self._read().decode("ascii", "replace")
        return heard


def create(target: str, volts: str = "3.3V") -> Lpm01a:
    """``target``: the serial port. ``volts``: what the meter supplies, 1.8 to 3.3."""
    import serial

    value = number("volts", volts, "V")
    if not 1.8 <= value <= 3.3:
        raise UsageError(f"an LPM01A supplies 1.8 to 3.3 V, not {value:g} V")
    try:
        port = serial.Serial(target, BAUD, timeout=0.01)
    except (OSError, ValueError) as error:
        raise BenchError(f"no X-NUCLEO-LPM01A on {target}: {error}") from None
    return Lpm01a(port, volts=value)


def parse_stream(text: str, volts: float) -> Recording:
    """What it sent between start and stop: energies of a millisecond, events, a time each second.
    A line that is damaged, and samples fewer than the times say, count as dropped."""
    joules: list[float] = []
    edges: list[tuple[int, int]] = []  # number, sample
    dropped, before = 0, None
    for line in _lines(text):
        if _VALUES.fullmatch(line):
            joules += [float(f"{digits}e{power}") for digits, power in _VALUE.findall(line)]
        elif event := _EVENT.fullmatch(line):
            edges.append((int(event[1]), len(joules)))
        elif clock := _CLOCK.fullmatch(line):
            now = int(clock[1]) * 1000 + int(clock[2]), len(joules)
            dropped += _short(before, now) if before else 0
            before = now
        elif not line.startswith(("ack", "error")):
            dropped += 1
    _require_in_order([number for number, _ in edges])
    trigger = np.ones(len(joules), bool)
    trigger[[at for _, at in edges if at < len(joules)]] = False
    amps = np.array(joules, np.float64) * RATE_HZ / volts
    return Recording(RATE_HZ, np.full(len(amps), volts), amps, trigger, dropped=dropped)


def _lines(text: str) -> list[str]:
    """Without the last one, which may have been cut."""
    lines = [line.replace(_PROMPT, "").strip() for line in text.split("\n")[:-1]]
    return [line for line in lines if line]


def _require_in_order(numbers: list[int]) -> None:
    for before, now in pairwise(numbers):
        if now != before + 1:
            raise refused(f"the meter lost an edge: event {now} follows event {before}")


def _short(before: tuple[int, int], now: tuple[int, int]) -> int:
    """Samples that are missing from one time, in ms, to the next."""
    return max(0, now[0] - before[0] - (now[1] - before[1]))
