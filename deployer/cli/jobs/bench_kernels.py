"""What ``deployer bench kernels`` does: build the networks, profile, print, gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.cli.jobs.bench_model import machine_for, pass_gate
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import UsageError, near_hints
from deployer.ir.plan import Schedule
from deployer.pipeline.options import Job, make_job
from deployer.pipeline.stages import open_store
from deployer.tools.bench.cmsis_nn import Library, Rival, library_of, link_app, measure
from deployer.tools.bench.counts_gate import Gate
from deployer.tools.bench.kernels_table import kernels_facts, markdown
from deployer.tools.bench.model_time import ModelTime, time_model
from deployer.tools.bench.reference import NETWORKS, reference_model
from deployer.tools.timing.machine import Machine
from deployer.tools.timing.profile import RUNNER


def carry_out(given: dict[str, Any]) -> None:
    """Raises ThresholdError after the table when the gate is missed."""
    check_output(given["output"])
    gate = Gate(given["gate"], given["rewrite"])
    gate.prepare()
    names = _names(given["names"])
    library = library_of(given["against"]) if given["against"] else None
    machine = machine_for(given["board"], given["costs"], given["board_dir"])
    with progress_view() as view, TemporaryDirectory() as folder:
        bench = _Bench(
            machine, given["board_dir"], library, Path(folder), given["place"], given["hot_code"]
        )
        timed = [bench.time(name, view) for name in names]
    put_table(
        kernels_facts(machine, timed, bench.rivals),
        markdown,
        output=given["output"],
        as_json=given["as_json"],
    )
    pass_gate(gate, timed)


def _names(asked: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in NETWORKS:
            raise UsageError(f"unknown network {name!r}", hints=near_hints(name, NETWORKS))
    return [name for name in NETWORKS if name in asked or not asked]


@dataclass(frozen=True)
class _Bench:
    """``rivals``: what the library took for the networks timed so far."""

    machine: Machine
    board_dir: Path | None
    library: Library | None
    folder: Path
    place: str
    hot_code: str
    rivals: dict[str, tuple[Schedule, Rival]] = field(default_factory=dict)

    def time(self, name: str, view: ProgressView) -> ModelTime:
        path, options = reference_model(name, self.folder)
        job = make_job(
            path,
            self.machine.name,
            options=replace(options, place=self.place, hot_code=self.hot_code),
            runner=RUNNER,
            output=self.folder,
            board_dir=self.board_dir,
        )
        found = time_model(job, self.machine, name=name)
        view.notice(f"{name}: {found.instructions:,} instructions")
        if self.library is not None:
            schedule: Schedule = open_store(job).get("schedule")
            self.rivals[name] = schedule, self._rival(self.library, schedule, job)
        return found

    def _rival(self, library: Library, schedule: Schedule, job: Job) -> Rival:
        app = link_app(library, job.target, self.folder)
        return measure(schedule, app, board=job.target, machine=self.machine, work=self.folder)
