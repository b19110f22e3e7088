"""A board at a place of labgrid, through the process that holds the place: its probe, its meter."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deployer.errors import BenchError
from deployer_hil.energy.recording import Recording
from deployer_hil.energy.trace import read_trace
from deployer_hil.image import Segment, arm_segments
from deployer_hil.places.labgrid import ask
from deployer_hil.probe import Probe, Progress


class PlaceLoader:
    """A ``Loader``: pyOCD on the machine of the probe, by labgrid's driver. ``keeper``: the path of
    who holds the place. It has met no probe."""

    def __init__(self, keeper: str, *, target: str, frequency: int, port: str = ""):
        self._keeper = keeper
        self._board = {"target": target, "frequency": frequency}
        self._port = port

    def find(self) -> Probe:
        found = ask(self._keeper, do="probe", **self._board)
        return Probe(found["uid"], "at a place of labgrid", self._port or None)

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        tell = progress or (lambda part: None)
        tell(0.0)
        with _files(arm_segments(elf)) as parts:
            ask(self._keeper, do="program", file=str(elf.resolve()), parts=parts, **self._board)
        tell(1.0)

    def reset(self) -> None:
        ask(self._keeper, do="reset", **self._board)

    def close(self) -> None:
        """The place is not this object's to give back."""


@contextmanager
def _files(segments: Sequence[Segment]) -> Iterator[list[tuple[int, str]]]:
    """Addresses, and files with the bytes that must be there."""
    with tempfile.TemporaryDirectory(prefix="deployer-image-") as folder:
        paths = [Path(folder) / f"{part.address:08x}.bin" for part in segments]
        for path, part in zip(paths, segments, strict=True):
            path.write_bytes(part.data)
        yield [(part.address, str(path)) for path, part in zip(paths, segments, strict=True)]


class PlaceMeter:
    """A ``Meter``: one of the place's, by labgrid's driver. It has met no meter."""

    def __init__(self, keeper: str):
        self._keeper = keeper
        described = ask(keeper, do="meter")
        self.name = str(described["name"])
        self.sees_trigger = bool(described["sees_trigger"])

    def start(self) -> None:
        ask(self._keeper, do="meter-start")

    def stop(self) -> Recording:
        with tempfile.TemporaryDirectory(prefix="deployer-trace-") as folder:
            path = Path(folder) / "trace.npz"
            ask(self._keeper, do="meter-stop", file=str(path))
            if not path.is_file():
                raise BenchError(f"{self.name} gave no recording")
            return read_trace(path)

    def mark(self) -> None:
        ask(self._keeper, do="meter-mark")

    def close(self) -> None:
        """The place is not this object's to give back."""
