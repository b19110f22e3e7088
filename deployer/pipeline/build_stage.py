"""The build stage: compile the firmware and put the bundle together."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from deployer import bundle
from deployer.board import Board, port_defines, require_served
from deployer.build import ImageSize, Program, Tools, build, image_size, program_id
from deployer.bundle_facts import BuiltManifest, MemoryFacts
from deployer.choices import DbInput, HotCode
from deployer.codegen import WHOLE, kernel_sources, network_cname, outer_image
from deployer.errors import ImageTooLarge, UsageError
from deployer.ir import Graph, MemoryPlan, Schedule, TilePlan, serde
from deployer.pipeline.artifacts import ALLOCATE, GENERATE, QUANTIZE, SCHEDULE, TILE
from deployer.pipeline.golden import Golden, make_golden
from deployer.pipeline.itcm import itcm_facts, write_itcm_placement
from deployer.pipeline.job import Job
from deployer.pipeline.kernel_set import library_in
from deployer.pipeline.made import read_made
from deployer.pipeline.manifest import make_manifest
from deployer.pipeline.store import Store
from deployer.plan import input_copy_address
from deployer.resources import data_root

IMAGE = "firmware.elf"
_ELEMENT_BYTES = {DbInput.UINT8: 1, DbInput.FLOAT32: 4}


def assemble(
    job: Job,
    store: Store,
    work: Path,
    *,
    adapt: Callable[[Program], Program] = lambda program: program,
) -> None:
    """Fill the folder ``work`` with a bundle for ``job.target``. ``adapt`` may add to what is
    built, for an image that is to measure something."""
    schedule = store.get(SCHEDULE)
    store.get(GENERATE)  # sources are compiled from the stage's folder
    sources = store.path(GENERATE)
    program = firmware_program(job, schedule, sources, store.get(TILE))
    if job.target.threads > 1 or any(step.tiling for step in store.get(TILE).steps):
        program = with_define(program, "DPL_SINGLE_CORE_STEPS", "1")
    program = _with_counts(program, schedule, store.get(ALLOCATE), store.get(TILE))
    program = adapt(_with_outer(program, job, schedule, store.get(ALLOCATE)))
    identity = program_id(program)
    program = with_define(program, "DPL_BUNDLE_ID", f'"{identity}"')
    objects = work / "objects"
    elf, tools = build(
        program,
        objects,
        progress=lambda done, total: job.progress("compile", done, total),
        compiled=lambda found: _place_in_itcm(job, schedule, found, objects),
    )
    elf.rename(work / IMAGE)
    shutil.rmtree(objects)
    size = image_size(tools.size, work / IMAGE)
    require_loadable(job.target, size)
    golden = make_golden(schedule, store.get(QUANTIZE).inputs)
    _write(job, store, work, identity, size, tools, golden)


def require_loadable(board: Board, size: ImageSize) -> None:
    """Raise ImageTooLarge where the memory that an image is loaded into, whole, has less room for
    that than bytes."""
    memory = board.memory(board.place.text)
    excess = size.code + size.weights - memory.loaded
    if memory.loaded and board.place.weights == memory.name and excess > 0:
        raise ImageTooLarge(memory.name, excess, board=board.name, loaded=True)


def _with_counts(
    program: Program, schedule: Schedule, plan: MemoryPlan, tiles: TilePlan
) -> Program:
    """What may move from one step to the next, so that all are counted in a run without pauses."""
    late = any(step.tiling and step.tiling.late for step in tiles.steps)
    if late:
        program = with_define(program, "DPL_LATE_OUTPUTS", "1")
    if late or plan.prefetch or plan.spills:
        program = with_define(program, "DPL_COUNTED_STEPS", str(len(schedule.steps)))
    return program


def _with_outer(program: Program, job: Job, schedule: Schedule, plan: MemoryPlan) -> Program:
    """What lies in the memory behind the arena's."""
    if plan.prefetch:
        program = with_define(program, "DPL_PREFETCH_STEPS", str(len(schedule.steps)))
    if plan.spills:
        program = with_define(program, "DPL_SPILLS", "1")
    copy = input_copy_address(schedule.graph, plan, job.request)
    return program if copy is None else with_define(program, "DPL_INPUT_OUTER", f"{copy:#x}u")


def _place_in_itcm(job: Job, schedule: Schedule, found: Mapping[Path, Path], objects: Path) -> None:
    if job.options.hot_code != HotCode.OFF:
        write_itcm_placement(schedule, job.target, found, objects)


