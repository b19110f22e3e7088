"""What run, flash and build share: execute the stages, prove, print the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
from click.core import ParameterSource

from deployer.board import load_board
from deployer.choices import USUAL_MLPERF, Mlperf
from deployer.cli.options import options_from
from deployer.cli.progress import ProgressView, progress_view
from deployer.errors import FitError
from deployer.pipeline import (
    FORMATS,
    RUN,
    STAGES,
    Job,
    Ran,
    Report,
    Store,
    alone,
    edited,
    execute,
    job_folder,
    make_job,
    open_store,
    reason,
    recorded_options,
    require_match,
    require_programs,
    run_and_record,
    stages_between,
)
from deployer.printed import printed
from deployer.units import command_line
from deployer_hil import Results, RunRecord, Source

AD_HOC = ""  # the session of runs by hand


@dataclass(frozen=True)
class JobRequest:
    """The command line of one run. ``name``: of its folder, beside the board's; default: the
    model file's. ``baud``: 0 for the board file's. ``results``: a file that the record goes to."""

    model: Path
    board: str
    runner: str
    first: str
    last: str
    dataset: Path | None
    output: Path
    board_dir: Path | None
    as_json: bool
    name: str = ""
    baud: int = 0
    results: Path | None = None
    mlperf: Mlperf = USUAL_MLPERF

    def job(self, given: dict[str, Any], view: ProgressView, *, for_board: bool = False) -> Job:
        """With ``--from``, options that were not given are those of the stages on disk."""
        options = options_from(given)
        if self.first != STAGES[0]:
            options = replace(options, **self._recorded())
        return make_job(
            self.model,
            self.board,
            options=options,
            runner=self.runner,
            for_board=for_board,
            output=self.output,
            name=self.name,
            board_dir=self.board_dir,
            baud=self.baud,
            mlperf=self.mlperf,
            progress=view.update,
            notice=view.notice,
            searching=view.searching,
        )

    def _recorded(self) -> dict[str, Any]:
        board = load_board(self.board, self.board_dir)
        store = Store(job_folder(self.output, self.name or self.model.stem, board), FORMATS)
        context = click.get_current_context()
        return {
            name: value
            for name, value in recorded_options(store, self.first).items()
            if context.get_parameter_source(name) is ParameterSource.DEFAULT
        }


def carry_out(
    request: JobRequest, given: dict[str, Any], *, runner_options: Mapping[str, Any] | None = None
) -> None:
    """Execute up to ``request.last``; after a run print the report and insist on a match."""
    with progress_view() as view:
        stages_between(request.first, request.last)
        job = request.job(given, view)
        with alone(job):
            store = executed(job, request)
            if request.last != RUN:
                _say_where(store, request.last)
                return
            ran = _run(job, store, request, runner_options or {})
            if request.results:
                with Results(request.results) as results:
                    keep(ran, results, session=AD_HOC, cell=uuid4().hex)
    _print(ran.report, request.as_json)
    require_match(ran.report)


def ran_of(
    request: JobRequest,
    given: dict[str, Any],
    view: ProgressView,
    runner_options: dict[str, Any],
    meter: Source | None = None,
) -> Ran:
    """All stages and the run, nothing printed; ``meter`` measures its energy. Raises what stands in
    their way; a mismatch is in the report."""
    job = request.job(given, view)
    with alone(job):
        return _run(job, executed(job, request), request, runner_options, meter)


def _run(
    job: Job,
    store: Store,
    request: JobRequest,
    options: Mapping[str, Any],
    meter: Source | None = None,
) -> Ran:
    with edited(store, RUN, request.first):
        return run_and_record(
            job, store, dataset=request.dataset, runner_options=options, meter=meter
        )


def keep(ran: Ran, results: Results, *, session: str, cell: str, bench: str = "") -> None:
    """Add what ran to a file of results."""
    record = RunRecord.from_json(ran.record)
    results.add(record, ran.log, session=session, cell=cell, bench=bench)


def build_only(request: JobRequest, given: dict[str, Any]) -> None:
    """Stop after the build."""
    with progress_view() as view:
        stages_between(request.first, request.last)
        job = request.job(given, view, for_board=True)
        if job.target is not job.board and not request.runner:
            view.notice(
                f"{job.board.name} has no firmware of its own yet: building {job.target.name}"
            )
        with alone(job):
            store = executed(job, request)
    _say_where(store, request.last)


def executed(job: Job, request: JobRequest) -> Store:
    """The stages that ``request`` names; what does not fit is refused in full."""
    require_programs(job, request.first, request.last)
    try:
        return execute(job, first=request.first, last=request.last)
    except FitError as error:
        raise reason(job, open_store(job), error) from None


def _say_where(store: Store, last: str) -> None:
    shown = str(store.path(last))
    click.echo(printed(shown))
    click.echo(printed(f"show it with: {command_line(['inspect'], shown)}"), err=True)


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report, indent=1))
        return
    from deployer.cli.render_report import print_report

    print_report(report)
