"""The stages: each a function from earlier artifacts to its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from deployer.codegen import region_title
from deployer.errors import ImageTooLarge
from deployer.folders import held
from deployer.ir import Graph, MemoryPlan, Schedule, TilePlan
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
    Quantized,
)
from deployer.pipeline.build_stage import assemble
from deployer.pipeline.consistent import require_consistent, require_own_sources
from deployer.pipeline.edited_artifacts import edited
from deployer.pipeline.generate_stage import generated
from deployer.pipeline.integer_network import imported, quantized
from deployer.pipeline.job import Job
from deployer.pipeline.settings import require_fresh, settings_of, side_files
from deployer.pipeline.store import STAGES, Store, known_stage
from deployer.plan import (
    MAX_REPLANS,
    allocated,
    restructured,
    scheduled,
    tiled,
    with_more_code,
)


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
    job.notice(f"{error.told}: planned again")
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


def _quantize(job: Job, store: Store) -> Quantized:
    return quantized(job, store.get(IMPORT))


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


def _build(job: Job, store: Store) -> Callable[[Path], None]:
    """Compiling writes files, so the store calls back with the folder to fill."""
    if GENERATE not in store.made:
        require_own_sources(store, generated(job, store))
    return lambda folder: assemble(job, store, folder)


_STAGES: dict[str, Callable[[Job, Store], Any]] = {
    IMPORT: _import,
    QUANTIZE: _quantize,
    RESTRUCTURE: _restructure,
    SCHEDULE: _schedule,
    ALLOCATE: _allocate,
    TILE: _tile,
    GENERATE: generated,
    BUILD: _build,
}
