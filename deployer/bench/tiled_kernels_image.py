"""Images of a one-layer network: the one of deployer run, and one that counts the cycles of the
kernel alone (profiler/gap8_kernel.c)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from deployer import bundle
from deployer.bench.tiled_kernels_plan import Planned
from deployer.build.compile import Program
from deployer.bundle import Bundle
from deployer.errors import MismatchError
from deployer.ir.types import hwc
from deployer.kernelset.kernel import case_of
from deployer.kernelset.select import by_symbol
from deployer.pipeline.assemble import assemble
from deployer.pipeline.options import Job
from deployer.pipeline.store import write_folder
from deployer.resources import data_root
from hil.measure import connect
from hil.runner import create

_COUNTER = "dpl_port_counter"
_SOURCE, _PLANES = "gap8_kernel.c", "gap8_planar.c"


@dataclass(frozen=True)
class Counted:
    """Cycles of a layer, whose output was golden, and their ``kind`` (hil.runner.Caps); ``tool``
    ran it, and ``toolchain`` (as in the manifest) made it."""

    cycles: int
    kind: str
    tool: str
    toolchain: Mapping[str, Any]


def on_one_core(job: Job) -> Job:
    return replace(job, board=replace(job.board, cores=1), target=replace(job.target, cores=1))


def kernel_cycles(plan: Planned) -> Counted:
    """The sum over all tiles of a warm call with data in L1, from barrier to barrier."""
    return _counted(plan.job, _image(plan, "kernel", lambda p: _counting(plan, p)), before=0)


def step_cycles(plan: Planned) -> Counted:
    """The whole step in the second inference, by the harness's own counter."""
    return _counted(plan.job, _image(plan, "step", lambda program: program), before=1)


def _image(plan: Planned, name: str, adapt: Callable[[Program], Program]) -> Bundle:
    folder = plan.job.folder / name
    write_folder(folder, lambda work: assemble(plan.job, plan.store, work, adapt=adapt))
    return bundle.read(folder)


def _counted(job: Job, image: Bundle, *, before: int) -> Counted:
    """Raises MismatchError when the output is not the golden one."""
    golden = image.golden
    with create(job.runner, image) as device, connect(image, device) as session:
        session.load(golden["input"][0].tobytes())
        (layer,) = session.layers(1, before=before)
        kind, tool = device.caps.kind, device.tool
    if layer.crc != int(golden["crc"][0][0]):
        raise MismatchError(
            f"{job.runner} does not compute the golden integers",
            why=[f"{image.manifest['steps'][0]['kernel']} in the image {image.path.name}"],
        )
    return Counted(layer.count, kind, tool, image.manifest["toolchain"])


def _counting(plan: Planned, program: Program) -> Program:
    """``program`` with the functions that come between the step and its kernel."""
    folder, chain = data_root() / "profiler", program.board.toolchain
    wraps = [f"-Wl,--wrap={name}" for name in (plan.kernel, _COUNTER)]
    defines = {"TIMED_KERNEL": plan.kernel, **_planes(plan)}
    if program.board.cores == 1:
        defines["DPL_CORES"] = "1"
    names = [_SOURCE, *([_PLANES] if "TIMED_PLANE" in defines else [])]
    linking = replace(chain, ldflags=(*chain.ldflags, *wraps))
    return replace(
        program,
        board=replace(program.board, toolchain=linking),
        sources=(*program.sources, *(folder / name for name in names)),
        defines=(*program.defines, *defines.items()),
    )


def _planes(plan: Planned) -> dict[str, str]:
    """Of a kernel that wants planes: bytes of a row, whose windows begin at words, and of a plane;
    the others none."""
    if not by_symbol(plan.kernel).planar:
        return {}
    case = case_of(plan.graph, plan.node)
    height, width, channels = hwc(case.in_shapes[0])
    beside = max(case.pads.left, case.pads.right)
    row = -(-(width + beside) // 4) * 4
    numbers = {
        "TIMED_ROW": row,
        "TIMED_PLANE": row * (height + case.pads.top + case.pads.bottom),
        "TIMED_PLANES": channels,
        "TIMED_WEIGHTS": plan.node.stored,
        "TIMED_OUTPUT": plan.graph.values[plan.node.output].bytes,
    }
    return {name: str(number) for name, number in numbers.items()}
