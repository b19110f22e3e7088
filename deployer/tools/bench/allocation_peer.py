"""This allocator beside minimalloc, in the user's build, each on the same instance and capacity."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from deployer.allocate import (
    EFFORTS,
    NO_EFFORT,
    SolverName,
    answer,
    check,
    one_memory_plan,
    problem,
    search_library,
    solver_named,
)
from deployer.children import ends_with_parent
from deployer.choices import EffortName
from deployer.errors import BenchError, FitError, UsageError
from deployer.files import existing
from deployer.tools.bench.allocation_sets import Entry

MINIMALLOC = "minimalloc"
LIMIT_S = 600  # seconds that the peer may take for an instance


@dataclass(frozen=True)
class PeerRow:
    """One instance: bytes placed within the capacity, None without a placement, and seconds of CPU
    of both; ``bound`` is proven."""

    name: str
    buffers: int
    capacity: int
    bound: int
    bytes: int | None
    seconds: float
    peer_bytes: int | None
    peer_seconds: float

    @property
    def ratio(self) -> float:
        """This allocator's CPU for each second of the peer's."""
        return self.seconds / max(self.peer_seconds, 1e-9)


def peer_of(text: str) -> Path:
    """``minimalloc=PROGRAM``. Raises UsageError when it is not, or no such program is there."""
    name, _, given = text.partition("=")
    if name != MINIMALLOC or not given:
        raise UsageError(f"--against {text}", hints=[f"{MINIMALLOC}=PROGRAM"])
    program = existing(Path(given), "program")
    if not os.access(program, os.X_OK):
        raise UsageError(f"{program} cannot be run", hints=["a program of minimalloc's build"])
    return program.resolve()


def measure_beside(
    entries: Sequence[Entry],
    program: Path,
    *,
    capacity: int | None = None,
    effort: EffortName = EffortName.NORMAL,
    limit: float = LIMIT_S,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[PeerRow, ...]:
    """Both on every instance, one after the other; a placement that the validator objects to is an
    error. Without ``capacity`` the name ends in it, as in ``A.1048576``."""
    search_library()  # compiled on first use, which is no part of solving
    found = []
    for done, entry in enumerate(entries):
        progress(done, len(entries))
        room = capacity_of(entry.name) if capacity is None else capacity
        found.append(_row(entry, program, room, effort, limit))
    return tuple(found)


def capacity_of(name: str) -> int:
    """What a name ends in. Raises UsageError when that is no number."""
    digits = name.rpartition(".")[2]
    if digits == name or not (digits.isascii() and digits.isdigit()):
        raise UsageError(
            f"no capacity is known for {name}",
            hints=["--capacity BYTES, or a name that ends in it, as A.1048576.csv"],
        )
    return int(digits)


def _row(entry: Entry, program: Path, capacity: int, effort: EffortName, limit: float) -> PeerRow:
    given = problem.problem_from_csv(entry.text, alignment=1)
    ours, seconds = _own(entry, capacity, effort)
    theirs, peer_seconds = _peer(entry, program, capacity, limit)
    return PeerRow(
        name=entry.name,
        buffers=len(given.buffers),
        capacity=capacity,
        bound=given.bound,
        bytes=ours,
        seconds=seconds,
        peer_bytes=None if theirs is None else _checked(entry, given, theirs),
        peer_seconds=peer_seconds,
    )


def _own(entry: Entry, capacity: int, effort: EffortName) -> tuple[int | None, float]:
    begun = time.process_time()
    try:
        found = answer(
            entry.name,
            entry.text,
            solver_named(SolverName.AUTO),
            capacity=capacity,
            effort=EFFORTS[effort],
        )
    except FitError:
        return None, time.process_time() - begun
    return found.plan.arena, found.seconds


def _peer(entry: Entry, program: Path, capacity: int, limit: float) -> tuple[str | None, float]:
    """The table that the program wrote, None without one; its CPU from start to end."""
    with TemporaryDirectory() as folder:
        given, made = Path(folder) / "given.csv", Path(folder) / "made.csv"
        given.write_text(entry.text)
        command = [str(program), f"--capacity={capacity}", f"--input={given}", f"--output={made}"]
        before = _cpu_of_children()
        try:
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=limit,
                preexec_fn=ends_with_parent(),
            )
        except subprocess.TimeoutExpired:
            return None, _cpu_of_children() - before
        except OSError as error:
            raise BenchError(f"{program} cannot be run", why=[str(error)]) from None
        return made.read_text() if made.exists() else None, _cpu_of_children() - before


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _checked(entry: Entry, given: problem.Problem, table: str) -> int:
    """Its bytes, as the validator sees them."""
    any_plan = one_memory_plan(given, solver_named(SolverName.GS_FIRST), NO_EFFORT)
    try:
        plan = problem.plan_with_csv(any_plan, table, alignment=1)
    except UsageError as error:
        raise BenchError(f"{MINIMALLOC}'s answer to {entry.name}", why=[str(error)]) from None
    if wrong := check(plan, given):
        raise BenchError(f"{MINIMALLOC}'s answer to {entry.name} is none", why=wrong[:5])
    return plan.arena
