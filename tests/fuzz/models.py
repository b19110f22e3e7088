"""Mutated models through ``deployer check``, and whole runs of those that are deployable.

    python -m tests.fuzz.models --count 10000 --seed 1
    python -m tests.fuzz.models --whole 300 --seed 1

Each mutant has 2 GiB of address space and 20 s of processor time. Exit status 1 when one got
anything but a documented status, or when a whole run changed a file outside its folder.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .contained import Outcome, command, elapsed, outcome

TESTS = Path(__file__).resolve().parents[1]
BOARDS = ("host", "host", "nucleo-f767zi", "gap8")


@dataclass(frozen=True)
class Mutant:
    """``name`` tells how to make it again: seed, number, subject and changes."""

    name: str
    data: bytes
    board: str


def mutants(seed: int, numbers: range, boards: Sequence[str] = BOARDS) -> Iterator[Mutant]:
    """Those with ``numbers``; each depends on the seed and its number only."""
    from .mutate_onnx import mutant
    from .subjects import subjects

    files = subjects()
    names = sorted(files)
    for number in numbers:
        subject = names[number % len(names)]
        data, changes = mutant(files[subject], (seed, number))
        board = boards[number // len(names) % len(boards)]
        yield Mutant(f"{seed}:{number} {subject} {changes} {board}", data, board)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--board", action="append", help=f"instead of {', '.join(BOARDS)}")
    parser.add_argument("--whole", type=int, default=0, help="whole runs on the host instead")
    parser.add_argument("--keep", type=Path, help="folder for the files that show a fault")
    given = parser.parse_args(arguments)
    _prepare()
    if given.whole:
        from .whole import whole_runs

        return whole_runs(given.whole, given.seed, first=given.first)
    return _check_all(given)


def _prepare() -> None:
    """One thread, as the command line has; every module that a check wants before the first fork,
    by checks in this process."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("COLUMNS", "100")
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    from .subjects import subjects

    files = subjects()
    with tempfile.TemporaryDirectory() as folder, _silent():
        for name in ("movers", "decoder"):
            path = Path(folder) / f"{name}.onnx"
            path.write_bytes(files[name])
            with contextlib.suppress(SystemExit):
                command(["check", "--board", "host", str(path)])()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _check_all(given: argparse.Namespace) -> int:
    clock, table, faults = elapsed(), Counter[str](), []
    slowest, largest = (0.0, ""), (0, "")
    numbers = range(given.first, given.first + given.count)
    for mutant in mutants(given.seed, numbers, given.board or BOARDS):
        found = checked(mutant)
        table[str(found.status)] += 1
        slowest = max(slowest, (found.seconds, mutant.name))
        largest = max(largest, (found.kibibytes, mutant.name))
        done = sum(table.values())
        if done % 500 == 0:
            print(f"{done:,} in {clock():.0f} s", file=sys.stderr, flush=True)
        if found.fault:
            faults.append(mutant.name)
            _show(mutant, found, given.keep)
    print(f"{given.count:,} mutants of seed {given.seed} in {clock():.0f} s")
    for status, count in sorted(table.items()):
        print(f"  status {status:>3}: {count:6,}")
    print(f"  slowest {slowest[0]:.1f} s of the processor: {slowest[1]}")
    print(f"  largest {largest[0] / 1024:.0f} MiB resident: {largest[1]}")
    print(f"  faults: {len(faults)}", *faults, sep="\n    ")
    return 1 if faults else 0


def checked(mutant: Mutant) -> Outcome:
    """What ``deployer check`` says to the mutant."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(mutant.data)
        return outcome(command(["check", "--board", mutant.board, str(path)]))


def _show(mutant: Mutant, found: Outcome, keep: Path | None) -> None:
    print(f"FAULT {found.fault}: {mutant.name} ({found.seconds:.1f} s)")
    print("    " + "\n    ".join(found.text.splitlines()[-12:]), flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{mutant.name.split()[0].replace(':', '-')}.onnx").write_bytes(mutant.data)


if __name__ == "__main__":
    sys.exit(main())
