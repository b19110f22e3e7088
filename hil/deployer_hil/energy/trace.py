"""Recordings in files: npz and CSV, our own, and JLS, what Joulescope's programs write."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from deployer.errors import UsageError
from deployer.files import existing, write_file
from deployer.npz import Npz, NpzError
from deployer_hil.energy.jls import read_jls
from deployer_hil.energy.recording import Recording

COLUMNS = ("seconds", "volts", "amps", "trigger")
_ARRAYS = ("volts", "amps", "trigger")
_MOST_BYTES = 4 << 30  # of one array: 5 windows of 2 MS/s are 0.8 GB
_MOST_JITTER = 0.1  # of a sample's time, in a CSV file


def read_trace(path: Path) -> Recording:
    """Raises UsageError naming the file and what is wrong with it."""
    existing(path, "trace")
    readers: Mapping[str, Callable[[Path], Recording]] = {
        ".npz": _read_npz,
        ".csv": _read_csv,
        ".jls": read_jls,
    }
    if path.suffix.lower() not in readers:
        raise UsageError(f"{path} is no trace", hints=[f"known: {', '.join(readers)}"])
    try:
        return readers[path.suffix.lower()](path)
    except (NpzError, OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}", hints=[f"a trace has {', '.join(_ARRAYS)}"]) from None


def write_trace(path: Path, recording: Recording) -> None:
    """As npz, whole or not at all."""
    data = BytesIO()
    arrays: dict[str, Any] = {name: getattr(recording, name) for name in _ARRAYS}
    arrays |= {"rate_hz": recording.rate_hz, "dropped": recording.dropped}
    np.savez_compressed(data, **arrays, edge_seconds=recording.edge_seconds)
    write_file(path, data.getvalue(), parents=True)


def _read_npz(path: Path) -> Recording:
    with Npz(path) as file:
        volts, amps, trigger = (_column(file, name) for name in _ARRAYS)
        return Recording(
            _scalar(file, "rate_hz"),
            volts,
            amps,
            trigger != 0,
            dropped=int(_scalar(file, "dropped", 0)),
            edge_seconds=_scalar(file, "edge_seconds", 0),
        )


def _column(file: Npz, name: str) -> np.ndarray:
    found = file.array(name, limit=_MOST_BYTES)
    if found.ndim != 1:
        raise NpzError(f"{name!r} has the shape {found.shape}, (n,) is wanted")
    return found


def _scalar(file: Npz, name: str, default: float | None = None) -> float:
    if default is not None and name not in file.keys:
        return default
    value = file.array(name, limit=64)
    if value.size != 1 or not math.isfinite(value.item()) or value.item() < 0:
        raise NpzError(f"{name!r} is no positive number")
    return float(value.item())


def _read_csv(path: Path) -> Recording:
    with path.open(newline="", encoding="utf-8", errors="strict") as file:
        head = next(csv.reader(file), [])
        if tuple(name.strip().lower() for name in head) != COLUMNS:
            raise ValueError(f"its first line is not {','.join(COLUMNS)}")
        rows = file.readlines()
    if len(rows) < 2:
        raise ValueError(f"{len(rows)} rows of samples")
    table = np.loadtxt(rows, delimiter=",", ndmin=2)
    if table.shape[1] != len(COLUMNS):
        raise ValueError(f"{len(table)} rows of {table.shape[1]} columns")
    rate_hz, dropped = _clock(table[:, 0])
    return Recording(rate_hz, table[:, 1], table[:, 2], table[:, 3] != 0, dropped=dropped)


def _clock(seconds: np.ndarray) -> tuple[float, int]:
    """(samples a second, samples missing): times that are whole steps apart, by the usual step."""
    steps = np.diff(seconds)
    usual = float(np.median(steps))
    if not (math.isfinite(usual) and usual > 0):
        raise ValueError("its times do not grow")
    counts = np.maximum(np.rint(steps / usual), 1)
    if np.max(np.abs(steps - counts * usual)) > _MOST_JITTER * usual:
        raise ValueError("its samples are not evenly spaced")
    missing = int(np.sum(counts)) - len(steps)
    return (len(steps) + missing) / float(seconds[-1] - seconds[0]), missing
