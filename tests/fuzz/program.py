"""What the programs share: the same options, the same table."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

from .contained import Outcome, elapsed

TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Case:
    """``name`` tells how to make it again. ``fault``: what is wrong with the outcome, "" for
    nothing; a crash may have a documented status and still be one."""

    name: str
    run: Callable[[], Outcome]
    fault: Callable[[Outcome], str] = lambda outcome: outcome.fault


@dataclass(frozen=True)
class Tally:
    """``faults``: names with what is wrong and the end of what was printed."""

    statuses: Counter[int]
    faults: tuple[str, ...]
    slowest: tuple[float, str]
    largest: tuple[int, str]


def tally(cases: Iterable[Case]) -> Tally:
    statuses, faults = Counter[int](), []
    slowest, largest = (0.0, ""), (0, "")
    for case in cases:
        found = case.run()
        statuses[found.status] += 1
        slowest = max(slowest, (found.seconds, case.name))
        largest = max(largest, (found.kibibytes, case.name))
        if wrong := case.fault(found):
            tail = "\n      ".join(found.text.splitlines()[-12:])
            faults.append(f"{case.name}: {wrong}\n      {tail}")
            print(f"FAULT {faults[-1]}", file=sys.stderr, flush=True)
    return Tally(statuses, tuple(faults), slowest, largest)


def main(
    cases: Callable[[int, range], Iterable[Case]], what: str, arguments: list[str] | None = None
) -> int:
    """The command line of a program; its exit status: 1 when there was a fault."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    clock = elapsed()
    found = tally(cases(given.seed, range(given.first, given.first + given.count)))
    print(f"{given.count:,} {what} of seed {given.seed} in {clock():.0f} s")
    for status, count in sorted(found.statuses.items()):
        print(f"  status {status:>3}: {count:6,}")
    print(f"  slowest {found.slowest[0]:.1f} s of the processor: {found.slowest[1]}")
    print(f"  largest {found.largest[0] / 1024:.0f} MiB resident: {found.largest[1]}")
    print(f"  faults: {len(found.faults)}", *found.faults, sep="\n    ")
    return 1 if found.faults else 0


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing is printed in this process, which imports everything before the first fork."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("COLUMNS", "100")
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
        yield
