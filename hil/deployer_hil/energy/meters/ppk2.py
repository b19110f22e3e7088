"""Nordic's Power Profiler Kit II, by the package ``ppk2-api``.

That package is GPL: deployer neither ships nor requires it, and finds it where you installed it.
Tested with a fake of the package: it has met no PPK2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.meter import number
from deployer_hil.energy.meters.drain import Drain
from deployer_hil.energy.recording import Recording

RATE_HZ = 100_000.0
_WORD = np.dtype("<u4")  # of a sample
_COUNTER_SHIFT, _COUNTERS = 18, 64  # bits that count samples in each word
_MOST_VOLTS, _LEAST_VOLTS = 5.0, 0.8


class Ppk2:
    """``api``: the package's object. It supplies the board with ``volts``, or, with ``supply``
    false, measures the current of another supply of that voltage. ``trigger``: 0 to 7."""

    sees_trigger = True

    def __init__(self, api: Any, *, volts: float, supply: bool, trigger: int):
        self.name = f"PPK2, {'supplying' if supply else 'in a supply of'} {volts:g} V"
        self._api, self._volts, self._trigger = api, volts, trigger
        self._drain: Drain | None = None
        api.get_modifiers()
        (api.use_source_meter if supply else api.use_ampere_meter)()
        api.set_source_voltage(round(1000 * volts))
        api.toggle_DUT_power("ON")

    def start(self) -> None:
        self._api.start_measuring()
        self._drain = Drain(self._api.get_data)

    def stop(self) -> Recording:
        """Samples that were lost are missing in the count that each one carries."""
        if self._drain is None:
            raise BenchError(f"{self.name} does not record")
        drain, self._drain = self._drain, None
        try:
            data = drain.finish()
        finally:
            self._api.stop_measuring()
        words = np.frombuffer(data[: len(data) // _WORD.itemsize * _WORD.itemsize], _WORD)
        microamps, bits = self._api.get_samples(words.tobytes()) if len(words) else ([], [])
        level = (np.array(bits, np.uint8) >> self._trigger & 1) != 0
        return Recording(
            RATE_HZ,
            np.full(len(microamps), self._volts),
            1e-6 * np.array(microamps, np.float64),
            level,
            dropped=_missing(words) + len(words) - len(microamps),
        )

    def mark(self) -> None:
        """The meter sees the trigger."""

    def close(self) -> None:
        """The board stays supplied: what is in its RAM is needed."""
        if self._drain is not None:
            self.stop()


def create(target: str, volts: str = "3.3V", supply: str = "yes", input: str = "0") -> Ppk2:  # noqa: A002
    """``target``: the serial port. ``supply``: whether the meter supplies the board. ``input``: the
    logic input, D0 to D7, that the trigger is wired to."""
    value = number("volts", volts, "V")
    if not _LEAST_VOLTS <= value <= _MOST_VOLTS or supply not in ("yes", "no"):
        raise UsageError("ppk2: volts is from 0.8 to 5, supply is yes or no")
    if input not in tuple("01234567"):
        raise UsageError(f"ppk2: no input {input!r}", hints=["0 to 7"])
    try:
        from ppk2_api.ppk2_api import PPK2_API
    except ImportError:
        raise BenchError(
            "the package ppk2-api is absent",
            hints=["pip install ppk2-api: under GPL-2.0, and no part of deployer"],
        ) from None
    try:
        api = PPK2_API(target)
    except Exception as error:
        raise BenchError(f"no PPK2 on {target}: {error}", hints=["ppk2:PORT"]) from None
    return Ppk2(api, volts=value, supply=supply == "yes", trigger=int(input))


def _missing(words: np.ndarray) -> int:
    """Samples, by the counts; a multiple of 64 on end goes unnoticed here, not by the time."""
    counts = (words >> _COUNTER_SHIFT).astype(np.int64) % _COUNTERS
    steps = np.diff(counts) % _COUNTERS
    return int(np.sum((steps - 1) % _COUNTERS))
