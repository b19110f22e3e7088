"""Run a bundle in its emulator under the profiler: exact counts of every step."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.tools.timing.counts import Counts, parse_counts
from deployer.tools.timing.disassembly import BasicBlock, Program, disassemble
from deployer.tools.timing.machine import Machine
from deployer.tools.timing.plugin import plugin_argument
from deployer_hil import Runner, Timeouts, connect, create, is_golden

_SETTINGS: Mapping[str, Mapping[str, Any]] = {"qemu_system": {"icount": False}}
AFTER_A_STEP = "dpl_port_counter"  # the harness reads it before and after each
_TIMEOUTS = Timeouts(run=900.0)  # s; the profiler is about ten times slower than the emulator


@dataclass(frozen=True, eq=False)
class StepProfile:
    """A step's counts and the basic blocks they are made of."""

    index: int
    counts: Counts
    blocks: tuple[BasicBlock, ...]


@dataclass(frozen=True, eq=False)
class Profile:
    """``tool``: the emulator and its version."""

    program: Program
    steps: tuple[StepProfile, ...]
    tool: str


def profile(bundle: Bundle, machine: Machine, *, prefix: str, warm: bool = True) -> Profile:
    """The steps of one inference of the first golden sample. ``prefix`` is of the GNU tools.

    ``warm``: caches and predictors have seen one inference before. Raises BenchError when emulator,
    compiler or plugin fail, or an output is not golden: counts of a wrong run are worth nothing.
    """
    program = disassemble(bundle.firmware, prefix + "objdump")
    called = [i for i, row in enumerate(bundle.manifest["steps"]) if row["kernel"]]
    with tempfile.TemporaryDirectory() as folder:
        runs, tool = _run(bundle, machine, program, Path(folder), called=called, warm=warm)
    found = dict(zip(called, _last_inference(runs, len(called)), strict=True))
    steps = range(len(bundle.manifest["steps"]))
    return Profile(program, tuple(step_profile(program, i, found.get(i)) for i in steps), tool)


def _last_inference(runs: Sequence[Counts], count: int) -> Sequence[Counts]:
    """A run of each step, in order."""
    last = runs[-count:]
    if [run.region for run in last] != list(range(count)):
        entered = [run.region for run in last]
        raise BenchError("the profiler missed steps", why=[f"{count} steps, entered: {entered}"])
    return last


def step_profile(program: Program, index: int, counts: Counts | None) -> StepProfile:
    """None of a step that calls nothing."""
    if counts is None:
        return StepProfile(index, Counts(index, 0, 0, 0, 0, 0, 0, ()), ())
    blocks = program.basic_blocks(counts.blocks, counts.loaded)
    if sum(len(block.instructions) * block.count for block in blocks) != counts.instructions:
        why = [f"in step {index}"]
        raise BenchError("the profile counts instructions the disassembly lacks", why=why)
    return StepProfile(index, counts, blocks)


def _run(
    bundle: Bundle,
    machine: Machine,
    program: Program,
    folder: Path,
    *,
    called: Sequence[int],
    warm: bool,
) -> tuple[tuple[Counts, ...], str]:
    regions, out = folder / "regions", folder / "out"
    begins = [program.address_of(f"step_{index}") for index in called]
    end = program.address_of(AFTER_A_STEP)
    text = plugin_argument(machine, regions, out, begins=begins, end=end)
    with create(machine.runner, bundle, plugin=text, **_SETTINGS.get(machine.runner, {})) as runner:
        infer(bundle, runner, warm=warm)
        tool = runner.tool
    return parse_counts(out.read_text().splitlines()), tool


def infer(bundle: Bundle, runner: Runner, *, warm: bool) -> None:
    """One inference of the first golden sample, behind another where ``warm``. Raises BenchError
    when it is not golden."""
    with connect(bundle, runner, timeouts=_TIMEOUTS) as session:
        session.load(bundle.golden["input"][0].tobytes())
        # by layers too: behind the last step of "infer" comes the console, whose polls are not
        # the same twice, and the counter is not read before them
        for _ in range(1 + warm):
            layers = session.layers(len(bundle.manifest["steps"]))
        if not is_golden(session, bundle, layers):
            raise BenchError(
                "the profiled run is not golden", hints=["deployer run names the first layer"]
            )
