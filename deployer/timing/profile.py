"""Run a bundle in its emulator under the profiler: exact counts of every step."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.timing.counts import Counts, parse_counts
from deployer.timing.disassembly import BasicBlock, Program, disassemble
from deployer.timing.machine import Machine
from deployer.timing.plugin import plugin
from hil.measure import connect
from hil.runner import create

_AFTER_A_STEP = "dpl_port_counter"  # the harness reads it before and after each


@dataclass(frozen=True, eq=False)
class StepProfile:
    """A step's counts and the basic blocks they are made of."""

    index: int
    counts: Counts
    blocks: tuple[BasicBlock, ...]


@dataclass(frozen=True, eq=False)
class Profile:
    program: Program
    steps: tuple[StepProfile, ...]


def profile(bundle: Bundle, machine: Machine, *, prefix: str, warm: bool = True) -> Profile:
    """The steps of one inference of the first golden sample. ``prefix`` is of the GNU tools.

    ``warm``: caches and predictors have seen one inference before. Raises BenchError when emulator,
    compiler or plugin fail, or an output is not golden: counts of a wrong run are worth nothing.
    """
    program = disassemble(bundle.firmware, prefix + "objdump")
    count = len(bundle.manifest["steps"])
    with tempfile.TemporaryDirectory() as folder:
        runs = _run(bundle, machine, program, Path(folder), warm=warm)
    last = {run.region: run for run in runs}
    if missing := [i for i in range(count) if i not in last]:
        raise BenchError("the profiler missed steps", why=[f"steps {missing} were not entered"])
    return Profile(program, tuple(_step(program, last[i]) for i in range(count)))


def _step(program: Program, counts: Counts) -> StepProfile:
    return StepProfile(counts.region, counts, program.basic_blocks(counts.blocks))


def _run(
    bundle: Bundle, machine: Machine, program: Program, folder: Path, *, warm: bool
) -> tuple[Counts, ...]:
    regions, out = folder / "regions", folder / "out"
    count = len(bundle.manifest["steps"])
    begins = [program.address_of(f"step_{index}") for index in range(count)]
    regions.write_text("".join(f"{address:x}\n" for address in begins))
    fields = {
        **machine.plugin_fields(),
        "regions": regions,
        "end": program.address_of(_AFTER_A_STEP),
        "out": out,
    }
    text = ",".join([str(plugin()), *(f"{key}={value}" for key, value in fields.items())])
    with create("qemu_system", bundle, icount=False, plugin=text) as runner:
        _infer(bundle, runner, warm=warm)
    return parse_counts(out.read_text().splitlines())


def _infer(bundle, runner, *, warm: bool) -> None:  # type: ignore[no-untyped-def]
    golden = bundle.golden
    with connect(bundle, runner) as session:
        session.load(golden["input"][0].tobytes())
        if warm:
            session.infer(1, 0)
        layers = session.layers(len(bundle.manifest["steps"]))
    if [layer.crc for layer in layers] != [int(crc) for crc in golden["crc"][0]]:
        raise BenchError(
            "the profiled run is not bit-exact", hints=["deployer run names the first layer"]
        )
