"""What ``deployer bench board`` does: build, program, measure, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.on_bench import programmed
from deployer.cli.option_sets import MEASURED
from deployer.cli.options import options_from
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.pipeline import make_job
from deployer.tools.bench import board_time_facts, board_time_markdown, measure_model


def carry_out(given: dict[str, Any]) -> None:
    """Raises what building, the probe and the board raise."""
    check_output(given["output"])
    model: Path = given["model"]
    with programmed(given, model, MEASURED) as place, progress_view() as view:
        job = make_job(
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
        found = measure_model(job, place.options)
    facts = board_time_facts(found)
    put_table(facts, board_time_markdown, output=given["output"], as_json=given["as_json"])
