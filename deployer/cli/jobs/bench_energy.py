"""What ``deployer bench energy`` does: record or replay windows, print what an inference takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.cli.option_sets import MEASURED, board_runner, take_probe
from deployer.cli.options import options_from
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.errors import UsageError
from deployer.pipeline import make_job
from deployer.tools.bench import (
    EnergySubject,
    energy_facts,
    energy_markdown,
    measure_model_energy,
)
from deployer_hil import Energy, Replay, Source, create_meter, energy_of

Found = tuple[EnergySubject, Energy]


def carry_out(given: dict[str, Any]) -> None:
    """Raises what the meter, building, the probe and the board raise, BenchError for windows that
    give no figure."""
    check_output(given["output"])
    source = create_meter(given["meter"])
    subject, found = (
        _replayed(source, given) if isinstance(source, Replay) else _measured(source, given)
    )
    facts = energy_facts(subject, found)
    put_table(facts, energy_markdown, output=given["output"], as_json=given["as_json"])


def _replayed(source: Replay, given: dict[str, Any]) -> Found:
    wrong = [name for name in ("board", "model", "keep") if given[name]]
    if wrong:
        raise UsageError(f"a replay takes no {' and no '.join(wrong)}: it is recorded already")
    if not given["inferences"]:
        raise UsageError(
            "a replay does not tell how many inferences a window holds",
            hints=["give --inferences N, as the recording was made with"],
        )
    found = energy_of(source.windows, given["inferences"], idle=source.idle)
    return EnergySubject(source.name), found


def _measured(source: Source, given: dict[str, Any]) -> Found:
    """Build, program, record."""
    for name in ("board", "model"):
        if not given[name]:
            raise UsageError(f"{source.name} needs a {name}", hints=["replay:FILE needs none"])
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
        subject, found = measure_model_energy(
            job, runner_options, source, inferences=given["inferences"], folder=given["keep"]
        )
    return subject, found.energy
