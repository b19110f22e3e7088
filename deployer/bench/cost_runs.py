"""Counted cost of every step of networks of single operators, on a board's emulated twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from deployer.analysis.launch import Launch, launches
from deployer.bench.cost_nets import operator_graphs, variants
from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer.ir.graph import Graph
from deployer.ir.verify import verify
from deployer.pipeline.options import Job, Options, make_job
from deployer.pipeline.stages import execute, open_store
from hil.measure import prove
from hil.record import RunRecord
from hil.runner import create

Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Counted:
    """What one launch of ``graph`` took: ``count`` instructions, all cores together."""

    graph: Graph
    launch: Launch
    count: int


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
    options = Options(golden_samples=1, equalize="off", bias_correction="off", restructure="off")
    return make_job(model, board, options=options, output=folder, board_dir=board_dir)


def _variants(job: Job, graph: Graph) -> Iterator[tuple[str, Run]]:
    open_store(job).put("import", graph)
    integer = execute(job, first="quantize", last="quantize").get("quantize").graph
    for label, regions in variants(integer):
        yield label, count_launches(job, verify(replace(integer, regions=regions)))


def count_launches(job: Job, graph: Graph) -> Run:
    """Build and run an integer ``graph`` in place of the job's restructured one."""
    open_store(job).put("restructure", graph)
    store = execute(job, first="schedule")
    bundle: Bundle = store.get("build")
    with create(job.runner, bundle) as device:
        record = prove(bundle, device)
    _require_counts(job, record)
    if not record.golden.match:
        raise BenchError(f"{graph.name} is not exact: {record.golden.first_layer}")
    schedule = store.get("schedule")
    pairs = zip(launches(schedule), record.layers, strict=True)
    counted = tuple(Counted(schedule.graph, launch, row.count or 0) for launch, row in pairs)
    compiler = str(bundle.manifest["toolchain"]["compiler"])
    return Run(counted, record.target, record.tool, compiler)


def _require_counts(job: Job, record: RunRecord) -> None:
    if record.kind != "counted":
        raise UsageError(
            f"{job.runner} of {job.board.name} counts no instructions",
            hints=["a board with an emulated twin: nucleo-f767zi, gap8"],
        )
