"""deployer bench model and bench kernels from the command line: figures, gate, costs, refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.build.toolchain import find_tools
from deployer.cli.main import main
from deployer.pipeline.job import make_job
from deployer.pipeline.network_survey import survey
from deployer.pipeline.options import Options
from deployer.tools.zoo.build import draw, save
from deployer_hil.gate import read_baseline

ROOT = Path(__file__).parents[2]
BASELINE = ROOT / "ci" / "baseline" / "counts.json"
BASELINE_PI = ROOT / "ci" / "baseline" / "counts-rpi3.json"
MODEL, BOARD = ROOT / "docs" / "examples" / "mnist" / "mnist_dscnn.onnx", "nucleo-f767zi"
CODE = 24 << 10
QUICK = ("--golden", 1, "--equalize", "off", "--bias-correction", "off")


def status(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["bench", *map(str, arguments)])
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def tools(tool: Callable[[str], str]) -> None:
    for program in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)


@pytest.fixture(scope="module")
def mnist(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the build and counts.json, gate.json, both of the bundled network."""
    folder = tmp_path_factory.mktemp("mnist")
    table, gate = ("-o", folder / "counts.json"), ("--gate", folder / "gate.json")
    reason = ("--update-baseline", "the first")
    assert status("-b", BOARD, MODEL, *QUICK, "--work", folder, *table, *gate, *reason) == 0
    return folder


def again(mnist: Path, *arguments: Any) -> int:
    return status("-b", BOARD, MODEL, *QUICK, "--work", mnist, *arguments)


def test_every_layer_has_its_figures(mnist: Path) -> None:
    facts = json.loads((mnist / "counts.json").read_text())
    manifest = json.loads(next(mnist.rglob("manifest.json")).read_text())
    network = facts["networks"][0]
    assert network["unknown"] == []
    assert network["sha256"] == manifest["model"]["sha256"]
    assert [layer["kernel"] for layer in network["layers"]] == [
        step["kernel"] for step in manifest["steps"]
    ]
    for layer in network["layers"]:
        work = layer["macs"] or layer["elements"]
        assert layer["instructions"] >= layer["core"] > 0
        assert layer["loads"] > work / 10
        if layer["floor"] is not None:
            assert layer["macs"] / 2 <= layer["floor"] < layer["cycles"]
    assert network["layers"][0]["geometry"] == "28x28x1 -> 28x28x16, 3x3"
    assert network["layers"][1]["geometry"] == "28x28x16 -> 14x14x16, 3x3, stride 2"


def test_no_wall_time_is_told(mnist: Path) -> None:
    text = (mnist / "counts.json").read_text()
    assert "seconds" not in text


