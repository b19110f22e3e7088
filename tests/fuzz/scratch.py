"""A folder that is all a program under test may touch, and what it leaves there or running."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parents[1]
_MARK = "DEPLOYER_KILLS"
_GRACE = 3.0  # seconds in which compilers that a killed run has started end by themselves


@dataclass(frozen=True)
class Scratch:
    """Home and temporary files are in the folder too. ``mark`` tells its processes from others."""

    folder: Path
    mark: str

    def prepare(self) -> None:
        for name in ("home", "tmp"):
            (self.folder / name).mkdir()

    def environment(self) -> Mapping[str, str]:
        path = os.pathsep.join([str(TESTS.parent), str(TESTS.parent / "hil"), str(TESTS)])
        private = {"HOME": "home", "XDG_CACHE_HOME": "home/cache", "TMPDIR": "tmp"}
        places = {name: str(self.folder / place) for name, place in private.items()}
        places["DEPLOYER_LOCKS"] = str(self.folder / "home" / "locks")
        return {**os.environ, **places, "PYTHONPATH": path, _MARK: self.mark}

    def left_running(self) -> list[str]:
        """What of its processes does not end by itself."""
        until = time.monotonic() + _GRACE
        while (left := self._processes()) and time.monotonic() < until:
            time.sleep(0.02)
        return left

    def lying_about(self) -> list[str]:
        """Files beside the results: hidden ones, and all in the folder of temporary files."""
        hidden = (path for path in self.folder.rglob(".*") if not path.name.startswith(".deployer"))
        temporary = (path for path in (self.folder / "tmp").iterdir() if not _is_a_try(path))
        return sorted(str(path.relative_to(self.folder)) for path in {*hidden, *temporary})

    def _processes(self) -> list[str]:
        return [path.name for path in Path("/proc").glob("[0-9]*") if self._is_ours(path)]

    def _is_ours(self, process: Path) -> bool:
        try:
            return f"{_MARK}={self.mark}".encode() in (process / "environ").read_bytes()
        except OSError:
            return False


def _is_a_try(path: Path) -> bool:
    """What Python's tempfile writes, and removes at once, to see whether a folder takes files."""
    return path.is_file() and len(path.name) == 8 and path.read_bytes() in (b"", b"blat")
