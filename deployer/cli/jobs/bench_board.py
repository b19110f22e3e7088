"""What ``deployer bench board`` does: build, program, measure, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.option_sets import MEASURED, board_runner, take_probe
from deployer.cli.options import options_from
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.pipeline import make_job
from deployer.tools.bench import board_time_facts, board_time_markdown, measure_model


def carry_out(given: dict[str, Any]) -> None:
    """Raises what building, the probe and the board raise."""
    check_output(given["output"])
    model: Path = given["model"]
    board_dir = given.pop("board_dir")
    runner = board_runner(given["board"], board_dir, model, given, MEASURED)
    runner_options = take_probe(given, str(model))
    with progress_view() as view:
        job = make_job(
            model,
            given["board"],
            options=options_from(given),
            runner=runner,
            output=given["work"],
            board_dir=board_dir,
            baud=runner_options.get("baud", 0),
            progress=view.update,
            notice=view.notice,
        )
        found = measure_model(job, runner_options)
    facts = board_time_facts(found)
    put_table(facts, board_time_markdown, output=given["output"], as_json=given["as_json"])
