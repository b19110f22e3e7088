"""Depth networks in each precision of paper 001's table 3.3: bytes, estimated time, energy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deployer.bundle_facts import MemoryFacts
from deployer.choices import SchemeName
from deployer.errors import UsageError, near_hints
from deployer.pipeline import BUILD, Job, Options, make_job, open_store
from deployer.tools.bench.model_time import ModelTime, time_model
from deployer.tools.bench.reference import with_noise
from deployer.tools.bench.threads import shared_network
from deployer.tools.timing import Machine
from deployer.tools.zoo import draw

DEPTH_NETWORKS = ("pydnet", "upydnet")
FX8, FX16, FP32 = "FX8", "FX16", "FP32"
DEPTH_PRECISIONS: Mapping[str, str] = MappingProxyType(
    {FP32: "float32", FX16: "int16", FX8: "int8"}
)


@dataclass(frozen=True)
class Published:
    """A row of table 3.3, half resolution: megabytes of weights and of RAM, frames per joule."""

    space: float
    ram: float
    frames_per_joule: float


TABLE_3_3: Mapping[str, Published] = MappingProxyType(
    {
        FP32: Published(7.6, 206, 0.141),
        FX16: Published(3.8, 118, 0.156),
        FX8: Published(1.9, 62, 0.210),
    }
)


@dataclass(frozen=True)
class DepthRow:
    """A network in one precision, on one thread and on ``threads``. ``arena``: bytes of its
    values; ``resident``: those and all else of the program. ``alone``: estimated cycles of one
    thread, ``together`` of all."""

    board: str
    threads: int
    network: str
    input: tuple[int, ...]
    parameters: int
    macs: int
    precision: str
    weights: int
    arena: int
    resident: int
    instructions: int
    alone: float
    together: float
    compiler: str
    flags: tuple[str, ...]
    tool: str


def keep_depth_row(row: DepthRow, file: Path) -> None:
    """Append ``row`` to the file of finished rows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(row)) + "\n")


def kept_depth_rows(file: Path) -> list[DepthRow]:
    """Those of ``keep_depth_row``; none when there is no file. A last line that was cut short is
    left out. Raises UsageError for a file of something else."""
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    try:
        return [_kept(json.loads(line)) for line in lines if line.endswith("\n")]
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{file} does not hold rows of this version of deployer",
            why=[str(error)],
            hints=["start anew, without --resume"],
        ) from None


def _kept(facts: dict[str, Any]) -> DepthRow:
    return DepthRow(**{**facts, "input": tuple(facts["input"]), "flags": tuple(facts["flags"])})


@dataclass(frozen=True)
class DepthBench:
    """Networks are built in ``folder``, a folder in it for each precision, and keep what is made
    there. ``resolution`` None: that of the papers."""

    machine: Machine
    board_dir: Path | None
    folder: Path
    threads: int
    resolution: tuple[int, int] | None = None

    def kept(self, name: str, precision: str, rows: Sequence[DepthRow]) -> DepthRow | None:
        """The last of ``rows`` that such a bench made."""
        shape = draw(name, resolution=self.resolution).input
        wanted = (self.machine.name, self.threads, name, shape, precision)
        return next((row for row in reversed(rows) if _key(row) == wanted), None)

    def row(self, name: str, precision: str) -> DepthRow:
        """Raises what the stages raise, and BenchError when a step is not golden."""
        network = draw(name, resolution=self.resolution)
        folder = self.folder / precision.lower()
        folder.mkdir(parents=True, exist_ok=True)
        path, options = with_noise(network, name, folder)
        options = _in(precision, options)
        alone = self._job(path, folder, options, threads=1)
        timed = time_model(alone, self.machine)
        manifest = open_store(alone).get(BUILD).manifest
        memory = manifest["memory"]
        return DepthRow(
            board=self.machine.name,
            threads=self.threads,
            network=name,
            input=network.input,
            parameters=manifest["model"]["parameters"],
            macs=timed.macs,
            precision=precision,
            weights=memory["weights"],
            arena=memory["arena"],
            resident=_resident(memory),
            instructions=timed.instructions,
            alone=timed.cycles,
            together=self._together(alone, timed),
            compiler=timed.compiler,
            flags=timed.flags,
            tool=timed.tool,
        )

    def _together(self, alone: Job, timed: ModelTime) -> float:
        """Cycles on all threads."""
        if self.threads == 1:
            return timed.cycles
        options = alone.options
        job = self._job(alone.model, alone.folder.parent, options, threads=self.threads)
        return shared_network(job, self.machine).time

    def _job(self, model: Path, folder: Path, options: Options, *, threads: int) -> Job:
        return make_job(
            model,
            self.machine.name,
            options=replace(options, threads=threads),
            runner=self.machine.runner,
            output=folder,
            board_dir=self.board_dir,
        )


def _in(precision: str, options: Options) -> Options:
    if precision == FP32:
        return Options(scheme=SchemeName.FLOAT, golden_samples=options.golden_samples)
    return replace(options, bits=16 if precision == FX16 else 8)


def _key(row: DepthRow) -> tuple[object, ...]:
    return row.board, row.threads, row.network, row.input, row.precision


def _resident(memory: MemoryFacts) -> int:
    """All memory that the program takes, where weights and code lie in RAM, too."""
    values = memory["arena"] + memory["input_copy"] + memory["static"] + memory["stack"]
    return values + memory["weights"] + memory["code"]


def depth_names(requested: Sequence[str]) -> list[str]:
    """Those of ``requested``, by default all. Raises UsageError for another network."""
    for name in requested:
        if name not in DEPTH_NETWORKS:
            raise UsageError(
                f"bench depth has no network {name!r}", hints=near_hints(name, DEPTH_NETWORKS)
            )
    return [name for name in DEPTH_NETWORKS if name in requested or not requested]


def least_ratio_of(text: str) -> tuple[str, float]:
    """``FX8=1.49``: how many times as fast as FP32 it must be. Raises UsageError for another
    text."""
    precision, _, number = text.partition("=")
    try:
        ratio = float(number)
    except ValueError:
        ratio = 0.0
    if precision not in (FX8, FX16) or not 0 < ratio < float("inf"):
        raise UsageError(f"--least {text}", hints=["FX8=NUMBER or FX16=NUMBER, as in FX8=1.49"])
    return precision, ratio
