"""--gate of benches: one more instruction of a layer or network fails, and says where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deployer.cli.jobs.bench_gate import Gate
from deployer.errors import DeployerError, ThresholdError, UsageError
from deployer.tools.bench.model_time import ModelTime
from deployer_hil.gate import read_baseline
from unit.tools.bench.timed_nets import layer, timed

BOARD = "nucleo-f767zi"
BASELINES = Path(__file__).parents[3] / "ci" / "baseline"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counts.json"
    Gate(path, "first").judge(BOARD, [timed(1000, 50_000), timed(700, name="other")])
    return path


def refusal(file: Path, *networks: ModelTime) -> DeployerError:
    with pytest.raises(DeployerError) as error:
        Gate(file).judge(BOARD, networks)
    return error.value


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_the_same_counts_and_fewer_pass(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Gate(file).judge(BOARD, [timed(1000, 50_000), timed(700, name="other")])
    assert "gate: 7 figures hold, 0 layers got faster" in told(capsys)
    Gate(file).judge(BOARD, [timed(10, 20)])
    assert "2 layers got faster" in told(capsys)


def test_equal_counts_pass_every_time(file: Path) -> None:
    for _ in range(20):
        Gate(file).judge(BOARD, [timed(1000, 50_000)])


def test_one_more_instruction_is_named_with_its_layer(file: Path) -> None:
    error = refusal(file, timed(1001, 49_999))
    assert isinstance(error, ThresholdError)
    assert error.exit_status == 7
    title = f"net on {BOARD} (bench)"
    assert error.why[0] == f"{title}: 0 conv0: instructions 1,000 -> 1,001 (+0.10 %)"


def test_the_sum_is_gated_beside_its_layers(file: Path) -> None:
    error = refusal(file, timed(1000, 60_000))
    assert [line.split(": ")[1] for line in error.why[:2]] == [
        "total 51,000 -> 61,000 (+19.61 %)",
        "1 conv1",
    ]


def test_a_network_that_changed_its_layers_is_told(file: Path) -> None:
    assert "other layers" in str(refusal(file, timed(1000)))
    renamed = replace(timed(1000, 50_000), layers=(layer(0, 1000), layer(2, 50_000)))
    assert "other layers" in str(refusal(file, renamed))


def test_a_network_the_file_does_not_know_is_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "has none of these" in str(refusal(file, timed(1, name="new")))
    Gate(file).judge(BOARD, [timed(1000, 50_000), timed(1, name="new")])
    assert f"not in the baseline: new on {BOARD}" in told(capsys)


def test_counts_of_another_board_or_compiler_are_not_compared(file: Path) -> None:
    error = refusal(file, timed(1000, 50_000, compiler="a compiler 2.0"))
    assert isinstance(error, UsageError)
    assert "a compiler 1.0" in str(error)
    with pytest.raises(UsageError, match="none of these"):
        Gate(file).judge("rpi3", [timed(1000, 50_000)])


def test_an_update_keeps_networks_that_did_not_run_and_every_reason(file: Path) -> None:
    Gate(file, "columns").judge(BOARD, [timed(2000, 60_000)])
    Gate(file).judge(BOARD, [timed(2000, 60_000), timed(700, name="other")])
    assert [each["reason"] for each in read_baseline(file).reasons] == ["first", "columns"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": 2, "reasons": [], "rows": []}', '{"schema": 1, "networks": {}}'],
)
def test_a_damaged_file_is_refused_before_anything_runs(text: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"counts\.json"):
        Gate(path).prepare()


def test_what_is_missing_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=r"counts\.json"):
        Gate(tmp_path / "counts.json").prepare()
    with pytest.raises(UsageError, match="no folder"):
        Gate(tmp_path / "absent" / "counts.json", "first").prepare()
    with pytest.raises(UsageError, match="--gate"):
        Gate(None, "first").prepare()
    with pytest.raises(UsageError, match="needs a reason"):
        Gate(tmp_path / "counts.json", " ").prepare()
    Gate(None).judge(BOARD, [timed(1)])
    assert told(capsys) == ""


@pytest.mark.parametrize(("name", "board"), [("counts.json", BOARD), ("counts-rpi3.json", "rpi3")])
def test_the_baselines_of_the_project_can_be_read(name: str, board: str) -> None:
    found = read_baseline(BASELINES / name)
    assert {"resnet8", "vww", "kws", "autoencoder"} <= {row.model for row in found.rows}
    for row in found.rows:
        assert row.board == board
        assert row.metrics["total"] == sum(each.count for each in row.layers)
