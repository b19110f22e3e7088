"""What ``deployer bench energy`` does: record or replay windows, print what an inference takes."""

from __future__ import annotations

from typing import Any

from deployer.cli.table_file import check_output, put_table
from deployer.errors import UsageError
from deployer.tools.bench import EnergySubject, energy_facts, energy_markdown
from deployer_hil import Energy, Replay, create_meter, energy_of


def carry_out(given: dict[str, Any]) -> None:
    """Raises what the meter, building, the probe and the board raise, BenchError for windows that
    give no figure."""
    check_output(given["output"])
    source = create_meter(given["meter"])
    if not isinstance(source, Replay):
        raise UsageError(f"{source.name}: only recordings are taken yet", hints=["replay:FILE"])
    subject, found = _replayed(source, given)
    facts = energy_facts(subject, found)
    put_table(facts, energy_markdown, output=given["output"], as_json=given["as_json"])


def _replayed(source: Replay, given: dict[str, Any]) -> tuple[EnergySubject, Energy]:
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
