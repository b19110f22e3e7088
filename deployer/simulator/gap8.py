"""gap8_sim: our simulator of GAP8 (docs/gap8-simulator.md), built on first use."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.children import ends_with_parent
from deployer.errors import BenchError
from deployer.native import compiled
from deployer.simulator.counts import Counts, read_counts

FLAGS = ("-std=c11", "-O2")
EXIT_LIMIT, EXIT_FAULT = 124, 125  # of the simulator; a program may use them too
_REASON = "gap8_sim: "
MAX_CYCLES = 20_000_000_000  # cycles


@dataclass(frozen=True)
class Run:
    """A run to its end: what the program printed, the status it left with, what was counted."""

    status: int
    output: str
    counts: Counts


def simulator(cache: Path | None = None) -> Path:
    """The simulator's program. Raises BenchError without a C compiler for this machine."""
    folder = Path(__file__).parent / "gap8"
    return compiled(
        "gap8_sim",
        sorted(folder.glob("*.c")),
        includes=sorted(folder.glob("*.h")),
        flags=FLAGS,
        what="the simulator of GAP8",
        cache=cache,
    )


def run(
    elf: Path,
    *,
    limit: int = MAX_CYCLES,
    l3: Path | None = None,
    trace: Path | None = None,
    traced: Sequence[str] = (),
) -> Run:
    """Run ``elf`` to its exit.

    ``limit`` is in cycles; ``l3`` holds the first bytes of the HyperRAM; ``trace`` gets a line an
    instruction of the cores ``traced`` (``fc``, ``pe0`` to ``pe7``; none: all). Raises BenchError
    when the program cannot go on, never ends, or is no program for GAP8.
    """
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        command = [simulator(), "--limit", limit, "--profile", counts]
        command += ["--l3", l3] if l3 else []
        command += ["--trace", trace] if trace else []
        command += ["--trace-cores", ",".join(traced)] if traced else []
        done = subprocess.run(
            [*map(str, command), str(elf)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
            preexec_fn=ends_with_parent(),
        )
        _check(elf, done)
        output = done.stdout.decode(errors="replace")
        return Run(status=done.returncode, output=output, counts=read_counts(counts.read_text()))


def _check(elf: Path, done: subprocess.CompletedProcess[bytes]) -> None:
    reasons = [
        line.removeprefix(_REASON)
        for line in done.stderr.decode(errors="replace").splitlines()
        if line.startswith(_REASON) and not line.startswith(f"{_REASON}warning")
    ]
    if done.returncode < 0:
        raise BenchError("the simulator of GAP8 was ended", why=[f"signal {-done.returncode}"])
    if done.returncode in (EXIT_LIMIT, EXIT_FAULT) and reasons:
        raise BenchError(f"{elf.name} cannot go on in the simulator of GAP8", why=reasons)
