"""Networks in tiles: every tiler and size of memory, run bit-exact, beside the estimate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.board import Board, at_point, load_board
from deployer.bundle_facts import FetchedFacts, LaunchRow
from deployer.choices import TilerName
from deployer.errors import FitError
from deployer.pipeline import (
    BUILD,
    QUANTIZE,
    RESTRUCTURE,
    RUN,
    Job,
    execute,
    make_job,
    open_store,
    run_job,
)
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, NO_FIT
from deployer.tools.bench.tiles_networks import model_of, require_known
from deployer.tools.bench.tiles_setting import (
    Setting,
    inner_memory,
    outer_memory,
    require_runner,
    resized,
)
from deployer.tools.bench.verdict import worst_of
from deployer.tools.bench.zoo import attempt

Facts = dict[str, Any]


@dataclass(frozen=True)
class TilesRequest:
    """``models``: names of tiles_networks, or ONNX files. ``runners``: () for the board's first.
    ``inner`` and ``outer`` as in Setting. ``seconds``: limit of each step of the work. ``point``:
    one of the board's, "" for its own."""

    board: str
    models: tuple[str, ...]
    seconds: float
    runners: tuple[str, ...] = ()
    tilers: tuple[TilerName, ...] = (TilerName.COST,)
    inner: tuple[int | None, ...] = (None,)
    outer: tuple[int | None, ...] = (None,)
    point: str = ""
    board_dir: Path | None = None

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Sizes outside, tilers side by side."""
        sizes = product(self.outer, self.inner, self.tilers)
        return tuple(Setting(tiler, outer, inner) for outer, inner, tiler in sizes)

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.models) * len(self.settings)

    def checked_board(self) -> Board:
        """The board. Raises UsageError for what cannot be run, before the first row is."""
        board = at_point(load_board(self.board, self.board_dir), self.point)
        require_known(self.models)
        for setting in self.settings:
            resized(board, setting)
        for runner in self.runners or (next(iter(board.runners), ""),):
            require_runner(board, runner)
        return board


@dataclass(frozen=True)
class TilesRun:
    """What one runner did: an outcome of row.py, and ``unit`` of ``kind`` of every layer where it
    is EXACT or DIFFERS."""

    runner: str
    outcome: str
    detail: str = ""
    kind: str = ""
    unit: str = ""
    tool: str = ""
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class TilesRow:
    """A network in one setting; sizes in bytes. ``outcome``: the worst of its runs; of one that
    does not get that far what happened, with ``detail``. ``layers``: steps of the manifest, whose
    ``tiles`` hold the estimate; ``streamed``: weights fetched in every inference, as there.
    ``macs``: of the network, whatever stripes compute twice."""

    network: str
    tiler: str
    inner: int
    outer: int
    outcome: str = FAILED
    detail: str = ""
    layers: tuple[LaunchRow, ...] = ()
    streamed: FetchedFacts | None = None
    runs: tuple[TilesRun, ...] = ()
    macs: int = 0

    @property
    def said(self) -> str:
        """What came of it, in a line."""
        if not self.runs:
            return f"{self.outcome}: {self.detail}" if self.detail else self.outcome
        runs = (f"{run.runner} {run.outcome}, {sum(run.counts):,} {run.unit}" for run in self.runs)
        return "; ".join(runs)


def tiles_rows(request: TilesRequest) -> Iterator[TilesRow]:
    """The rows, each when it is done; a network is imported and quantized once."""
    for model in request.models:
        with TemporaryDirectory() as folder:
            bench = _Bench(request, model, Path(folder))
            front = attempt(request.seconds, bench.quantized)
            for setting in request.settings:
                yield bench.row(setting, front)


@dataclass(frozen=True)
class _Bench:
    """One model."""

    request: TilesRequest
    model: str
    folder: Path

    def quantized(self) -> Facts:
        """The job, whose folder holds the stages up to quantize."""
        path, options = model_of(self.model, self.folder)
        job = make_job(
            path,
            self.request.board,
            options=options,
            runner=next(iter(self.request.runners), ""),
            output=self.folder,
            board_dir=self.request.board_dir,
            point=self.request.point,
        )
        execute(job, last=QUANTIZE)
        return {"job": job}

    def row(self, setting: Setting, front: Facts) -> TilesRow:
        if "job" not in front:
            sizes = setting.inner or 0, setting.outer or 0
            return TilesRow(self._name, setting.tiler, *sizes, **front)
        job = _fitted(front["job"], setting)
        inner, outer = _sizes(job.board)
        blank = TilesRow(self._name, setting.tiler, inner, outer)
        built = attempt(self.request.seconds, lambda: _built(job))
        if "layers" not in built:
            return replace(blank, **built)
        runners = self.request.runners or (job.runner,)
        runs = tuple(self._run(replace(job, runner=runner)) for runner in runners)
        return replace(blank, **built, runs=runs, outcome=worst_of(run.outcome for run in runs))

    def _run(self, job: Job) -> TilesRun:
        return TilesRun(job.runner, **attempt(self.request.seconds, lambda: _ran(job)))

    @property
    def _name(self) -> str:
        return Path(self.model).stem if self.model.endswith(".onnx") else self.model


def _fitted(job: Job, setting: Setting) -> Job:
    """The job on a board of the setting's sizes, cut by its tiler."""
    board = resized(job.board, setting)
    options = replace(job.options, tiler=setting.tiler)
    return replace(job, board=board, target=board, options=options)


def _sizes(board: Board) -> tuple[int, int]:
    return board.memory(inner_memory(board)).size, board.memory(outer_memory(board)).size


def _built(job: Job) -> Facts:
    try:
        store = execute(job, first=RESTRUCTURE)
    except FitError as error:
        return {"outcome": NO_FIT, "detail": "; ".join([error.what, *error.why])}
    manifest = store.get(BUILD).manifest
    return {
        "macs": manifest["model"]["macs"],
        "layers": tuple(manifest["steps"]),
        "streamed": manifest["memory"]["streamed"],
    }


def _ran(job: Job) -> Facts:
    """Fields of a TilesRun."""
    store = open_store(job)
    report = run_job(job, store)
    record = json.loads((store.path(RUN) / "record.jsonl").read_text())
    return {
        "outcome": EXACT if report["golden"]["match"] else DIFFERS,
        "detail": report["golden"]["first_differing_layer"] or "",
        "kind": report["counter"]["kind"],
        "unit": report["counter"]["unit"],
        "tool": record["tool"],
        "counts": tuple(layer["count"] for layer in report["layers"]),
    }
