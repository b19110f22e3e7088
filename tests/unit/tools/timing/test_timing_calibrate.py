"""Costs fitted to measured cycles: found again where they are known, never below nothing."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deployer.board.model import Costs
from deployer.cli.commands.calibrate import command
from deployer.errors import UsageError
from deployer.tools.timing.calibrate import fit, observed
from deployer.tools.timing.costs import Fitted, costs_text, load_costs, machine_with
from deployer_hil.record import GoldenRecord, RunRecord
from unit.tools.timing.measured import GUESSED, LAYERS, MACHINE, network, record

COST = st.floats(0, 60)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.builds(Costs, COST, COST, COST))
def test_known_costs_are_found_again(costs: Costs) -> None:
    found = fit(observed(record(costs), [network()], MACHINE), GUESSED)
    assert astuple(found.costs) == pytest.approx(astuple(costs), rel=0.02, abs=0.1)
    assert found.spread < 0.001
    assert found.error == 0.01


def test_a_cost_that_would_be_negative_is_nothing() -> None:
    """The board is faster than the pipeline model where it mispredicts."""
    found = fit(observed(record(Costs(-3.0, 20.0, 9.0)), [network()], MACHINE), GUESSED)
    assert found.costs.misprediction == 0
    assert 15 < found.costs.data_miss < 25
    assert found.spread > 0


def test_a_cost_nothing_bears_on_stays() -> None:
    rows = [(core, missed, data, 0) for core, missed, data, _ in LAYERS]
    found = fit(observed(record(Costs(5, 30, 40), rows), [network(rows)], MACHINE), GUESSED)
    assert found.kept == ("fetch_miss",)
    assert found.costs.fetch_miss == GUESSED.fetch_miss
    assert found.costs.data_miss == pytest.approx(30, rel=0.02)


def test_what_the_costs_cannot_explain_is_the_stated_error() -> None:
    slow = [(1.2 * core, missed, data, fetch) for core, missed, data, fetch in LAYERS]
    found = fit(observed(record(GUESSED, slow), [network()], MACHINE), GUESSED)
    assert found.error >= max(found.spread, *(abs(value) for value in found.networks.values()))
    assert found.error > 0.01


def test_two_networks_are_fitted_together() -> None:
    other = LAYERS[::-1]
    records = [record(Costs(9, 21, 4)), record(Costs(9, 21, 4), other, name="more")]
    networks = [network(), network(other, "more")]
    rows = [row for one in records for row in observed(one, networks, MACHINE)]
    assert set(fit(rows, GUESSED).networks) == {"net", "more"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"board": "gap8"}, "board is gap8"),
        ({"kind": "counted"}, "kind is counted"),
        ({"counter": "instructions"}, "counter is instructions"),
        ({"caps": {"clock_hz": "16000000"}}, "clock_hz is 16000000"),
        ({"caps": {"dcache": "off"}}, "dcache is off"),
        ({"golden": GoldenRecord(False, 1, 0, 10, 3)}, "not golden"),
        ({"model_sha256": "of another file"}, "was not counted"),
        ({"layers": record(GUESSED).layers[1:]}, "was not counted"),
    ],
)
def test_a_record_of_something_else_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        observed(record(GUESSED, **changes), [network()], MACHINE)
    assert said in str(error.value)


def test_three_layers_are_too_few() -> None:
    rows = LAYERS[:3]
    with pytest.raises(UsageError, match="too few"):
        fit(observed(record(GUESSED, rows), [network(rows)], MACHINE), GUESSED)


def test_costs_survive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    fitted = Fitted("nucleo-f767zi", Costs(6.125, 20.5, 0.0), 0.0525)
    path.write_text(costs_text(fitted, "fitted to nothing"))
    assert load_costs(path) == fitted
    machine = machine_with(MACHINE, path)
    assert (machine.costs, machine.error, machine.source) == (fitted.costs, 0.0525, "costs.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("data_miss = 20.500", "data_miss = -1", "data_miss"),
        ("data_miss = 20.500", "", "lacks the key 'data_miss'"),
        ("data_miss = 20.500", "data_mis = 3", "did you mean 'data_miss'?"),
        ("error = 0.0525", "error = 2", "a share"),
        ("schema = 1", "schema = 9", "schema 9"),
        ("schema = 1", "schema", "not TOML"),
        ('"nucleo-f767zi"', '"gap8"', "costs of gap8"),
    ],
)
def test_a_damaged_file_of_costs_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = costs_text(Fitted("nucleo-f767zi", Costs(6.125, 20.5, 0.0), 0.0525))
    assert old in text
    path = tmp_path / "costs.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError) as error:
        machine_with(MACHINE, path)
    assert said in str(error.value)
    assert "costs.toml" in str(error.value)


def _files(folder: Path, one: RunRecord) -> list[str]:
    (folder / "counts.json").write_text(json.dumps({"schema": 1, "networks": [network()]}))
    (folder / "record.jsonl").write_text(one.to_json() + "\n")
    return ["-b", "nucleo-f767zi", "--counts", str(folder / "counts.json"), "-o"]


def test_the_command_writes_what_bench_takes(tmp_path: Path) -> None:
    target = tmp_path / "costs.toml"
    args = [*_files(tmp_path, record(Costs(5, 18, 25))), str(target)]
    done = CliRunner().invoke(command, [*args, str(tmp_path / "record.jsonl"), "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["costs"]["data_miss"] == pytest.approx(18, rel=0.02)
    assert len(facts["layers"]) == len(LAYERS)
    machine = machine_with(replace(MACHINE, costs=Costs(0, 0, 0)), target)
    assert machine.costs.fetch_miss == pytest.approx(25, rel=0.02)


def test_the_command_shows_every_layer(tmp_path: Path) -> None:
    args = [*_files(tmp_path, record(Costs(5, 18, 25))), str(tmp_path / "costs.toml")]
    done = CliRunner().invoke(command, [*args, str(tmp_path / "record.jsonl")])
    assert done.exit_code == 0, done.output
    assert all(f"layer {i}" in done.output for i in range(len(LAYERS)))
    assert "Stated from now on: ± 1%" in done.output


@pytest.mark.parametrize("text", ["", "{}", '{"schema": 7}', '{"schema": 1}', "[]"])
def test_counts_of_something_else_are_refused(text: str, tmp_path: Path) -> None:
    args = [*_files(tmp_path, record(GUESSED)), str(tmp_path / "costs.toml")]
    (tmp_path / "counts.json").write_text(text)
    done = CliRunner().invoke(command, [*args, str(tmp_path / "record.jsonl")])
    assert isinstance(done.exception, UsageError)
    assert not (tmp_path / "costs.toml").exists()


def test_counts_of_another_schema_are_refused_by_its_number(tmp_path: Path) -> None:
    args = [*_files(tmp_path, record(GUESSED)), str(tmp_path / "costs.toml")]
    facts = json.loads((tmp_path / "counts.json").read_text())
    (tmp_path / "counts.json").write_text(json.dumps({**facts, "schema": 7}))
    done = CliRunner().invoke(command, [*args, str(tmp_path / "record.jsonl")])
    assert isinstance(done.exception, UsageError)
    assert "schema 7" in str(done.exception)
    assert not (tmp_path / "costs.toml").exists()
