"""Which points of a network family fit a board, without restructuring and with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.analysis import constant_reserve
from deployer.board import Board
from deployer.choices import Correction, Sharing
from deployer.errors import FitError
from deployer.ir import Graph
from deployer.pipeline import QUANTIZE, Job, Options, execute, make_job, outline
from deployer.plan import aliased, judge, planner_of, restructured
from deployer.restructure import Planner, lean
from deployer.schedule import schedule as order_steps
from deployer.tools.bench.prove import prove_on
from deployer.tools.bench.row import EXACT
from deployer.tools.bench.zoo import attempt
from deployer.tools.zoo import draw, save

FITS_NETWORKS = ("mobilenetv1", "mobilenetv2")
FITS_WIDTHS = (1.0, 0.75, 0.5)
FITS_RESOLUTIONS = (192, 160)  # with FITS_WIDTHS, the points of paper 001's table 2.10
_ENOUGH_BYTES = 1 << 40  # of flash, to ask about RAM alone


@dataclass(frozen=True)
class FitsRequest:
    """Every network in every width and resolution. ``prove``: run what fits in the emulator, each
    for at most ``seconds``."""

    networks: tuple[str, ...] = FITS_NETWORKS
    widths: tuple[float, ...] = FITS_WIDTHS
    resolutions: tuple[int, ...] = FITS_RESOLUTIONS
    board: str = "nucleo-f767zi"
    prove: bool = field(kw_only=True)
    seconds: float = field(kw_only=True)
    board_dir: Path | None = None

    @property
    def points(self) -> tuple[tuple[str, float, int], ...]:
        """Network, width and resolution of every row."""
        return tuple(product(self.networks, self.widths, self.resolutions))


@dataclass(frozen=True)
class Plan:
    """An arena in bytes and what it costs beyond the plain one, as fractions.

    ``over``: memories with the bytes by which they are too small, all counted. ``regions``: how
    many parts run in pieces.
    """

    arena: int
    added_macs: float
    added_cost: float
    over: tuple[tuple[str, int], ...]
    regions: int


@dataclass(frozen=True)
class FitsRow:
    """A point. ``smallest`` and ``by_rows``: the least arena, input resident and by rows.

    ``plain``: nothing shares bytes. ``fitting``: with bytes shared, the least work whose RAM fits
    the board; None when nothing does. ``by_rows_fitting``: whether that takes the input by rows.
    ``flash`` holds weights, requantization and an estimate of the code. ``emulated``: outcome of a
    run, "" without one.
    """

    network: str
    width: float
    resolution: int
    macs: int
    flash: int
    plain: Plan
    smallest: Plan
    by_rows: Plan
    fitting: Plan | None
    by_rows_fitting: bool
    emulated: str = ""


def fits_rows(request: FitsRequest) -> Iterator[FitsRow]:
    """The rows, each when it is done; weights are random, figures counted."""
    for point in request.points:
        with TemporaryDirectory() as folder:
            yield _Point(request, *point, Path(folder)).row()


@dataclass(frozen=True, eq=False)
class _Point:
    request: FitsRequest
    name: str
    width: float
    resolution: int
    folder: Path

    def row(self) -> FitsRow:
        network = draw(self.name, width=self.width, resolution=(self.resolution,) * 2)
        save(network, self._model)
        job = self._job(Options())
        graph = outline(job)
        found = self._fitting(graph)
        row = FitsRow(
            network=self.name,
            width=self.width,
            resolution=self.resolution,
            macs=network.macs,
            flash=constant_reserve(graph, job.board)[job.board.place.weights],
            plain=plan_on(graph, self._job(Options(share=Sharing.OFF))),
            smallest=smallest(graph, job),
            by_rows=smallest(graph, job, by_rows=True),
            fitting=found[0] if found else None,
            by_rows_fitting=found is not None and found[1],
        )
        if not self.request.prove or row.fitting is None or row.fitting.over:
            return row
        return dataclasses.replace(row, emulated=self._proven(row.by_rows_fitting))

    def _fitting(self, graph: Graph) -> tuple[Plan, bool] | None:
        """The least work whose RAM fits; by rows only where nothing else does."""
        for by_rows in (False, True):
            job = self._job(Options(stream_input=by_rows))
            found = restructured(graph, without_flash_limit(job).request)
            plan = plan_on(found, job)
            if all(memory == job.board.place.weights for memory, _ in plan.over):
                return plan, by_rows
        return None

    def _proven(self, by_rows: bool) -> str:
        options = Options(
            golden_samples=1,
            equalize=Correction.OFF,
            bias_correction=Correction.OFF,
            stream_input=by_rows,
        )
        facts = attempt(self.request.seconds, lambda: _run(self._job(options)))
        if facts["outcome"] == EXACT:
            return f"{EXACT}, {facts['layers']} steps"
        return f"**{facts['outcome']}** {facts['detail']}".rstrip()

    def _job(self, options: Options) -> Job:
        return make_job(
            self._model,
            self.request.board,
            options=options,
            output=self.folder / "build",
            board_dir=self.request.board_dir,
        )

    @property
    def _model(self) -> Path:
        return self.folder / f"{self.name}.onnx"


def _run(job: Job) -> dict[str, Any]:
    execute(job, last=QUANTIZE)
    return prove_on(job)


def plan_on(found: Graph, job: Job) -> Plan:
    """``found`` on the job's board; its cost beside that without regions, kernels the same."""
    verdict = judge(aliased(found, job.request), job.board)
    measured = planner_of(dataclasses.replace(found, regions=()), job.request).measured(found)
    over = tuple((row.memory, row.excess) for row in verdict.report.rows if row.excess > 0)
    if verdict.refusal and not over:
        raise FitError(verdict.refusal.what, why=verdict.refusal.why)
    spent = measured.added_macs, measured.added_cost
    return Plan(verdict.plan.arena, *spent, over, len(found.regions))


def smallest(graph: Graph, job: Job, *, by_rows: bool = False) -> Plan:
    """The least arena whatever its cost, with the kernels of least scratch."""
    slim = lean(graph, job.target.kernels)
    found = _planner(slim, job, by_rows=by_rows).smallest(added=float("inf"))
    regions = len(found.graph.regions)
    return Plan(found.arena, found.added_macs, found.added_cost, (), regions)


def _planner(graph: Graph, job: Job, *, by_rows: bool) -> Planner:
    ordered = order_steps(graph, job.target.kernels).graph
    return planner_of(ordered, job.request, stream_input=by_rows)


def without_flash_limit(job: Job) -> Job:
    """The job on a board of the same RAM and boundless flash."""
    board: Board = job.board
    used = (*board.place.arena, board.place.data, board.place.stack)
    memories = tuple(
        m if m.name in used else dataclasses.replace(m, size=_ENOUGH_BYTES) for m in board.memories
    )
    return dataclasses.replace(job, board=dataclasses.replace(board, memories=memories))
