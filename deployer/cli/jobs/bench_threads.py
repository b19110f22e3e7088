"""What ``deployer bench threads`` does: build for each number of threads, profile, print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from deployer.cli.options import options_from
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import ThresholdError
from deployer.pipeline import make_job
from deployer.tools.bench import (
    MOST_THREADS,
    shared_network,
    threads_facts,
    threads_markdown,
)
from deployer.tools.timing import machine_for


def carry_out(given: dict[str, Any]) -> None:
    """Raises ThresholdError after the table where the speed-up is too low."""
    check_output(given["output"])
    model: Path = given["model"]
    board, board_dir, work = given["board"], given.pop("board_dir"), given["work"]
    machine = machine_for(
        board, given["costs"], board_dir, given["issue_rules"], credits_pld=given["credit_pld"]
    )
    options, found = options_from(given), []
    most = options.threads or MOST_THREADS
    with progress_view() as view:
        for threads in range(1, most + 1):
            job = make_job(
                model,
                board,
                options=replace(options, threads=threads),
                runner=machine.runner,
                output=work,
                board_dir=board_dir,
                progress=view.update,
                notice=view.notice,
            )
            found.append(shared_network(job, machine))
            view.notice(f"{threads} threads: {found[-1].time:,.0f} cycles")
    facts = threads_facts(model.stem, found, machine)
    put_table(facts, threads_markdown, output=given["output"], as_json=given["as_json"])
    _require(facts["networks"][-1]["speed_up"], given["least"], most)


def _require(speed_up: float, least: float | None, threads: int) -> None:
    if least is not None and speed_up < least:
        raise ThresholdError(f"{threads} threads give {speed_up:.2f} times one, not {least:g}")
