"""What ``deployer bench board`` does: build, program, measure, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.on_bench import Place, counted
from deployer.cli.option_sets import PROGRAMMED
from deployer.cli.options import options_from
from deployer.cli.progress import ProgressView, progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import UsageError
from deployer.pipeline import Job, make_job
from deployer.tools.bench import board_time_facts, board_time_markdown, measure_model
from deployer_hil import Load, Replay, Source, create_meter


def carry_out(given: dict[str, Any]) -> None:
    """Raises what building, the probe, the board and the meter raise."""
    check_output(given["output"])
    model: Path = given["model"]
    source = _meter(given["meter"])
    load = Load(given["inferences"], given["warmups"], given["cold_starts"])
    with counted(given, model, PROGRAMMED) as place, progress_view() as view:
        found = measure_model(_job(given, model, place, view), place.options, load, source)
    facts = board_time_facts(found)
    put_table(facts, board_time_markdown, output=given["output"], as_json=given["as_json"])


def _job(given: dict[str, Any], model: Path, place: Place, view: ProgressView) -> Job:
    return make_job(
        model,
        place.board,
        options=options_from(given),
        runner=place.runner,
        output=given["work"],
        board_dir=given["board_dir"],
        baud=place.baud,
        progress=view.update,
        notice=view.notice,
    )


def _meter(spec: str) -> Source | None:
    """Raises UsageError for a recording, which is of another run."""
    source = create_meter(spec) if spec else None
    if isinstance(source, Replay):
        raise UsageError(
            f"--meter {spec}: a recording is of another run",
            hints=["deployer bench energy replays it"],
        )
    return source
