"""The zoo table: every network in every exporter's style on every board, run and proven."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from deployer.board import load_board, with_threads
from deployer.choices import Correction, GraphStyle, Objective, SchemeName
from deployer.errors import DeployerError, ModelError
from deployer.pipeline import QUANTIZE, Job, Options, execute, make_job
from deployer.tools.bench.edge import Edge, edge_label, edge_network, edge_of
from deployer.tools.bench.fingerprint import fingerprint
from deployer.tools.bench.limit import TimeLimit, time_limit
from deployer.tools.bench.prove import prove_on
from deployer.tools.bench.row import FAILED, LIMIT, UNSUPPORTED, Key, Row
from deployer.tools.zoo import Network, save

SAMPLES = 4  # of noise, that set the ranges

Facts = dict[str, Any]


@dataclass(frozen=True)
class ZooRequest:
    """What the table spans. ``golden``: samples proven. ``seconds``: limit of a row.

    ``width`` and ``resolution`` replace those of the edge size; ``optimize`` and ``stream_input``
    restructure; ``threads`` share each step, None: as many as each board states.
    """

    names: tuple[str, ...]
    boards: tuple[str, ...]
    styles: tuple[GraphStyle, ...]
    schemes: tuple[SchemeName, ...]
    golden: int
    seconds: float
    stream_input: bool
    board_dir: Path | None = None
    width: float | None = None
    resolution: tuple[int, int] | None = None
    optimize: Objective = Objective.TIME
    threads: int | None = None

    def edge(self, name: str) -> Edge:
        """The size at which network ``name`` is run."""
        return edge_of(name, self.width, self.resolution)

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.names) * len(self.boards) * len(self.styles) * len(self.schemes)

    def check(self) -> None:
        """Raise UsageError for a name that does not exist, and for a board that has not so many
        threads, before the first row runs."""
        for name in self.names:
            edge_network(name, self.edge(name))
        for name in self.boards:
            with_threads(load_board(name, self.board_dir), self.threads)

    def covers(self, row: Row) -> bool:
        """Whether a kept row is of this size and these options."""
        network = edge_network(row.network, self.edge(row.network))
        own = (row.golden_samples, row.optimize, row.stream_input, row.threads)
        wanted = (self.golden, self.optimize, self.stream_input, self.threads)
        return (*own, row.input, row.macs) == (*wanted, network.input, network.macs)


def zoo_rows(request: ZooRequest, kept: Mapping[Key, Row]) -> Iterator[Row]:
    """The rows, each when it is done; those in ``kept`` are taken from there."""
    for name in request.names:
        network = edge_network(name, request.edge(name))
        for scheme in request.schemes:
            with TemporaryDirectory() as folder:
                yield from _Case(request, network, scheme, Path(folder)).rows(kept)


@dataclass(frozen=True, eq=False)
class _Case:
    """One network in one scheme."""

    request: ZooRequest
    network: Network
    scheme: SchemeName
    folder: Path

    def rows(self, kept: Mapping[Key, Row]) -> Iterator[Row]:
        proven: dict[tuple[str, str], Row] = {}
        for style in self.request.styles:
            front: Facts | None = None
            for board in self.request.boards:
                blank = self._blank(style, board)
                row = kept.get(blank.key)
                if row is None:
                    front = front or self._front(blank)
                    row = self._row(blank, front, proven)
                if row.program and not row.same_as:
                    proven.setdefault((board, row.program), row)
                yield row

    def _blank(self, style: GraphStyle, board: str) -> Row:
        return Row(
            network=self.network.name,
            scheme=self.scheme,
            style=style,
            board=board,
            label=edge_label(self.network.name, self.request.edge(self.network.name)),
            input=self.network.input,
            macs=self.network.macs,
            golden_samples=self.request.golden,
            optimize=self.request.optimize,
            stream_input=self.request.stream_input,
            threads=self.request.threads,
        )

    def _front(self, blank: Row) -> Facts:
        """Import and quantize once for all boards: the program's fingerprint, or what failed."""
        return attempt(self.request.seconds, lambda: self._prepare(blank))

    def _prepare(self, blank: Row) -> Facts:
        model = self._model(blank.style)
        save(self.network, model, style=GraphStyle(blank.style))
        job = self._job(blank)
        noise = np.random.default_rng(0).standard_normal((SAMPLES, *self.network.input))
        np.savez(self._samples, input=noise.astype(np.float32))
        graph = execute(job, last=QUANTIZE).get(QUANTIZE).graph
        return {"program": fingerprint(graph), "folder": job.folder}

    def _row(self, blank: Row, front: Facts, proven: Mapping[tuple[str, str], Row]) -> Row:
        start = time.monotonic()
        if "program" not in front:
            return replace(blank, **front)
        row = replace(blank, program=front["program"])
        twin = proven.get((row.board, row.program))
        if twin is not None:
            return replace(twin, style=row.style, same_as=twin.style, seconds=0.0)
        facts = attempt(self.request.seconds, lambda: self._run(blank, front["folder"]))
        return replace(row, **facts, seconds=round(time.monotonic() - start, 1))

    def _run(self, blank: Row, front: Path) -> Facts:
        job = self._job(blank)
        if job.folder != front:
            shutil.copytree(front, job.folder, ignore=shutil.ignore_patterns("[2-9]-*"))
        return prove_on(job)

    def _job(self, blank: Row) -> Job:
        options = replace(
            self._corrections,
            scheme=self.scheme,
            calibration=self._samples,
            golden_samples=self.request.golden,
            optimize=self.request.optimize,
            stream_input=self.request.stream_input,
            threads=self.request.threads,
        )
        return make_job(
            self._model(blank.style),
            blank.board,
            options=options,
            output=self.folder / blank.style,
            board_dir=self.request.board_dir,
        )

    @property
    def _corrections(self) -> Options:
        """Settled: which one helps noise is nothing to spend time on. Floats need none."""
        if self.scheme == SchemeName.FLOAT:
            return Options()
        return Options(equalize=Correction.OFF, bias_correction=Correction.ON)

    def _model(self, style: str) -> Path:
        folder = self.folder / style
        folder.mkdir(exist_ok=True)
        return folder / f"{self.network.name}.onnx"

    @property
    def _samples(self) -> Path:
        return self.folder / "noise.npz"


def attempt(seconds: float, work: Callable[[], Facts]) -> Facts:
    """What ``work`` finds, or the outcome it ended in: one row must not end the table."""
    try:
        with time_limit(seconds):
            return work()
    except TimeLimit as error:
        return {"outcome": LIMIT, "detail": str(error)}
    except ModelError as error:
        return {"outcome": UNSUPPORTED, "detail": _told(error)}
    except DeployerError as error:
        return {"outcome": FAILED, "detail": _told(error)}
    except Exception as error:  # a bug of ours: the other rows still count
        return {"outcome": FAILED, "detail": f"bug: {type(error).__name__}: {error}"}


def _told(error: DeployerError) -> str:
    return "; ".join([error.what, *error.why])
