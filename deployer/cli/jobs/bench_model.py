"""What ``deployer bench model`` does: build, profile, print, gate."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from deployer.cli.jobs.bench_gate import Gate
from deployer.cli.options import options_from
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import UsageError
from deployer.pipeline import Job, make_job
from deployer.tools.bench import ModelTime, model_time_facts, model_time_markdown, time_model
from deployer.tools.timing import Machine, machine_for


def carry_out(given: dict[str, Any]) -> None:
    """Raises ThresholdError after the table when the gate is missed."""
    check_output(given["output"])
    gate = Gate(given["gate"], given["reason"])
    gate.prepare()
    machine = machine_for(
        given["board"],
        given["costs"],
        given["board_dir"],
        given["issue_rules"],
        credits_pld=given["credit_pld"],
    )
    with progress_view() as view:
        timed = [_timed(job, machine, view) for job in _jobs(given, machine, view)]
    facts = model_time_facts(machine, timed)
    shown = partial(model_time_markdown, loops=given["loops"])
    put_table(facts, shown, output=given["output"], as_json=given["as_json"])
    gate.judge(machine.name, timed)


def _timed(job: Job, machine: Machine, view: ProgressView) -> ModelTime:
    found = time_model(job, machine)
    view.notice(f"{found.name}: {found.instructions:,} instructions")
    return found


def _jobs(given: dict[str, Any], machine: Machine, view: ProgressView) -> list[Job]:
    models: tuple[Path, ...] = given["models"]
    if len({path.stem for path in models}) < len(models):
        raise UsageError("two models have one name: their artifacts would share a folder")
    board, board_dir, work = given["board"], given.pop("board_dir"), given["work"]
    options = options_from(given)
    return [
        make_job(
            path,
            board,
            options=options,
            runner=machine.runner,
            output=work,
            board_dir=board_dir,
            progress=view.update,
            notice=view.notice,
        )
        for path in models
    ]
