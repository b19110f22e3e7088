"""``deployer build --library``: what the command writes, leaves and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from models import ModelBuilder
from pipeline.conftest import Run
from pipeline.libraries import library


def test_the_same_models_give_the_same_bytes_and_touch_nothing(
    deployer: Run, library_models: dict[str, Path], tmp_path: Path
) -> None:
    net = library(deployer, tmp_path, *library_models.values())
    before = {path: (path.stat().st_ino, path.read_bytes()) for path in net.rglob("*.[chm]*")}
    library(deployer, tmp_path, *library_models.values())
    assert {p: (p.stat().st_ino, p.read_bytes()) for p in net.rglob("*.[chm]*")} == before
    library(deployer, tmp_path, library_models["int"])
    assert {path.name for path in net.glob("*network.*")} == {"network.c", "network.h"}
    assert not list(net.glob("n_7_net*"))


def test_what_else_is_in_the_folder_stays(deployer: Run, small_model: Path, tmp_path: Path) -> None:
    net = tmp_path / "net"
    net.mkdir()
    (net / "thesis.tex").write_text("years of work")
    command = ("build", "-b", "host", "-o", tmp_path / "build", "--library", net, small_model)
    refused = deployer(*command)
    assert refused.status == 2
    assert "thesis.tex" in refused.err
    assert "--overwrite" in refused.err
    assert not (tmp_path / "build").exists()
    assert deployer(*command, "--overwrite").status == 0
    assert deployer(*command).status == 0
    assert (net / "thesis.tex").read_text() == "years of work"
    (net / "network.c").write_text("mine")
    assert deployer(*command).status == 2
    assert (net / "network.c").read_text() == "mine"


def test_the_working_folder_may_be_the_librarys(
    deployer: Run, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the folder of build artifacts in it, where it is unless told."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        done = deployer("build", "-b", "host", "--library", ".", small_model)
        assert done.status == 0, done.err
    assert {"build", "network.c", ".deployer-library.json"} <= {p.name for p in tmp_path.iterdir()}


@pytest.mark.parametrize("board", ["gap8", "pulp-open"])
def test_a_board_whose_harness_leads_the_cores_has_no_library(
    deployer: Run, small_model: Path, tmp_path: Path, board: str
) -> None:
    done = deployer("build", "-b", board, "--library", tmp_path / "net", small_model)
    assert done.status == 2
    assert f"no library for {board}" in done.err
    assert not (tmp_path / "net").exists()


def test_samples_and_cuts_are_of_one_network(
    deployer: Run, small_model: Path, samples: Path, library_models: dict[str, Path], tmp_path: Path
) -> None:
    given = (
        "--library",
        tmp_path / "net",
        "-o",
        tmp_path / "build",
        small_model,
        library_models["int"],
    )
    unclear = deployer("build", "-b", "host", "--calibration", samples, *given)
    assert unclear.status == 2
    assert f"try: --calibration residual={samples}" in unclear.err
    done = deployer("build", "-b", "host", "--calibration", f"residual={samples}", *given)
    assert done.status == 0, done.err
    used = {
        name: json.loads((tmp_path / f"build/{name}-host/1-quantize/report.json").read_text())
        for name in ("residual", "int")
    }
    assert [used[name]["calibration"]["synthetic"] for name in used] == [False, True]


def test_networks_with_symbols_in_common_are_refused(deployer: Run, tmp_path: Path) -> None:
    """Weights of layer b/c of network a, and of layer c of network a_b."""
    for name, layer in (("a", "b/c"), ("a_b", "c")):
        x = (net := ModelBuilder(1)).input(1, 2, 4, 4)
        model = net.model(net.conv(x, (2, 2, 3, 3)))
        model.graph.node[0].name = layer
        for array in model.graph.initializer:
            array.name = f"{layer}.{len(array.dims)}"
        model.graph.node[0].input[1:] = [f"{layer}.4", f"{layer}.1"]
        onnx.save(model, tmp_path / f"{name}.onnx")
    files = (tmp_path / "a.onnx", tmp_path / "a_b.onnx")
    done = deployer("build", "-b", "host", "-o", tmp_path, "--library", tmp_path / "net", *files)
    assert done.status == 2
    assert "networks a and a_b would both have the C symbol a_b_c_" in done.err
    assert not (tmp_path / "net").exists()


@pytest.mark.parametrize("option", [("--arena", "own"), ("--overwrite",), ("again.onnx",)])
def test_what_only_a_library_has_is_refused_without_one(
    deployer: Run, small_model: Path, option: tuple[str, ...]
) -> None:
    done = deployer("build", "-b", "host", *option, small_model)
    assert done.status == 2
    assert "only with --library" in done.err
