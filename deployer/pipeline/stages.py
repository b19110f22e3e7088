"""The stages: each a function from earlier artifacts to its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from deployer import __version__
from deployer.analysis import step_nodes
from deployer.bundle_facts import CalibrationFacts
from deployer.codegen import generate, linker_script, region_title
from deployer.errors import ImageTooLarge, ModelError
from deployer.folders import held
from deployer.frontend import import_model
from deployer.ir import Graph, MemoryPlan, Schedule, TilePlan, verify
from deployer.pipeline.artifacts import (
    ALLOCATE,
    BUILD,
    FORMATS,
    GENERATE,
    IMPORT,
    QUANTIZE,
    RESTRUCTURE,
    SCHEDULE,
    TILE,
    Generated,
    Quantized,
    as_json,
)
from deployer.pipeline.build_stage import assemble
from deployer.pipeline.consistent import require_consistent, require_own_sources
from deployer.pipeline.edited_artifacts import edited
from deployer.pipeline.facts import QuantFacts
from deployer.pipeline.golden import quantize_inputs
from deployer.pipeline.itcm import ITCM_FILE
from deployer.pipeline.job import Job
from deployer.pipeline.options import NO_HOT_CODE, Options
from deployer.pipeline.settings import require_fresh, settings_of, side_files
from deployer.pipeline.store import STAGES, Store, known_stage
from deployer.pipeline.tuned import reference_for, tuned_for
from deployer.pipeline.widths import mixed_note, width_text
from deployer.plan import (
    MAX_REPLANS,
    allocated,
    arena_bytes,
    input_copy_memory,
    restructured,
    scheduled,
    tiled,
    with_more_code,
)
from deployer.quantize import QuantOptions, Samples, load_samples, quantize, synthetic_samples
from deployer.units import format_bytes


def open_store(job: Job) -> Store:
    return Store(job.folder, FORMATS)


def alone(job: Job) -> AbstractContextManager[None]:
    """The job's folder for this process alone: two runs that share it come one after the other."""

    def waiting() -> None:
        job.notice(f"another run writes to {job.folder}: waiting for its end")

    return held(job.folder, waiting=waiting)


def execute(job: Job, *, first: str = IMPORT, last: str = BUILD) -> Store:
    """Run the stages ``first`` to ``last``; earlier ones are read from the job's folder.

    The run stage needs hardware or an emulator and is pipeline.prove's. Raises UsageError for an
    unknown stage or an earlier one that is stale, and whatever a stage raises; the artifacts of
    finished stages stay.
    """
    for _ in range(MAX_REPLANS):
        try:
            return _executed(job, first, last)
        except ImageTooLarge as error:
            job, first = _with_more_code(job, first, error)
    return _executed(job, first, last)


def _with_more_code(job: Job, first: str, error: ImageTooLarge) -> tuple[Job, str]:
    """The job whose plan leaves more to code, and the stage to begin with. Raises ``error`` where
    another plan would not help, or the plan was given."""
    if STAGES.index(first) > STAGES.index(SCHEDULE):
        raise error
    request = with_more_code(job.request, error)
    job.notice(f"code takes {error.excess:,} B more than estimated: planned again")
    again = replace(job, code_excess=request.code_excess)
    return again, max(first, RESTRUCTURE, key=STAGES.index)


def _executed(job: Job, first: str, last: str) -> Store:
    store = open_store(job)
    names = _between(first, last)
    require_fresh(job, store, first)
    require_consistent(job, store, first)
    for stage in names:
        job.progress(stage, 0, 1)
        with edited(store, stage, first):
            artifact = _STAGES[stage](job, store)
            side = side_files(artifact) if stage == IMPORT else ()
            store.put(stage, artifact, settings=settings_of(job, stage, side))
        job.progress(stage, 1, 1)
    return store


def _between(first: str, last: str) -> tuple[str, ...]:
    begin, end = (STAGES.index(known_stage(name)) for name in (first, last))
    names = STAGES[begin : end + 1]
    return tuple(name for name in names if name in _STAGES)


def _import(job: Job, store: Store) -> Graph:
    return imported(job)


def imported(job: Job) -> Graph:
    """The float network, as the import stage makes it."""
    graph = import_model(
        job.model,
        input_shapes=dict(job.options.input_shapes),
        softmax=job.options.softmax,
        cut=job.options.cut,
    )
    for note in graph.notes:
        job.notice(note)
    if not step_nodes(graph):
        raise ModelError(
            f"{graph.name} computes nothing",
            why=["its nodes only rename or reshape the input"],
            hints=["export the network with its layers"],
        )
    return verify(graph)


