"""Kill ``deployer`` at seeded moments: earlier results stay, the next run is right, nothing stays.

    python -m tests.fuzz.kills --count 200 --seed 1

Three jobs take turns: ``run`` on the host, ``build --library``, and ``flash`` through a loader that
has QEMU behind a PTY. Each alternates between two sets of options, so that what lies on disk is
another result than the one being made. After each SIGKILL: no process of the killed run is left;
each artifact on disk is whole, of the one result or the other; the next run ends with status 0, its
artifacts equal byte for byte those of a run that nobody killed; no file lies about.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from fakes.boards import write_flash_twin  # noqa: E402
from fuzz.scratch import Scratch  # noqa: E402
from models import residual_net  # noqa: E402

_OPTIONS = (("--scheme", "multiply-shift"), ("--scheme", "power-of-two"))
_RUN = "8-run"  # has times of day: read, not compared


@dataclass(frozen=True)
class Task:
    """``out`` are the folders it writes to, below the scratch folder."""

    name: str
    arguments: tuple[str, ...]
    out: tuple[str, ...]


@dataclass(frozen=True)
class Bench(Scratch):
    """The scratch folder, and runs in it."""

    def start(self, task: Task, options: Sequence[str]) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "deployer", *task.arguments, *options, "net.onnx"]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def complete(self, task: Task, options: Sequence[str]) -> tuple[int, str]:
        run = self.start(task, options)
        _, errors = run.communicate()
        return run.returncode, errors.decode(errors="replace")

    def files(self, task: Task) -> dict[str, str]:
        """SHA-256 of every file the task has written, that of runs left out."""
        paths = (path for name in task.out for path in (self.folder / name).rglob("*"))
        kept = (path for path in paths if path.is_file() and _RUN not in path.parts)
        return {path.relative_to(self.folder).as_posix(): _sha256(path) for path in kept}


def tasks() -> tuple[Task, ...]:
    flash = ("flash", "-b", "nucleo-fake", "--board-dir", "boards")
    return (
        Task("run", ("run", "-b", "host", "-o", "run"), ("run",)),
        Task(
            "build --library",
            ("build", "-b", "host", "-o", "built", "--library", "library"),
            ("built", "library"),
        ),
        Task("flash", (*flash, "-o", "flash", "--loader", "fakes.fake_loader:twin"), ("flash",)),
    )


def prepare(folder: Path) -> Bench:
    bench = Bench(folder, folder.name)
    bench.prepare()
    onnx.save(residual_net(), folder / "net.onnx")
    (folder / "boards").mkdir()
    write_flash_twin(folder / "boards")
    return bench


@dataclass(frozen=True)
class Known:
    """What an undisturbed run of a task leaves for each of the options, and the seconds it took."""

    files: tuple[Mapping[str, str], ...]
    seconds: float


def learn(bench: Bench, task: Task) -> Known:
    found, began = [], time.monotonic()
    for options in _OPTIONS:
        status, errors = bench.complete(task, options)
        if status:
            raise SystemExit(f"{task.name} fails without a kill:\n{errors}")
        found.append(bench.files(task))
    return Known(tuple(found), (time.monotonic() - began) / len(_OPTIONS))


def kill_once(
    bench: Bench, task: Task, known: Known, options: Sequence[str], after: float
) -> Iterator[str]:
    """What is wrong after a kill ``after`` seconds, and after the run that follows it."""
    run = bench.start(task, options)
    try:
        run.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
        run.communicate()
    yield from (f"process {number} runs on" for number in bench.left_running())
    yield from _broken(bench, task, known)
    status, errors = bench.complete(task, options)
    if status:
        yield f"the next run ends with {status}: {errors.strip().splitlines()[0]}"
    wanted, found = known.files[_OPTIONS.index(tuple(options))], bench.files(task)
    yield from (f"{name} differs after the next run" for name in _differing(found, wanted))
    yield from (f"{name} lies about" for name in bench.lying_about())


def _broken(bench: Bench, task: Task, known: Known) -> Iterator[str]:
    """Artifacts that are neither the earlier ones nor the new ones."""
    found = bench.files(task)
    for stage in {Path(name).parent for name in known.files[0]}:
        here = _below(found, stage)
        if here not in [_below(files, stage) for files in known.files] and not _by_file(
            stage, here, known
        ):
            yield f"{stage} is neither the earlier one nor the new one"
    for report in bench.folder.glob(f"*/*/{_RUN}/report.json"):
        if not json.loads(report.read_text())["golden"]["match"]:
            yield f"{report} tells of no match"


def _by_file(folder: Path, here: Mapping[str, str], known: Known) -> bool:
    """Whether each file of the library's folder, which may hold files of others and so cannot be
    swapped, is whole."""
    if folder.parts[0] != "library":
        return False
    names = {name for files in known.files for name in files}
    return all(
        digest in [files.get(name) for files in known.files]
        for name, digest in here.items()
        if name in names
    )


def _below(files: Mapping[str, str], folder: Path) -> dict[str, str]:
    visible = {name: digest for name, digest in files.items() if "/." not in name}
    return {name: digest for name, digest in visible.items() if Path(name).parent == folder}


def _differing(found: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def drill(folder: Path, count: int, seed: int) -> Iterator[tuple[str, float, list[str]]]:
    """Task, moment as a share of its time, and what was wrong, for each kill."""
    bench, moments = prepare(folder), random.Random(seed)
    known = {task: learn(bench, task) for task in tasks()}
    for number in range(count):
        task = tasks()[number % len(tasks())]
        options = _OPTIONS[number // len(tasks()) % len(_OPTIONS)]
        share = moments.random()
        after = share * known[task].seconds
        yield task.name, share, list(kill_once(bench, task, known[task], options, after))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    kills, wrong = Counter[str](), Counter[str]()
    for name, share, faults in drill(folder, given.count, given.seed):
        kills[name] += 1
        wrong[name] += bool(faults)
        if not kills.total() % 20:
            print(f"{kills.total()} kills", flush=True)
        for fault in faults:
            print(f"{name}, killed at {share:.0%}: {fault}", flush=True)
    shutil.rmtree(folder)
    print("| job | kills | wrong |\n|---|---|---|")
    for name, number in kills.items():
        print(f"| `{name}` | {number} | {wrong[name]} |")
    sys.exit(1 if wrong.total() else 0)


if __name__ == "__main__":
    main()
