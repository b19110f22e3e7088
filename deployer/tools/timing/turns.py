"""A bundle whose cores take turns, under the profiler: what each core does of every step."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.bundle import Bundle
from deployer.tools.timing.counts import Counts, parse_counts
from deployer.tools.timing.disassembly import disassemble
from deployer.tools.timing.estimate import StepTime, estimate
from deployer.tools.timing.machine import Machine
from deployer.tools.timing.plugin import plugin_argument
from deployer.tools.timing.profile import AFTER_A_STEP, Profile, infer, step_profile
from deployer_hil import create


@dataclass(frozen=True)
class Part:
    """What ``core`` did of step ``step`` between two of its turns; ``time.index`` is the step's."""

    core: int
    time: StepTime


def parts_of_cores(
    bundle: Bundle, machine: Machine, turns: Sequence[str], *, prefix: str
) -> tuple[Part, ...]:
    """Of a second inference of the first golden sample. ``turns``: functions that an image of
    deployer/tools/bench/programs/cores_in_turn.c calls where a core has its turn. Raises BenchError
    when emulator, compiler or plugin fail, or a step is not golden."""
    program = disassemble(bundle.firmware, prefix + "objdump")
    called = [i for i, row in enumerate(bundle.manifest["steps"]) if row["kernel"]]
    names = [*turns, *(f"step_{index}" for index in called)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        text = plugin_argument(
            machine,
            Path(folder) / "regions",
            out,
            begins=map(program.address_of, names),
            end=program.address_of(AFTER_A_STEP),
            turns=len(turns),
        )
        with create(machine.runner, bundle, plugin=text) as runner:
            infer(bundle, runner, warm=True)
            tool = runner.tool
        runs = parse_counts(out.read_text().splitlines())
    found = list(_last_inference(runs, len(turns), called))
    profiles = tuple(step_profile(program, step, counts) for step, _, counts in found)
    times = estimate(Profile(program, profiles, tool), machine)
    return tuple(Part(core, time) for (_, core, _), time in zip(found, times, strict=True))


def _last_inference(
    runs: Sequence[Counts], turns: int, called: Sequence[int]
) -> Iterator[tuple[int, int, Counts]]:
    """(step, core, counts) of each run, but for the turns right before a core begins a step."""
    begun: set[tuple[int, int]] = set()
    found: list[tuple[int, int, Counts]] = []
    core = step = 0
    for run, behind in zip(runs, [*runs[1:], None], strict=True):
        if run.region < turns:
            core = run.region
            if behind is not None and behind.region >= turns:
                continue
        else:
            step = called[run.region - turns]
            if (step, core) in begun:
                begun, found = set(), []
            begun.add((step, core))
        found.append((step, core, run))
    return iter(found)
