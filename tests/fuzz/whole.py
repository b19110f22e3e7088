"""Whole runs of mutants on the host: nothing outside the run's folder changes.

The folder around it is compared, file by file, with a home folder and one for temporary files in
it. Programs of ours for this machine are kept in the user's cache, which is left where it is. A run
that is ended because it takes too long must not have changed anything either.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import objects
from deployer.build import compile as building
from deployer.native import cache_folder

from .contained import TOO_LONG, Outcome, Work, command, elapsed, outcome, unchanged
from .models import Mutant, mutants


def whole_runs(count: int, seed: int, *, first: int = 0) -> int:
    """Run ``count`` mutants that can be imported, from number ``first`` on; 1 for a fault."""
    _compile_once()
    clock, table, faults, tried = elapsed(), Counter[str](), [], 0
    for mutant in mutants(seed, range(first, 1 << 62)):
        if sum(table.values()) == count:
            break
        tried += 1
        found = whole(mutant)
        if found is None:
            continue
        result, changes = found
        table[str(result.status)] += 1
        if sum(table.values()) % 50 == 0:
            print(f"{sum(table.values())} in {clock():.0f} s", file=sys.stderr, flush=True)
        slow = result.fault == TOO_LONG  # calibration of a large image: no matter here
        if changes or (result.fault and not slow):
            faults.append(mutant.name)
            print(f"FAULT {changes or result.fault}: {mutant.name} ({result.seconds:.1f} s)")
            print("    " + "\n    ".join(result.text.splitlines()[-12:]), flush=True)
    print(f"{count} whole runs of {tried:,} mutants of seed {seed} in {clock():.0f} s")
    for status, number in sorted(table.items()):
        print(f"  status {status:>3}: {number:6,}")
    print(f"  faults: {len(faults)}", *faults, sep="\n    ")
    return 1 if faults else 0


def _compile_once() -> None:
    """Kernels, which do not change from network to network, as in the tests."""
    if objects.FOLDER not in os.environ:
        os.environ[objects.FOLDER] = folder = tempfile.mkdtemp(prefix="objects-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    compiled = building._compile

    def once(program: Any, command: Sequence[str], source: Path, to: Path) -> None:
        objects.compile_once(
            command, source, to, lambda more: compiled(program, [*command, *more], source, to)
        )

    building._compile = once


def whole(mutant: Mutant) -> tuple[Outcome, list[str]] | None:
    """The run's outcome and what it changed outside; None for a model that is not imported."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        around = Path(name)
        for folder in ("place", "home", "tmp"):
            (around / folder).mkdir()
        for neighbour in ("secret", "place.new", "out", "home/.profile"):
            (around / neighbour).write_text("not to be touched\n")
        place = around / "place"
        (place / "model.onnx").write_bytes(mutant.data)
        if outcome(_within(around, "--until", "import")).status:
            return None
        with unchanged(around, but=(place / "made",)) as changes:
            result = outcome(_within(around))
        return result, changes


def _within(around: Path, *more: str) -> Work:
    """``deployer run`` with its folder, home folder and temporary files below ``around``."""
    work = command(["run", "--board", "host", "--output", "made", *more, "model.onnx"])
    kept = cache_folder().parent

    def there() -> None:
        os.chdir(around / "place")
        os.environ |= {"HOME": str(around / "home"), "TMPDIR": str(around / "tmp")}
        os.environ["XDG_CACHE_HOME"] = str(kept)
        tempfile.tempdir = None
        work()

    return there
