"""The image of a one-layer network that counts its kernel alone, and its steps (profiler)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from deployer import bundle
from deployer.build import Program
from deployer.bundle_facts import ToolchainFacts
from deployer.codegen import rendered
from deployer.errors import MismatchError
from deployer.folders import write_folder
from deployer.pipeline import QUANTIZE, Job, assemble, join, laid
from deployer.tools.bench.programs import FOLDER
from deployer.tools.bench.tiled_kernels_plan import Planned
from deployer_hil import connect, create

_WRAPPED = ("dpl_run", "dpl_run_counted", "dpl_port_counter", "dpl_input_read")
_SOURCE, _INPUT = "gap8_kernel.c", "timed_input.c"


@dataclass(frozen=True)
class Counted:
    """Cycles of a layer whose output was golden: of its ``kernel``, a warm call on each tile from
    barrier to barrier, and of the ``step`` in a second inference, by the harness's own counter.

    ``kind``: as in deployer_hil.runner.Caps; ``tool`` ran it; ``toolchain``, as in the
    manifest, made it.
    """

    kernel: int
    step: int
    kind: str
    tool: str
    toolchain: ToolchainFacts


def on_one_core(job: Job) -> Job:
    return replace(job, board=replace(job.board, cores=1), target=replace(job.target, cores=1))


def measure(plan: Planned) -> Counted:
    """Build, run and compare. Raises MismatchError when an output is not the golden one, and what
    the toolchain and the runner raise."""
    folder = plan.job.folder / "timed"
    adapt = partial(_timing, plan)
    write_folder(folder, lambda work: assemble(plan.job, plan.store, work, adapt=adapt))
    image = bundle.read(folder)
    golden = image.golden
    with create(plan.job.runner, image) as device, connect(image, device) as session:
        kernel, step = (session.layers(1, before=before)[0] for before in (0, 1))
        kind, tool = device.caps.kind, device.tool
    if {kernel.crc, step.crc} != {int(golden["crc"][0][0])}:
        raise MismatchError(
            f"{plan.job.runner} does not compute the golden integers",
            why=[f"{plan.geometry}, {plan.kernel}"],
        )
    return Counted(kernel.count, step.count, kind, tool, image.manifest["toolchain"])


def _timing(plan: Planned, program: Program) -> Program:
    """``program`` with the functions that come between the step and its kernel."""
    chain = program.board.toolchain
    wraps = [f"-Wl,--wrap={name}" for name in (plan.kernel, *_WRAPPED)]
    defines = {"TIMED_KERNEL": plan.kernel}
    if program.board.cores == 1:
        defines["DPL_CORES"] = "1"
    added = [FOLDER / _SOURCE, _input_source(plan)]
    linking = replace(chain, ldflags=(*chain.ldflags, *wraps))
    return replace(
        program,
        board=replace(program.board, toolchain=linking),
        sources=(*program.sources, *added),
        defines=(*program.defines, *defines.items()),
    )


def _input_source(plan: Planned) -> Path:
    """The golden input as an array, in a file of the job's folder."""
    inputs = join(laid(plan.graph, plan.store.get(QUANTIZE).inputs), plan.graph.inputs)
    path = plan.job.folder / _INPUT
    path.write_text(rendered(f"bench/{_INPUT}.j2", numbers=inputs[0].view(np.uint8).ravel()))
    return path