def firmware_program(
    job: Job, schedule: Schedule, generated: Path, tiles: TilePlan = WHOLE
) -> Program:
    """Everything that goes into the image: harness, port, kernels, generated code. Raises
    UsageError for a board that its port does not serve."""
    require_served(job.board, job.target, runner=job.runner)
    root = data_root()
    firmware = root / "firmware"
    port = firmware / "ports" / job.target.port
    sources = (
        *sorted((firmware / "core").glob("*.c")),
        *sorted(path for path in port.iterdir() if path.suffix in {".c", ".S"}),
        *(root / source for source in kernel_sources(schedule, tiles)),
        *(generated / name for name in sorted(read_made(generated).files) if name.endswith(".c")),
    )
    script = generated / "link.ld"
    return Program(
        board=job.target,
        sources=sources,
        includes=(
            firmware / "include",
            firmware / "core",
            root / "kernels" / "include",
            port,
            generated,
        ),
        defines=tuple(_defines(job, schedule.graph).items()),
        linker_script=script if job.target.linker else None,
        parts=tuple(sorted(path for path in port.parent.iterdir() if path.is_dir())),
        library=library_in(job.options),
    )


def _defines(job: Job, graph: Graph) -> dict[str, str]:
    loaded = sum(graph.values[name].bytes for name in graph.inputs)
    defines = {
        "DPL_NETWORK": f"{network_cname(graph)}_net",
        "DPL_BOARD": f'"{job.board.name}"',
        "DPL_INPUT_BYTES": str(loaded),
    }
    if job.target.linker:
        defines["DPL_LINKER_SCRIPT"] = "1"
    if job.target.cores > 1:
        defines["DPL_CORES"] = str(job.target.cores)
    if job.target.threads > 1:
        defines["DPL_CORES_VARY"] = "1"
    if job.mlperf.energy_mode:
        defines["DPL_ENERGY_MODE"] = "1"
    if job.mlperf.db_input != DbInput.INT8:
        defines |= _db_defines(job)
    if job.mlperf.anomaly_score:
        _require_reconstruction(graph)
        defines["DPL_ANOMALY_SCORE"] = "1"
    return {**defines, **port_defines(job.target, job.runner)}


def _require_reconstruction(graph: Graph) -> None:
    """A score compares integers of 8 bits of the first output with those of the first input."""
    ends = [graph.values[names[0]] for names in (graph.inputs, graph.outputs)]
    extents = [[extent for extent in value.shape if extent > 1] for value in ends]
    if extents[0] == extents[1] and all(value.dtype.bytes == 1 for value in ends):
        return
    told = [f"{value.name}: {'x'.join(map(str, value.shape))}, {value.dtype}" for value in ends]
    raise UsageError(
        "--anomaly-score is for an autoencoder of int8: its output is like its input", why=told
    )


def _db_defines(job: Job) -> dict[str, str]:
    """Elements as files hold them become the network's values as its samples did."""
    scale, offset = job.options.input_scale, job.options.input_offset
    return {
        "DPL_DB_ELEMENT": str(_ELEMENT_BYTES[job.mlperf.db_input]),
        "DPL_DB_SCALE": f"{float(scale)!r}f",
        "DPL_DB_OFFSET": f"{float(offset)!r}f",
    }


def with_define(program: Program, name: str, value: str) -> Program:
    return replace(program, defines=(*program.defines, (name, value)))


def _write(
    job: Job,
    store: Store,
    work: Path,
    identity: str,
    size: ImageSize,
    tools: Tools,
    golden: Golden,
) -> None:
    arrays = {"input": golden.inputs, "output": golden.outputs, "crc": golden.crcs}
    (work / bundle.GOLDEN).write_bytes(serde.pack_arrays(arrays))
    plan = store.get(ALLOCATE)
    planned = make_manifest(
        job,
        store.get(SCHEDULE),
        plan,
        store.get(TILE),
        store.get(QUANTIZE),
        size,
        tools,
    )
    itcm = itcm_facts(job.target, work / IMAGE, size.itcm)
    memory: MemoryFacts = {**planned["memory"], "hot_code": itcm}
    manifest: BuiltManifest = {**planned, "id": identity, "firmware": IMAGE, "memory": memory}
    outer = outer_image(store.get(SCHEDULE), plan)
    if outer:
        (work / bundle.OUTER).write_bytes(outer)
    bundle.write(work, manifest, [IMAGE, bundle.GOLDEN, *([bundle.OUTER] if outer else [])])
