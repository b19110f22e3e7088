"""What ``deployer bench board`` does: build, program, measure, print."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any
from uuid import uuid4

from deployer.board import load_board, points_named
from deployer.cli.jobs.deploy import AD_HOC
from deployer.cli.on_bench import Place, counted
from deployer.cli.option_sets import PROGRAMMED
from deployer.cli.options import options_from
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.pipeline import Job, Options, make_job
from deployer.tools.bench import (
    BoardTime,
    board_points_facts,
    board_points_markdown,
    board_time_facts,
    board_time_markdown,
    measure_model,
)
from deployer_hil import Load, Results, SerialLog, Source, live_meter


def carry_out(given: dict[str, Any]) -> None:
    """Raises what building, the probe, the board and the meter raise."""
    check_output(given["output"])
    model: Path = given["model"]
    source = live_meter(given["meter"]) if given["meter"] else None
    load = Load(given["inferences"], given["warmups"], given["cold_starts"])
    closed = closing(source) if source else nullcontext()
    with closed, counted(given, model, PROGRAMMED) as place, progress_view() as view:
        board = load_board(place.board, given["board_dir"])
        names = points_named(board, given["points"])
        options = options_from(given)
        jobs = [_job(given, options, place, view, point) for point in names or ("",)]
        found = [_measured(job, place, load, source, given["results"]) for job in jobs]
    output, as_json = given["output"], given["as_json"]
    if names:
        facts = board_points_facts(found)
        put_table(facts, board_points_markdown, output=output, as_json=as_json)
    else:
        put_table(board_time_facts(found[0]), board_time_markdown, output=output, as_json=as_json)


def _measured(
    job: Job, place: Place, load: Load, source: Source | None, results: Path | None
) -> BoardTime:
    """Kept as soon as it is measured."""
    with closing(SerialLog()) as log:
        found = measure_model(job, place.options, load, source, log if results else None)
        if results and found.record:
            with Results(results) as file:
                file.add(found.record, log.text(), session=AD_HOC, cell=uuid4().hex)
    return found


def _job(
    given: dict[str, Any], options: Options, place: Place, view: ProgressView, point: str
) -> Job:
    return make_job(
        given["model"],
        place.board,
        options=options,
        runner=place.runner,
        output=given["work"],
        board_dir=given["board_dir"],
        baud=place.baud,
        point=point,
        progress=view.update,
        notice=view.notice,
    )
