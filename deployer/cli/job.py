"""What run, flash and build share: execute the stages, prove, print the report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from deployer.cli.options import options_from
from deployer.cli.progress import ProgressView, progress_view
from deployer.pipeline.consistent import edited
from deployer.pipeline.library import export_library
from deployer.pipeline.options import Job, make_job
from deployer.pipeline.prove import require_match, run_job
from deployer.pipeline.stages import execute
from deployer.pipeline.store import Store
from deployer.printed import printed


@dataclass(frozen=True)
class JobRequest:
    """The command line of one run."""

    model: Path
    board: str
    runner: str
    first: str
    last: str
    dataset: Path | None
    output: Path
    board_dir: Path | None
    as_json: bool

    def job(self, given: dict[str, Any], view: ProgressView, *, for_board: bool = False) -> Job:
        return make_job(
            self.model,
            self.board,
            options=options_from(given),
            runner=self.runner,
            for_board=for_board,
            output=self.output,
            board_dir=self.board_dir,
            progress=view.update,
            notice=view.notice,
        )


def carry_out(
    request: JobRequest, given: dict[str, Any], *, runner_options: dict[str, Any] | None = None
) -> None:
    """Execute up to ``request.last``; after a run print the report and insist on a match."""
    with progress_view() as view:
        job = request.job(given, view)
        store = execute(job, first=request.first, last=request.last)
        if request.last != "run":
            _say_where(store, request.last)
            return
        with edited(store, "run", request.first):
            report = run_job(
                job, store, dataset=request.dataset, runner_options=runner_options or {}
            )
    _print(report, request.as_json)
    require_match(report)


def build_only(request: JobRequest, given: dict[str, Any], library: Path | None) -> None:
    """Stop after the build, or export the generated C as a library."""
    with progress_view() as view:
        job = request.job(given, view, for_board=True)
        if job.target is not job.board and not request.runner and library is None:
            view.notice(
                f"{job.board.name} has no firmware of its own yet: building {job.target.name}"
            )
        store = execute(job, first=request.first, last=request.last)
        if library is not None:
            export_library(store, library)
    if library is None:
        _say_where(store, request.last)
        return
    click.echo(printed(str(library)))


def _say_where(store: Store, last: str) -> None:
    click.echo(printed(str(store.path(last))))
    click.echo(printed(f"show it with: deployer inspect {store.path(last)}"), err=True)


def _print(report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report, indent=1))
        return
    from deployer.cli.render import print_report

    print_report(report)