def test_fitted_costs_replace_those_of_the_board(
    mnist: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = tmp_path / "mine.toml"
    lines = ["schema = 1", f'board = "{BOARD}"', "misprediction = 0", "data_miss = 0"]
    costs.write_text("\n".join([*lines, "fetch_miss = 0", "error = 0.07"]))
    assert again(mnist, "--costs", costs, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["error"] == 0.07
    total = facts["networks"][0]["total"]
    assert total["cycles"] == total["core"]
    then = json.loads((mnist / "counts.json").read_text())["networks"][0]["total"]
    assert (total["instructions"], total["core"]) == (then["instructions"], then["core"])
    assert then["cycles"] > then["core"]


def test_the_gate_fails_with_the_layer_and_the_table_is_still_printed(
    mnist: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A layer that was 2 % faster, and the same network again."""
    kept = json.loads((mnist / "gate.json").read_text())
    slowest = max(kept["rows"][0]["layers"], key=lambda layer: layer["count"])
    slowest["count"] = int(slowest["count"] / 1.02)
    gate = tmp_path / "gate.json"
    gate.write_text(json.dumps(kept))
    assert again(mnist, "--gate", gate) == 7
    shown = capsys.readouterr()
    assert f"mnist_dscnn on {BOARD} (bench): {slowest['name']}: instructions" in shown.err
    assert "| **all** |" in shown.out
    assert again(mnist, "--gate", mnist / "gate.json") == 0
    assert "gate: 18 figures hold" in capsys.readouterr().err


def test_reference_networks_are_within_the_baseline(
    tools: None, need: Callable[[str, bool], None], tmp_path: Path
) -> None:
    """All six, and the code of each one's kernels within 24 KiB."""
    compiler = find_tools(load_board(BOARD)).version
    need(f"compiler of {BASELINE.name}", read_baseline(BASELINE).rows[0].compiler == compiler)
    table = tmp_path / "kernels.json"
    assert status("kernels", "--gate", BASELINE, "-o", table) == 0
    facts = json.loads(table.read_text())
    assert len(facts["networks"]) == 6
    assert all(0 < network["kernel_bytes"] <= CODE for network in facts["networks"])
    (dense,) = (row for row in facts["distinct"] if row["geometry"] == "128 -> 128")
    assert dense["in"] == {"autoencoder": 6}


def test_kernels_of_many_kinds_are_linked_in_the_bytes_that_the_choice_counted(
    tools: None, tmp_path: Path
) -> None:
    """A shuffle network, whose fastest kernels are 62 KiB; its layers are exact, or this fails."""
    path, table = tmp_path / "net.onnx", tmp_path / "time.json"
    save(draw("shufflenetv1", width=0.5, resolution=(64, 64), classes=10), path)
    assert status("model", "-b", BOARD, path, *QUICK, "--work", tmp_path, "-o", table) == 0
    (network,) = json.loads(table.read_text())["networks"]
    job = make_job(path, BOARD, options=Options(golden_samples=1))
    counted = survey(job).facts["kernel_code"]
    assert counted == {"bytes": network["kernel_bytes"], "limit": CODE}
    assert network["kernel_bytes"] <= CODE


def test_reference_networks_of_the_raspberry_pi_are_within_the_baseline(
    tool: Callable[[str], str], need: Callable[[str, bool], None], tmp_path: Path
) -> None:
    for program in ("gcc", "aarch64-linux-gnu-gcc", "qemu-aarch64"):
        tool(program)
    compiler = find_tools(load_board("rpi3")).version
    need(f"compiler of {BASELINE_PI.name}", read_baseline(BASELINE_PI).rows[0].compiler == compiler)
    table = tmp_path / "kernels.json"
    assert status("kernels", "-b", "rpi3", "--gate", BASELINE_PI, "-o", table) == 0
    networks = json.loads(table.read_text())["networks"]
    assert len(networks) == 6
    kernels = [layer["kernel"] for each in networks for layer in each["layers"] if layer["macs"]]
    assert [name for name in kernels if not name.partition("__")[2].startswith("armv8a")] == []


def test_weights_and_code_lie_where_the_command_says(tools: None, tmp_path: Path) -> None:
    def missed(*arguments: str) -> tuple[int, int]:
        table = tmp_path / "kernels.json"
        assert status("kernels", "--network", "vww", *arguments, "-o", table) == 0
        layers = json.loads(table.read_text())["networks"][0]["layers"]
        return tuple(sum(row[f"{kind}_misses"] for row in layers) for kind in ("data", "fetch"))

    data, fetch = missed()
    assert missed("--place", "off")[0] > data
    assert missed("--hot-code", "itcm")[1] < fetch


@pytest.mark.parametrize(
    ("arguments", "expected", "said"),
    [
        (("-b", "host", MODEL), 2, "no [timing] table"),
        (("-b", "nucleo", MODEL), 2, "did you mean nucleo-f767zi?"),
        ((MODEL,), 2, "--board"),
        (("absent.onnx", "-b", BOARD), 3, "absent.onnx"),
        (("modle",), 2, "No such command"),
        (("model", "-b", BOARD, "a/x.onnx", "b/x.onnx"), 2, "one name"),
        (("-b", BOARD, MODEL, "--gate", "absent.json"), 2, "absent.json"),
        (("-b", BOARD, MODEL, "--update-baseline", "why"), 2, "--gate"),
        (("-b", BOARD, MODEL, "--costs", "absent.toml"), 2, "absent.toml"),
        (("-b", BOARD, MODEL, "-o", "table.txt"), 2, "table.txt"),
        (("kernels", "--network", "resnet9"), 2, "resnet8"),
    ],
)
def test_refusals(
    arguments: tuple[Any, ...],
    expected: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(*arguments) == expected
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.md"))


def test_a_network_on_a_board_of_linux_has_its_core_and_its_memory(
    tool: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for program in ("gcc", "aarch64-linux-gnu-gcc", "qemu-aarch64"):
        tool(program)
    given = ("-b", "rpi3", MODEL, *QUICK, "--work", tmp_path, "--loops")
    assert status(*given, "-o", tmp_path / "counts.json") == 0
    facts = json.loads((tmp_path / "counts.json").read_text())
    assert (facts["pipeline"], facts["mac_cycles"], facts["error"]) == ("cortex-a53", 0.25, 0.25)
    assert facts["costs"]["outer"]["miss"] > facts["costs"]["data_miss"]
    (network,) = facts["networks"]
    assert network["unknown"] == []
    for layer in network["layers"]:
        assert layer["cycles"] > layer["core"] >= layer["instructions"] / 2 > 0
        assert layer["outer_misses"] + layer["streamed"] <= layer["data_misses"] + 64
    assert status(*given) == 0
    said = capsys.readouterr().out
    assert "A line that the second cache lacks" in said
    assert "dpl_conv2d_s8__armv8a" in said
