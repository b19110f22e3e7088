"""An image that runs by itself under the profiler, its regions one after the other."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.children import ends_with_parent
from deployer.errors import BenchError
from deployer.tools.timing.counts import Counts, parse_counts
from deployer.tools.timing.disassembly import Program
from deployer.tools.timing.machine import Machine
from deployer.tools.timing.plugin import plugin_argument

_LIMIT_SECONDS = 900.0  # s


@dataclass(frozen=True, eq=False)
class BareRun:
    """``runs``: of the region each time it was entered. ``lines``: what the image printed."""

    runs: tuple[Counts, ...]
    lines: tuple[str, ...]


def run_bare(
    command: Sequence[str],
    program: Program,
    machine: Machine,
    *,
    begin: str,
    end: str,
    image: Sequence[str] = (),
) -> BareRun:
    """Run the emulator's ``command`` with the profiler around function ``begin`` up to ``end``.

    ``image``: what follows its options, a program and its arguments where it takes them so.

    Raises BenchError when it fails or does not end.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        argument = plugin_argument(
            machine,
            Path(folder) / "regions",
            out,
            begins=[program.address_of(begin)],
            end=program.address_of(end),
        )
        lines = _run([*command, "-plugin", argument, *image])
        return BareRun(parse_counts(out.read_text().splitlines()), lines)


def _run(command: Sequence[str]) -> tuple[str, ...]:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=ends_with_parent(),
            timeout=_LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise BenchError("the emulator did not end", why=[f"within {_LIMIT_SECONDS:g} s"]) from None
    if done.returncode:
        why = [f"status {done.returncode}", *done.stderr.splitlines()[-5:]]
        raise BenchError("the emulator failed", why=why)
    return tuple(done.stdout.splitlines())
