"""Counted cost of every step of networks of single operators, on a board's emulated twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from deployer.analysis import Launch, launches
from deployer.board import load_board
from deployer.bundle import Bundle
from deployer.choices import Correction, Restructuring
from deployer.errors import BenchError, UsageError
from deployer.ir import Graph, verify
from deployer.pipeline import (
    BUILD,
    IMPORT,
    QUANTIZE,
    RESTRUCTURE,
    SCHEDULE,
    Job,
    Options,
    execute,
    make_job,
    open_store,
)
from deployer.tools.bench.cost_nets import operator_graphs, variants
from deployer.tools.bench.cost_rounds import rounds
from deployer.tools.timing import StepTime, counting_runner, estimate, machine_of, profile
from deployer.units import FigureKind
from deployer_hil import RunRecord, create, prove

Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Counted:
    """What one launch of ``graph`` took: ``count`` instructions, all cores together; ``cycles`` by
    the model of the pipeline, 0 where there is none."""

    graph: Graph
    launch: Launch
    count: int
    cycles: float


@dataclass(frozen=True, eq=False)
class Run:
    """The launches of networks; ``target``, ``tool`` and ``compiler`` say what counted what."""

    counted: tuple[Counted, ...]
    target: str
    tool: str
    compiler: str


def count_operators(board: str, *, board_dir: Path | None, tell: Tell) -> Run:
    """Raises UsageError for a board whose runner does not count, BenchError when a tool fails or a
    layer is not exact."""
    runs: list[Run] = []
    with TemporaryDirectory() as folder:
        for graph in operator_graphs():
            job = _job(graph.name, board, Path(folder), board_dir)
            for label, run in _variants(job, graph):
                tell(f"{graph.name} {label}: {len(run.counted)} launches")
                runs.append(run)
    return replace(runs[-1], counted=tuple(one for run in runs for one in run.counted))


def _job(name: str, board: str, folder: Path, board_dir: Path | None) -> Job:
    model = folder / f"{name}.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    options = Options(
        golden_samples=1,
        equalize=Correction.OFF,
        bias_correction=Correction.OFF,
        restructure=Restructuring.OFF,
    )
    runner = counting_runner(load_board(board, board_dir))
    return make_job(
        model, board, options=options, runner=runner, output=folder, board_dir=board_dir
    )


def _variants(job: Job, graph: Graph) -> Iterator[tuple[str, Run]]:
    open_store(job).put(IMPORT, graph)
    integer = execute(job, first=QUANTIZE, last=QUANTIZE).get(QUANTIZE).graph
    for number, part in enumerate(rounds(job.target.kernels, integer)):
        for label, regions in variants(part):
            run = count_launches(job, verify(replace(part, regions=regions)))
            yield f"{label}, kernels {number}", run


def count_launches(job: Job, graph: Graph) -> Run:
    """Build and run an integer ``graph`` in place of the job's restructured one."""
    open_store(job).put(RESTRUCTURE, graph)
    store = execute(job, first=SCHEDULE)
    bundle = store.get(BUILD)
    with create(job.runner, bundle) as device:
        record = prove(bundle, device)
    if job.board.timing is None:  # else the profiler counts
        _require_counts(job, record)
    if not record.golden.match:
        raise BenchError(f"{graph.name} is not exact: {record.golden.first_layer}")
    schedule = store.get(SCHEDULE)
    pairs = zip(launches(schedule), record.layers, strict=True)
    times = _times(job, bundle)
    counted = tuple(
        _counted(schedule.graph, launch, row.count, times.get(launch.index))
        for launch, row in pairs
    )
    compiler = bundle.manifest["toolchain"]["compiler"]
    return Run(counted, record.target, record.tool, compiler)


def _counted(graph: Graph, launch: Launch, count: int | None, time: StepTime | None) -> Counted:
    """``count``: of the runner, None where only the profiler counts."""
    if time is None:
        return Counted(graph, launch, count or 0, 0.0)
    return Counted(graph, launch, time.instructions if count is None else count, time.core)


def _times(job: Job, bundle: Bundle) -> Mapping[int, StepTime]:
    """Of every launch; none for a board without a model of its pipeline."""
    if job.board.timing is None:
        return {}
    machine = machine_of(job.board, job.target)
    found = profile(bundle, machine, prefix=job.target.toolchain.prefix, warm=False)
    return {step.index: step for step in estimate(found, machine)}


def _require_counts(job: Job, record: RunRecord) -> None:
    if record.kind != FigureKind.COUNTED:
        raise UsageError(
            f"{job.runner} of {job.board.name} counts no instructions",
            hints=["a board with an emulated twin: nucleo-f767zi, gap8"],
        )
