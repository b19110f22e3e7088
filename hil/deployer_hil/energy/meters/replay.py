"""Recordings that were made before: a file with all windows, or a folder with a file for each.

A folder is what ``deployer bench energy --keep`` leaves: ``window-1.npz`` and so on, and
``idle-1.npz`` where idle was recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deployer.errors import UsageError
from deployer_hil.energy.meter import Source, create_meter
from deployer_hil.energy.per_inference import WINDOWS
from deployer_hil.energy.pulses import split
from deployer_hil.energy.recording import Recording, require_whole
from deployer_hil.energy.trace import read_trace, write_trace


class Replay:
    """``windows``: a recording each. ``idle``: of the board that waits, any number."""

    def __init__(self, name: str, windows: Sequence[Recording], idle: Sequence[Recording] = ()):
        self.name = name
        self.windows = tuple(windows)
        self.idle = tuple(idle)


def create(target: str, idle: str = "") -> Replay:
    """``target``: the file or folder; ``idle``: the file of another recording, of the idle board.
    Raises UsageError for what is no trace, BenchError for one that is refused."""
    path = Path(target)
    waiting = [read_trace(Path(idle))] if idle else []
    name = f"replay of {path.name}"
    if not path.is_dir():
        whole = read_trace(path)
        require_whole(whole)
        return Replay(name, split(whole, WINDOWS), waiting)
    waiting += [read_trace(file) for file in sorted(path.glob("idle-*.npz"))]
    files = sorted(path.glob("window-*.npz"))
    if not files:
        raise UsageError(f"{path} has no window-1.npz", hints=["deployer bench energy --keep DIR"])
    return Replay(name, [read_trace(file) for file in files], waiting)


def keep_recordings(folder: Path, windows: Sequence[Recording], idle: Sequence[Recording]) -> None:
    """Files that ``create`` reads again."""
    for kind, recordings in (("window", windows), ("idle", idle)):
        for index, recording in enumerate(recordings, 1):
            write_trace(folder / f"{kind}-{index}.npz", recording)


def live_meter(spec: str) -> Source:
    """As ``create_meter``. Raises UsageError for a recording, which is of another run."""
    found = create_meter(spec)
    if isinstance(found, Replay):
        raise UsageError(
            f"meter {spec}: a recording is of another run",
            hints=["deployer bench energy replays it"],
        )
    return found
