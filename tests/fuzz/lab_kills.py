"""Kill ``deployer lab run`` at seeded moments, or fill its disk: no result is lost, none is there
twice, none is wrong; nothing runs on, nothing lies about, and the next run works.

    python -m tests.fuzz.lab_kills --count 200 --seed 1
    python -m tests.fuzz.lab_kills --count 4 --benches qemu
    python -m tests.fuzz.lab_kills --count 50 --trouble full

Benches are fake devices, whose cells take milliseconds, or two emulated NUCLEO-F767ZI. A run whose
disk is full may not write beyond a seeded number of bytes into any file.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

import onnx

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from deployer_hil.matrix import Sessions  # noqa: E402
from deployer_hil.results import Result, Results  # noqa: E402
from fakes import fake_cells  # noqa: E402
from fuzz.scratch import Scratch  # noqa: E402
from models import residual_net  # noqa: E402

_TOLD = re.compile(r"\[(\d+)/\d+\] .*: (exact|differs)$", re.M)
_TOGETHER = 20  # runs of one file of results: each look at it reads all
_LEAST, _MOST = 2_000, 200_000  # bytes that fit on a full disk
_FULL = re.compile(r"error: (no room for|cannot write|the disk does not take) .*\n")


@dataclass(frozen=True)
class Benches:
    """``cells`` of the matrix, which end with ``status`` in all."""

    lab: str
    matrix: str
    command: tuple[str, ...]
    cells: int
    status: int


_QEMU = '[bench.{0}]\nboard = "nucleo-f767zi"\nrunner = "qemu_system"\n'
_FAKE = '[bench.{0}]\nboard = "host"\nrunner = "host"\n'
_MATRIX = '[[matrix]]\nmodels = ["net.onnx"]\nboards = ["{}"]\n[matrix.options]\nseed = {}\n'
BENCHES = {
    "fake": Benches(
        "".join(map(_FAKE.format, ("one", "two", "three"))),
        _MATRIX.format("host", "[0, 1, 2, 3, 4, 5, 6, 7]"),
        (sys.executable, "-P", fake_cells.__file__),
        cells=8,
        status=5,
    ),
    "qemu": Benches(
        "".join(map(_QEMU.format, ("one", "two"))),
        _MATRIX.format("nucleo-f767zi", "[0, 1]\ngolden = 1"),
        (sys.executable, "-m", "deployer", "lab", "run"),
        cells=2,
        status=0,
    ),
}


@dataclass
class Drill:
    """Runs of one matrix, and what is known of its results."""

    scratch: Scratch
    benches: Benches
    known: dict[tuple[str, str], str] = field(default_factory=dict)  # record by session and cell

    @property
    def results(self) -> Path:
        return self.scratch.folder / "results.sqlite"

    def prepare(self) -> None:
        folder = self.scratch.folder
        self.scratch.prepare()
        onnx.save(residual_net(), folder / "net.onnx")
        (folder / "lab.toml").write_text(self.benches.lab)
        (folder / "matrix.toml").write_text(self.benches.matrix)

    def start(self, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.benches.command, "--lab", "lab.toml", "matrix.toml"],
            cwd=self.scratch.folder,
            env=self.scratch.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )

    def whole(self) -> tuple[float, list[str]]:
        """A run that nobody disturbs: seconds, and what is wrong with it."""
        began = time.monotonic()
        run = self.start()
        _, errors = run.communicate()
        return time.monotonic() - began, list(self._wrong_at_the_end(run.returncode, errors))

    def killed(self, after: float) -> list[str]:
        """What is wrong with a run that is killed ``after`` seconds."""
        run = self.start()
        try:
            _, errors = run.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            _, errors = run.communicate()
        return list(self._wrong_now(errors))

    def out_of_room(self, size: int) -> list[str]:
        """What is wrong with a run whose files may hold ``size`` bytes."""
        run = self.start(partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size)))
        _, errors = run.communicate()
        faults = list(self._wrong_now(errors))
        if run.returncode not in (6, self.benches.status):
            faults.append(f"it ends with {run.returncode}: {errors.strip()[-300:]}")
        if run.returncode == 6 and (not _FULL.search(errors) or "took no more" in errors):
            faults.append(f"the disk is not what is blamed: {errors.strip()[-300:]}")
        return faults

    def _wrong_now(self, errors: str) -> Iterator[str]:
        yield from (f"process {number} runs on" for number in self.scratch.left_running())
        if "Traceback" in errors:
            yield errors
        found = self._found()
        keys = [(row.session, row.cell) for row in found]
        yield from (f"{key} is there twice" for key in {k for k in keys if keys.count(k) > 1})
        now = {(row.session, row.cell): row.record.to_json() for row in found}
        yield from (f"{key} is lost or changed" for key, text in self.known.items()
                    if now.get(key) != text)  # fmt: skip
        self.known |= now
        yield from (f"{row.cell} is wrong" for row in found if not _right(row, self.benches))
        told = max((int(number) for number, _ in _TOLD.findall(errors)), default=0)
        if told > self._ended():
            yield f"{told} cells were told to have ended, {self._ended()} are kept"

    def _wrong_at_the_end(self, status: int, errors: str) -> Iterator[str]:
        yield from self._wrong_now(errors)
        if status != self.benches.status:
            yield f"the next run ends with {status}: {errors.strip()[-300:]}"
        last = [row for row in self._found() if row.session == self._last_session()]
        if len(last) != self.benches.cells:
            yield f"{len(last)} results of {self.benches.cells} cells"
        yield from (f"{name} lies about" for name in self.scratch.lying_about())

    def _found(self) -> list[Result]:
        if not self.results.exists():
            return []
        with Results(self.results) as results:
            rows = list(results.all())
            assert all(b"x-layers" in results.log(row.number) for row in rows)
            return rows

    def _last_session(self) -> str:
        return self._found()[-1].session

    def _ended(self) -> int:
        """Cells of the newest session that has results."""
        if not self._found():
            return 0
        with closing(Sessions(self.results)) as sessions:
            return len(sessions.endings(self._last_session()))


def _right(row: Result, benches: Benches) -> bool:
    """Whether a record says what is true of its cell."""
    if benches is not BENCHES["fake"]:
        return row.record.golden.match
    wrong = [layer.match for layer in row.record.layers] == [True, False, False]
    counts = tuple(layer.counts for layer in row.record.layers)
    return (row.record.golden.match or wrong) and counts == fake_cells.COUNTS


def drill(folder: Path, benches: str, trouble: str, moments: Sequence[float]) -> Iterator[str]:
    """What is wrong, for each of ``moments`` from 0 to 1, "" where nothing is. Every second
    disturbed run is followed by one that ends, so that some are disturbed twice."""
    found = Drill(Scratch(folder, folder.name), BENCHES[benches])
    found.prepare()
    seconds, faults = found.whole()
    if faults:
        raise SystemExit(f"it fails undisturbed: {faults}")
    for number, moment in enumerate(moments):
        if trouble == "full":
            faults = found.out_of_room(int(_LEAST + moment * (_MOST - _LEAST)))
        else:
            faults = found.killed(moment * seconds)
        if number % 2:
            faults += found.whole()[1]
        yield "; ".join(f"at {moment:.4f}: {fault}" for fault in faults)


def _in_a_folder(benches: str, trouble: str, moments: Sequence[float]) -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="lab-kills-"))
    yield from drill(folder, benches, trouble, moments)
    shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--benches", choices=BENCHES, default="fake")
    parser.add_argument("--trouble", choices=["kill", "full"], default="kill")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    wrong = 0
    moments = [draw.random() for _ in range(given.count)]
    parts = [moments[i : i + _TOGETHER] for i in range(0, given.count, _TOGETHER)]
    drills = (_in_a_folder(given.benches, given.trouble, part) for part in parts)
    for number, fault in enumerate(chain.from_iterable(drills), 1):
        wrong += bool(fault)
        if fault or not number % 20:
            print(f"{number}: {fault or 'fine'}", flush=True)
    print(f"{given.count} runs, faults: {wrong}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
