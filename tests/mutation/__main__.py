"""Mutation test: ``PYTHONPATH=tests python -m mutation --sample 100 --seed 1``.

Works in a copy of the checkout, and prints which faults the package's own tests let through.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from mutation import forked
from mutation.equivalent import reason
from mutation.mutants import Mutant, lines_of, mutant
from mutation.own_tests import by_nearness, unit_tests, wide_tests
from mutation.reach import Reach
from mutation.table import table

ROOT = Path(__file__).parents[2]
Site = tuple[str, int]


class Tree:
    """A copy of the checkout at ``path``, where one module at a time is mutated."""

    def __init__(self, path: Path, reach: Path) -> None:
        self.path = path
        self.log = path.parent / "log"
        self.reach = Reach(path, reach)
        self.killers: dict[str, set[str]] = {}

    def verdict(self, found: Mutant) -> str:
        """What killed the mutant: "failed", "no end", "memory"; "" for one that lives."""
        for files in self._sessions(found):
            ended = self._run_mutated(found, files) if files else "passed"
            if ended != "passed":
                self.killers.setdefault(found.package, set()).update(files)
                return ended
        return ""

    def require_sound(self) -> None:
        """SystemExit when tests that killed mutants fail on the modules as they are."""
        for package, files in self.killers.items():
            if forked.run(self.path, sorted(files), self.log) != "passed":
                said = self.log.read_text()[-2000:]
                raise SystemExit(f"{said}\ntests of {package} fail without any mutant")

    def _sessions(self, found: Mutant) -> Iterator[list[str]]:
        """Test files for one run each, the likeliest to fail first."""
        near, rest = by_nearness(self.path, unit_tests(self.path, found.package), found.path)
        yield near
        yield self.reach.among(rest, found.path, found.line, self.log)
        yield self.reach.among(
            wide_tests(self.path, found.package), found.path, found.line, self.log
        )

    def _run_mutated(self, found: Mutant, files: list[str]) -> str:
        shutil.rmtree(self.path / ".hypothesis", ignore_errors=True)
        module = self.path / found.path
        whole = module.read_text()
        try:
            module.write_text(found.text)
            return forked.run(self.path, files, self.log)
        finally:
            module.write_text(whole)


def main() -> None:
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="mutation-", ignore_cleanup_errors=True) as folder:
        tree = _copied(Path(folder), given.reach or Path(folder) / "reach")
        _settle(tree)
        found = list(_at(given.at)) if given.at else list(_sampled(given))
        verdicts = list(_verdicts(tree, found))
        tree.require_sound()
    print(table(verdicts, reason))


def _verdicts(tree: Tree, found: list[Mutant]) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with what killed it, told as they come; an interrupt (Ctrl-C) ends them early."""
    try:
        for index, each in enumerate(found, start=1):
            begin, verdict = time.monotonic(), tree.verdict(each)
            seconds = time.monotonic() - begin
            print(
                f"{index}/{len(found)} {verdict or 'SURVIVED'} {seconds:.0f} s {each}", flush=True
            )
            yield each, verdict
    except KeyboardInterrupt:
        print("interrupted")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=100, help="how many lines to mutate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", default="", help="of this package only")
    parser.add_argument("--skip", action="append", default=[], help="a package to leave out")
    parser.add_argument("--reach", type=Path, help="folder that keeps which tests call what")
    parser.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="FILE:LINE",
        help="all mutants of a line instead of a sample",
    )
    return parser.parse_args()


def _copied(folder: Path, reach: Path) -> Tree:
    """The checkout's files as they are, and ``shared`` beside them where there is one."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        (folder / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / "tree" / name)
    if (ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
    return Tree(folder / "tree", reach)


def _settle(tree: Tree) -> None:
    """This process and its children never write or find bytecode of the copied modules, which
    would outlive a mutant of the same size and second."""
    folder = tree.path.parent
    for name in ("OPENBLAS", "OMP"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    os.environ.update(
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONPATH=os.pathsep.join(map(str, (tree.path, tree.path / "hil", tree.path / "tests"))),
        DEPLOYER_TEST_OBJECTS=str(folder / "objects"),
        TMPDIR=str(folder),
    )
    (folder / "objects").mkdir()
    tempfile.tempdir = str(folder)
    sys.dont_write_bytecode = True
    forked.load()


def _sampled(given: argparse.Namespace) -> Iterator[Mutant]:
    """Lines drawn evenly from all that can be mutated; of each, one mutant."""
    draw = Random(given.seed)
    sites: list[Site] = []
    for path in _modules():
        numbers = lines_of((ROOT / path).read_text())
        sites += [(path, line) for line in dict.fromkeys(numbers)]
    sites = [site for site in sites if given.package in ("", _package(site[0]))]
    for path, line in draw.sample(sites, min(given.sample, len(sites))):
        found = draw.choice(list(_at([f"{path}:{line}"])))
        if found.package not in given.skip:
            yield found


def _at(places: list[str]) -> Iterator[Mutant]:
    for place in places:
        path, _, line = place.rpartition(":")
        text = (ROOT / path).read_text()
        for number, found in enumerate(lines_of(text)):
            if found == int(line):
                yield mutant(path, text, number)


def _package(path: str) -> str:
    return Mutant(path, 0, 0, "", "", "").package


def _modules() -> list[str]:
    files = [*ROOT.glob("deployer/**/*.py"), *ROOT.glob("hil/**/*.py")]
    return sorted(str(file.relative_to(ROOT)) for file in files)


if __name__ == "__main__":
    main()
