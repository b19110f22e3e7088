"""``deployer calibrate``: the figures it prints, the file it writes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.board.model import Costs
from deployer.cli import main as cli_main
from deployer.cli.jobs import calibrate as calibrate_job
from deployer.tools.timing.costs import load_costs
from unit.tools.timing.measured import LAYERS, cycles, network, record

COSTS = Costs(9.0, 21.0, 4.0)
Run = Callable[..., int]
assert calibrate_job


@pytest.fixture
def calibrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """calibrate("--json", …): the exit status; counts and records are those in the folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("counts.json", json.dumps({"schema": 1, "networks": [network()]})),
        ("record.jsonl", f"\n{record(COSTS).to_json()}\n\n"),
    ):
        (tmp_path / name).write_text(text)

    def call(*arguments: object) -> int:
        given = ("-b", "nucleo-f767zi", "--counts", "counts.json", *arguments, "record.jsonl")
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["calibrate", *map(str, given)])
        return int(stop.value.code or 0)

    return call


def test_every_layer_and_cost_is_shown_before_and_after(
    calibrate: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate() == 0
    said = capsys.readouterr()
    assert "costs-nucleo-f767zi.toml written" in said.err
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in said.out.splitlines()
        if line.startswith("|")
    ]
    assert said.out.count("\n\n") == 2  # three parts
    head, _, *layers = rows[: 2 + len(LAYERS)]
    assert head == ["network", "layer", "measured", "core", "estimated", "off", "off before"]
    for index, (row, layer) in enumerate(zip(layers, LAYERS, strict=True)):
        measured = cycles(layer, COSTS)
        before = cycles(layer, Costs(7.0, 12.0, 12.0)) / measured - 1
        assert row[:4] == ["net", f"layer {index}", f"{measured:,}", f"{layer[0]:,.0f}"]
        assert row[5] in ("+0.0%", "-0.0%")
        assert abs(float(row[6].rstrip("%")) / 100 - before) < 0.3  # of the board file's costs
    costs = {row[0]: row[1:] for row in rows[-3:]}
    assert costs["misprediction"][1] == "9.0"
    assert costs["data_miss"][1] == "21.0"
    assert "Layers are off by 0.0% (root mean square), networks: net +0.0%." in (
        said.out.replace("-0.0%", "+0.0%")
    )
    assert "Stated from now on: ± 1%." in said.out


def test_the_file_holds_the_costs_and_what_they_were_fitted_to(
    calibrate: Run, tmp_path: Path
) -> None:
    assert calibrate("-o", "fitted.toml", "--json") == 0
    found = load_costs(tmp_path / "fitted.toml")
    assert found.costs.data_miss == pytest.approx(21, rel=0.01)
    assert found.board == "nucleo-f767zi"
    text = (tmp_path / "fitted.toml").read_text()
    assert "# fitted by deployer calibrate to 6 measured layers of net\n" in text


def test_programs_get_the_same_figures(calibrate: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate("-o", "fitted.toml", "--json") == 0
    facts: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (facts["schema"], facts["board"], facts["file"]) == (1, "nucleo-f767zi", "fitted.toml")
    assert facts["costs"]["data_miss"] == pytest.approx(21, rel=0.01)
    assert facts["before"] != facts["costs"]
    first = facts["layers"][0]
    measured = cycles(LAYERS[0], COSTS)
    assert (first["measured"], first["core"]) == (measured, LAYERS[0][0])
    assert first["estimated"] == pytest.approx(measured, rel=0.001)
    assert first["residual"] == pytest.approx(0, abs=0.001)
    assert abs(first["residual_before"]) > 0.01


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema": 2, "networks": []}', "counts.json has schema 2, not 1"),
        ("{", "counts.json holds no counts"),
        ("[]", "counts.json holds no counts"),
        ('{"schema": 1}', "counts.json holds no counts"),
        ('{"schema": 1, "networks": 3}', "counts.json holds no counts"),
    ],
)
def test_a_file_without_counts_is_refused(
    calibrate: Run, tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "counts.json").write_text(text)
    assert calibrate() == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "costs-nucleo-f767zi.toml").exists()