def _quantize(job: Job, store: Store) -> Quantized:
    graph = store.get(IMPORT)
    samples = calibration(job, graph)
    options = quant_options(job)
    folder = job.options.tuned
    tuned = tuned_for(graph, folder) if folder else graph
    result = quantize(
        tuned,
        samples,
        options,
        reference=reference_for(graph, folder) if folder else graph,
        ram=arena_bytes,
        progress=job.progress,
    )
    count = job.options.golden_samples
    first = {name: array[:count] for name, array in samples.arrays.items()}
    source = {
        "source": samples.source,
        "sha256": samples.sha256,
        "synthetic": samples.synthetic,
        **as_json(result.report.decisions),
    }
    for note in result.report.notes:
        job.notice(f"WARNING: {note}" if note in result.report.warnings else note)
    if result.report.decisions.mixed:
        job.notice(mixed_note(result.report.decisions.mixed))
    report: QuantFacts = as_json({**as_json(result.report), "calibration": source})
    return Quantized(verify(result.graph), report, quantize_inputs(result.graph, first))


def quant_options(job: Job) -> QuantOptions:
    return QuantOptions(
        scheme=job.options.scheme,
        requant=job.options.requant,
        preferred=job.board.requant,
        calibrate=job.options.calibrate,
        percentile=job.options.percentile,
        equalize=job.options.equalize,
        bias_correction=job.options.bias_correction,
        bits=job.options.bits,
        bits_of=job.options.bits_of,
        mixed=job.options.mixed,
    )


def calibration(job: Job, graph: Graph) -> Samples:
    """The user's samples, or seeded synthetic ones, which the report warns of."""
    options = job.options
    if options.calibration is not None:
        return load_samples(
            graph,
            options.calibration,
            input_scale=options.input_scale,
            input_offset=options.input_offset,
        )
    return synthetic_samples(graph, seed=options.seed)


def _restructure(job: Job, store: Store) -> Graph:
    graph = restructured(store.get(QUANTIZE).graph, job.request)
    if graph.regions:
        job.notice(f"restructured: {', '.join(region_title(region) for region in graph.regions)}")
    if job.options.stream_input and not graph.by_rows:
        job.notice("the input stays resident: no plan for these options takes it by rows")
    return graph


def _schedule(job: Job, store: Store) -> Schedule:
    return scheduled(store.get(RESTRUCTURE), job.request)


def _allocate(job: Job, store: Store) -> MemoryPlan:
    return allocated(store.get(SCHEDULE), job.request)


def _tile(job: Job, store: Store) -> TilePlan:
    return tiled(store.get(SCHEDULE), store.get(ALLOCATE), job.request)


def _generate(job: Job, store: Store) -> Generated:
    plan = store.get(ALLOCATE)
    quantized = store.get(QUANTIZE)
    lines = option_lines(job, quantized.report["calibration"], width_text(quantized.graph))
    tiles = store.get(TILE)
    schedule = store.get(SCHEDULE)
    files = generate(schedule, plan, version=__version__, options=lines, tiles=tiles)
    if job.target.linker:
        files["link.ld"] = linker_script(
            job.target,
            {**dict(plan.heights), **tiles.heights},
            input_in=input_copy_memory(schedule.graph, plan, job.request),
            copied=plan.copies,
            itcm_file="" if job.options.hot_code == NO_HOT_CODE else ITCM_FILE,
        )
    return Generated(files)


def option_lines(job: Job, calibrated: CalibrationFacts, widths: str) -> tuple[str, ...]:
    """The options that shaped the network, for the header of generated files."""
    options = job.options
    percentile = f" {calibrated['percentile']}" if calibrated["percentile"] is not None else ""
    switched = calibrated["equalize"], calibrated["bias_correction"]
    equalized, corrected = ("on" if made else "off" for made in switched)
    return (
        f"scheme {options.scheme}, requantization {options.requant}, softmax {options.softmax}",
        f"calibration {calibrated['calibrate']}{percentile}, equalization {equalized}, "
        f"bias correction {corrected}",
        *([] if widths == "int8" else [f"activations {widths}"]),
        *_restructure_lines(job),
        f"board {job.board.name}",
    )


def _restructure_lines(job: Job) -> list[str]:
    """Nothing for the defaults."""
    options, plain = job.options, Options()
    requested = {
        "restructure": options.restructure,
        "ram": None if options.ram is None else format_bytes(options.ram),
        "optimize": options.optimize,
        "share": options.share,
        "choose": options.choose,
        "place": options.place,
        "hot code": options.hot_code,
        "tiler": options.tiler,
        "kernels": options.kernels,
    }
    kept = {name: getattr(plain, name.replace(" ", "_")) for name in requested}
    found = [f"{name} {value}" for name, value in requested.items() if value != kept[name]]
    rows = ["input by rows"] if options.stream_input else []
    return [", ".join([*found, *rows])] if found or rows else []


def _build(job: Job, store: Store) -> Callable[[Path], None]:
    """Compiling writes files, so the store calls back with the folder to fill."""
    if GENERATE not in store.made:
        require_own_sources(store, _generate(job, store))
    return lambda folder: assemble(job, store, folder)


_STAGES: dict[str, Callable[[Job, Store], Any]] = {
    IMPORT: _import,
    QUANTIZE: _quantize,
    RESTRUCTURE: _restructure,
    SCHEDULE: _schedule,
    ALLOCATE: _allocate,
    TILE: _tile,
    GENERATE: _generate,
    BUILD: _build,
}
