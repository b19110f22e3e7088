"""Traces of Joulescope's own programs: JLS files, read by the Python package pyjls.

The Joulescope UI records current and voltage, and general purpose inputs where they are ticked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from deployer.errors import BenchError, UsageError
from deployer_hil.energy.recording import Recording

VOLTS, AMPS = "voltage", "current"
TRIGGERS = ("gpi[0]", "gpi[1]", "gpi[2]", "gpi[3]", "trigger_in[0]")  # the first that is there
_HINT = "record current, voltage and gpi[0] at one rate"
_EXTRA = "pip install 'cnn-deployer[joulescope]'"


def read_jls(path: Path) -> Recording:
    """Raises UsageError for a file without the three signals, BenchError without pyjls."""
    try:
        import pyjls
    except ImportError:
        raise BenchError("JLS files are read by pyjls, which is absent", hints=[_EXTRA]) from None
    try:
        with pyjls.Reader(str(path)) as file:
            return _recording(path, file)
    except (RuntimeError, KeyError) as error:
        raise UsageError(f"{path} is no JLS file that pyjls reads: {error}") from None


def _recording(path: Path, file: Any) -> Recording:
    named = {signal.name: signal for signal in file.signals.values() if signal.length}
    trigger = next((name for name in TRIGGERS if name in named), TRIGGERS[0])
    missing = [name for name in (VOLTS, AMPS, trigger) if name not in named]
    if missing:
        raise UsageError(f"{path} has no signal {', '.join(missing)}", hints=[_HINT])
    signals = [named[name] for name in (VOLTS, AMPS, trigger)]
    if len({signal.sample_rate for signal in signals}) > 1:
        rates = ", ".join(f"{signal.name} {signal.sample_rate} Hz" for signal in signals)
        raise UsageError(f"{path} has signals of several rates: {rates}", hints=[_HINT])
    begin = max(signal.sample_id_offset for signal in signals)
    end = min(signal.sample_id_offset + signal.length for signal in signals)
    volts, amps, level = (_samples(file, signal, begin, end) for signal in signals)
    return Recording(float(signals[0].sample_rate), volts, amps, level != 0)


def _samples(file: Any, signal: Any, begin: int, end: int) -> np.ndarray:
    """Those of common times, a bit each unpacked. Samples that are missing are no numbers."""
    import pyjls

    count = max(0, end - begin)
    found: np.ndarray = file.fsr(signal.signal_id, begin - signal.sample_id_offset, count)
    if pyjls.data_type_as_enum(signal.data_type) == pyjls.DataType.U1:
        return np.unpackbits(found.view(np.uint8), bitorder="little")[:count]
    return found
