"""deployer bench tiles from the command line: figures, what does not fit, refusals."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.cli.main import main
from models import ModelBuilder, residual_net


def status(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["bench", *map(str, arguments)])
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def model(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    for program in ("gcc", "riscv64-unknown-elf-gcc"):
        tool(program)
    path = tmp_path_factory.mktemp("tiles") / "residual.onnx"
    onnx.save(residual_net(), path)
    return path


def test_tilers_and_sizes_exact_with_their_estimates(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, plot = tmp_path / "t.json", tmp_path / "p.svg"
    sizes = ("--l1", "64KiB,12KiB", "--plot", plot, "-o", table)
    assert status("-b", "gap8", model, "--tiler", "cost,size", *sizes) == 0
    rows = json.loads(table.read_text())["rows"]
    assert [(row["tiler"], row["inner"]) for row in rows] == [
        ("cost", 64 << 10),
        ("size", 64 << 10),
        ("cost", 12 << 10),
        ("size", 12 << 10),
    ]
    for row in rows:
        (found,) = row["runs"]
        assert (row["outcome"], found["kind"], found["unit"]) == ("exact", "simulated", "cycles")
        assert found["cycles"] == sum(found["counts"]) >= found["tiled"] > 0
        tiles = [layer["tiles"] for layer in row["layers"] if layer["tiles"]]
        assert max(each["bytes"] for each in tiles) <= row["inner"] - (8 << 10)
        assert row["estimate"]["cycles"] == sum(each["cycles"] for each in tiles)
    large, small = (max(t["bytes"] for t in tiles_of(row)) for row in (rows[0], rows[2]))
    assert small < large
    assert "<svg" in plot.read_text()
    assert "gap8_sim exact" in capsys.readouterr().err


def test_little_room_costs_little(tool: Callable[[str], str], tmp_path: Path) -> None:
    """ResNet-8 in 14 KiB beside the stacks: 16.2 MAC a cycle, 17.0 in all of L1."""
    for program in ("gcc", "riscv64-unknown-elf-gcc"):
        tool(program)
    table = tmp_path / "t.json"
    assert status("-b", "gap8", "resnet8", "--tiler", "cost", "--l1", "22KiB", "-o", table) == 0
    (row,) = json.loads(table.read_text())["rows"]
    assert row["macs"] / row["runs"][0]["cycles"] > 15.7


def test_memories_larger_than_the_chips(tool: Callable[[str], str], tmp_path: Path) -> None:
    """A layer whose weights no command of the DMA takes at once, without tiles in a larger L1."""
    for program in ("gcc", "riscv64-unknown-elf-gcc"):
        tool(program)
    path, table = tmp_path / "wide.onnx", tmp_path / "t.json"
    onnx.save(wide_net(), path)
    sizes = ("--l1", "64KiB,256KiB", "--l2", "1MiB", "-o", table)
    assert status("tiles", path, *sizes) == 0
    chip, larger = json.loads(table.read_text())["rows"]
    assert (chip["outcome"], larger["outcome"]) == ("exact", "exact")
    assert max(each["bytes"] for each in tiles_of(larger)) > 83 << 10
    assert larger["runs"][0]["cycles"] < chip["runs"][0]["cycles"]
    status("tiles", path, "--runner", "gvsoc", *sizes)
    rows = json.loads(table.read_text())["rows"]
    assert "by gap8_sim alone" in rows[1]["detail"]


def wide_net() -> onnx.ModelProto:
    """Two 3x3 layers of 96 channels, 83 KB of weights each."""
    s = ModelBuilder(3)
    x = s.relu(s.conv(s.input(1, 96, 12, 12), (96, 96, 3, 3), pads=[1, 1, 1, 1]))
    return s.model(s.conv(x, (96, 96, 3, 3), pads=[1, 1, 1, 1]))


def tiles_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [layer["tiles"] for layer in row["layers"] if layer["tiles"]]


def test_what_does_not_fit_is_told_and_is_no_failure(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("tiles", model, "--l2", "16KiB", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["outcome"], row["runs"], row["outer"]) == ("does not fit", [], 16 << 10)
    assert "l2" in row["detail"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--l1", "8KiB"), "no room for tiles"),
        (("--l1", "64KiB,"), "empty part"),
        (("--l1", "many"), "not a size"),
        (("--tiler", "cost,best"), "best"),
        (("--runner", "qemu_system"), "twin"),
        (("--runner", "abacus"), "no runner"),
        (("-b", "nucleo-f767zi"), "no layers into tiles"),
        (("--plot", "p.png"), "p.png"),
        (("-o", "t.txt"), "t.txt"),
        (("resnet88",), "cifar10"),
    ],
)
def test_refusals_come_before_any_work(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("tiles", *arguments) == 2
    assert said in capsys.readouterr().err


def test_a_model_that_is_not_supported_leaves_the_others(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not a model")
    assert status("tiles", broken, model, "--json") == 3
    said = capsys.readouterr()
    rows = json.loads(said.out)["rows"]
    assert [row["outcome"] for row in rows] == ["unsupported", "exact"]
    assert "1 of 2 rows" in said.err


def test_report_and_inspect_tell_the_tiles(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = tmp_path / "samples.npz"
    shape = [d.dim_value for d in onnx.load(model).graph.input[0].type.tensor_type.shape.dim]
    np.savez(samples, input=np.random.default_rng(0).normal(size=shape).astype(np.float32))
    quick = ("--calibration", samples, "--golden", "1", "--equalize", "off")
    line = ("run", "-b", "gap8", *quick, "-o", tmp_path, model)
    with pytest.raises(SystemExit) as stop:
        main([*map(str, line)])
    assert stop.value.code == 0
    folder = tmp_path / "residual-gap8"
    layers = json.loads((folder / "8-run" / "report.json").read_text())["layers"]
    rows = list(csv.DictReader((folder / "8-run" / "layers.csv").open()))
    counts = [layer["tiles"]["count"] if layer["tiles"] else 1 for layer in layers]
    assert [int(row["tiles"]) for row in rows] == counts
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["inspect", str(folder / "5-tile")])
    said = capsys.readouterr().out
    assert "MAC/c" in said
    tiled = next(layer for layer in layers if layer["tiles"] and layer["macs"])
    assert f"{tiled['macs'] / tiled['tiles']['cycles']:.2f}" in said
