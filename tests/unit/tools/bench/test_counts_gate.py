"""The gate: over 1 % more instructions of a layer or network fail, and say where."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.errors import BenchError, DeployerError, ThresholdError, UsageError
from deployer.tools.bench.counts_gate import Gate, counts_of, read_counts
from deployer.tools.bench.model_time import ModelTime
from unit.tools.bench.timed_nets import layer, timed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counts.json"
    Gate(path, rewrite=True).judge([timed(1000, 50_000), timed(700, name="other")])
    return path


def refusal(file: Path, *networks: ModelTime) -> DeployerError:
    with pytest.raises(DeployerError) as error:
        Gate(file).judge(networks)
    return error.value


def test_the_same_counts_pass(file: Path) -> None:
    assert "3 layers within 1%" in Gate(file).judge([timed(1000, 50_000), timed(700, name="other")])


def test_one_per_cent_more_passes_and_less_always(file: Path) -> None:
    assert Gate(file).judge([timed(1010, 50_500)])
    assert Gate(file).judge([timed(10, 20)])


def test_a_layer_over_one_per_cent_is_named(file: Path) -> None:
    error = refusal(file, timed(1011, 50_000))
    assert isinstance(error, ThresholdError)
    assert error.exit_status == 7
    assert error.why == ("net 0 conv0: 1,011, was 1,000 (+1.1%)",)


def test_the_sum_is_gated_beside_its_layers(file: Path) -> None:
    error = refusal(file, timed(1000, 60_000))
    assert [line.partition(":")[0] for line in error.why] == ["net", "net 1 conv1"]


def test_a_network_that_changed_its_layers_is_told(file: Path) -> None:
    assert "other layers" in str(refusal(file, timed(1000)))
    renamed = replace(timed(1000, 50_000), layers=(layer(0, 1000), layer(2, 50_000)))
    assert "other layers" in str(refusal(file, renamed))


def test_a_network_the_file_does_not_know_is_told(file: Path) -> None:
    assert "new: not in the file" in str(refusal(file, timed(1, name="new")))


def test_counts_of_another_compiler_are_not_compared(file: Path) -> None:
    error = refusal(file, timed(1000, 50_000, compiler="a compiler 2.0"))
    assert isinstance(error, BenchError)
    assert "a compiler 1.0" in str(error)


def test_rewriting_keeps_networks_that_did_not_run(file: Path) -> None:
    Gate(file, rewrite=True).judge([timed(2000, 60_000)])
    assert Gate(file).judge([timed(2000, 60_000), timed(700, name="other")])


def test_another_compiler_begins_the_file_anew(file: Path) -> None:
    Gate(file, rewrite=True).judge([timed(1, compiler="a compiler 2.0")])
    assert list(read_counts(file)["networks"]) == ["net"]


def test_the_file_says_what_it_holds(file: Path) -> None:
    found = read_counts(file)
    assert found["kind"].startswith("counted")
    assert found["networks"]["net"]["instructions_per_mac"] == round(51_000 / (2 * 18_432), 4)
    assert counts_of([timed(700, name="other")])["networks"]["other"] == found["networks"]["other"]


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"schema": 2, "compiler": "", "networks": {}}', '{"schema": 1}',
        '{"schema": 1, "compiler": 3, "networks": {}}',
        '{"schema": 1, "compiler": "", "networks": []}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_before_anything_runs(text: str, tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"counts\.json"):
        Gate(path).prepare()


def test_what_is_missing_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        Gate(tmp_path / "counts.json").prepare()
    with pytest.raises(UsageError, match="no folder"):
        Gate(tmp_path / "absent" / "counts.json", rewrite=True).prepare()
    with pytest.raises(UsageError, match="--gate"):
        Gate(None, rewrite=True).prepare()
    assert Gate(None).judge([timed(1)]) == ""


@pytest.mark.parametrize("name", ["counts.json", "counts-rpi3.json"])
def test_the_baselines_of_the_project_can_be_read(name: str) -> None:
    path = Path(__file__).parents[4] / "ci" / "baseline" / name
    found = read_counts(path)
    assert {"resnet8", "vww", "kws", "autoencoder"} <= set(found["networks"])
    for network in found["networks"].values():
        assert network["instructions"] == sum(network["layers"].values())
        json.dumps(network)
