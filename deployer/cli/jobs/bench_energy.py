"""What ``deployer bench energy`` does: record or replay windows, print what an inference takes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from deployer.cli.on_bench import Place, programmed
from deployer.cli.option_sets import PROGRAMMED
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
    source = create_meter(given["meter"]) if given["meter"] else None
    subject, found = (
        _replayed(source, given) if isinstance(source, Replay) else _measured(source, given)
    )
    facts = energy_facts(subject, found)
    put_table(facts, energy_markdown, output=given["output"], as_json=given["as_json"])


def _replayed(source: Replay, given: dict[str, Any]) -> Found:
    wrong = [name for name in ("board", "bench", "model", "keep") if given[name]]
    if wrong:
        raise UsageError(f"a replay takes no {' and no '.join(wrong)}: it is recorded already")
    if not given["inferences"]:
        raise UsageError(
            "a replay does not tell how many inferences a window holds",
            hints=["give --inferences N, as the recording was made with"],
        )
    found = energy_of(source.windows, given["inferences"], idle=source.idle)
    return EnergySubject(source.name), found


def _measured(source: Source | None, given: dict[str, Any]) -> Found:
    """Of a board, or of a bench that is held meanwhile."""
    _require_subject(source.name if source else "bench energy", given)
    model: Path = given["model"]
    with (
        programmed(given, model, PROGRAMMED) as place,
        closing(source or place.meter()) as meter,
    ):
        return _recorded(meter, place, given)


def _require_subject(name: str, given: dict[str, Any]) -> None:
    if not given["board"] and not given["bench"]:
        raise UsageError(f"{name} needs a board or a bench", hints=["replay:FILE needs none"])
    if not given["model"]:
        raise UsageError(f"{name} needs a model", hints=["replay:FILE needs none"])


def _recorded(source: Source, place: Place, given: dict[str, Any]) -> Found:
    """Build, program, record."""
    with progress_view() as view:
        job = make_job(
            given["model"],
            place.board,
            options=options_from(given),
            runner=place.runner,
            output=given["work"],
            board_dir=given["board_dir"],
            baud=place.baud,
            progress=view.update,
            notice=view.notice,
        )
        subject, found = measure_model_energy(
            job, place.options, source, inferences=given["inferences"], folder=given["keep"]
        )
    return subject, found.energy
