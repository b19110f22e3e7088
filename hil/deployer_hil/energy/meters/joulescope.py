"""Joulescope JS220 and JS110, by Jetperch's Python package ``joulescope``.

A general purpose input of the meter is the trigger; it comes with the samples. Tested with a fake
of the package's device: it has met no Joulescope.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.meter import number
from deployer_hil.energy.recording import Recording

BUFFER_SECONDS = 30  # of samples that the package keeps, 15 bytes each
RATES = (1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6)
_INPUTS = {"0": "current_lsb", "1": "voltage_lsb"}  # fields of the package's sample buffer
_FIRST_SECONDS = 5.0  # until samples come
_SETTLE_SECONDS = 0.2
_EXTRA = "pip install 'cnn-deployer[joulescope]'"


class Joulescope:
    """``device``: the package's, open."""

    sees_trigger = True

    def __init__(self, device: Any, *, rate_hz: float = 1e5, trigger: str = "0"):
        self.name = f"joulescope {device}"
        self._device, self._rate_hz, self._field = device, rate_hz, _INPUTS[trigger]
        self._first = 0
        settings = {
            "source": "raw",
            "sensor_power": "on",
            "i_range": "auto",
            "io_voltage": "3.3V",
            "buffer_duration": BUFFER_SECONDS,
            "sampling_frequency": round(rate_hz),
            "current_lsb": "gpi0",
            "voltage_lsb": "gpi1",
        }
        for name, value in settings.items():
            device.parameter_set(name, value)

    def start(self) -> None:
        """Until samples come: the package misses some at first."""
        self._device.start()
        end = time.monotonic() + _FIRST_SECONDS
        while not self._range()[1]:
            if time.monotonic() > end:
                raise BenchError(
                    f"{self.name} gives no samples", hints=["is another program using it?"]
                )
            time.sleep(0.01)
        self._first = self._range()[1]

    def stop(self) -> Recording:
        """Samples that the package misses are no numbers in it."""
        time.sleep(_SETTLE_SECONDS)
        self._device.stop()
        begin, end = self._range()
        fields = ["current", "voltage", self._field]
        told = self._device.stream_buffer.samples_get(max(begin, self._first), end, fields=fields)
        amps, volts, level = (np.array(told["signals"][name]["value"]) for name in fields)
        lost = max(0, begin - self._first)  # beyond the room there is
        return Recording(self._rate_hz, volts, amps, level > 0, dropped=lost)

    def mark(self) -> None:
        """The meter sees the trigger."""

    def close(self) -> None:
        self._device.close()

    def _range(self) -> tuple[int, int]:
        begin, end = self._device.stream_buffer.sample_id_range
        return begin or 0, end or 0


def create(target: str = "", rate: str = "1e5", input: str = "0") -> Joulescope:  # noqa: A002
    """``target``: serial number, for a machine with several. ``rate``: samples a second. ``input``:
    the general purpose input that the trigger is wired to. Raises BenchError without the package
    or the meter."""
    rate_hz = number("rate", rate)
    if rate_hz not in RATES or input not in _INPUTS:
        known = ", ".join(f"{rate:g}" for rate in RATES)
        raise UsageError("joulescope: no such rate or input", hints=[f"rate {known}", "input 0, 1"])
    try:
        import joulescope
    except ImportError:
        raise BenchError("the package joulescope is absent", hints=[_EXTRA]) from None
    device = _one(joulescope.scan, target)
    try:
        device.open()
    except Exception as error:
        raise BenchError(
            f"joulescope {device} cannot be opened: {error}",
            hints=["is another program using it, may this user use the device?"],
        ) from None
    return Joulescope(device, rate_hz=rate_hz, trigger=input)


def _one(scan: Callable[[], list[Any]], serial: str) -> Any:
    found = scan()
    wanted = [device for device in found if not serial or str(device).endswith(serial)]
    if len(wanted) == 1:
        return wanted[0]
    there = ", ".join(map(str, found)) or "none"
    raise BenchError(
        f"{len(wanted)} Joulescopes where one is wanted",
        why=[f"connected: {there}"],
        hints=["joulescope:SERIAL names one"],
    )
