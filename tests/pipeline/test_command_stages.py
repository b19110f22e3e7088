"""Stopping, resuming, editing by hand, reproducing: the stages as a user drives them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from models import ModelBuilder

STAGES = ["import", "quantize", "restructure", "schedule", "allocate", "tile", "generate", "build"]
Run = Callable[..., Any]


@pytest.fixture
def built(deployer: Run, small_model: Path, samples: Path, tmp_path: Path) -> Path:
    done = deployer(
        "run", "-b", "host", "--calibration", samples, "-o", tmp_path, "--json", small_model
    )
    assert done.status == 0, done.err
    return tmp_path / "residual-host"


def test_a_run_proves_every_layer_and_leaves_every_stage(
    built: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    report = json.loads((built / "8-run" / "report.json").read_text())
    assert report["golden"]["match"]
    assert all(layer["match"] for layer in report["layers"])
    assert report["layers"][0]["macs"] > 0
    assert report["counter"]["kind"] in {"none", "measured"}
    assert {path.name for path in built.iterdir()} == {
        *(f"{i}-{name}" for i, name in enumerate([*STAGES, "run"]))
    }


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_can_be_shown(built: Path, stage: str, deployer: Run) -> None:
    folder = built / f"{STAGES.index(stage)}-{stage}"
    shown = deployer("inspect", folder)
    assert shown.status == 0, shown.err
    assert len(shown.out.splitlines()) > 1


def test_until_stops_and_from_resumes(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    common = ["-b", "host", "--calibration", samples, "-o", tmp_path]
    assert deployer("run", *common, "--until", "tile", small_model).status == 0
    folder = tmp_path / "residual-host"
    assert (folder / "5-tile").is_dir()
    assert not (folder / "6-generate").exists()
    before = (folder / "1-quantize" / "graph.npz").stat().st_mtime_ns
    done = deployer("run", *common, "--from", "generate", "--json", small_model)
    assert done.status == 0, done.err
    assert json.loads(done.out)["golden"]["match"]
    assert (folder / "1-quantize" / "graph.npz").stat().st_mtime_ns == before


def test_from_without_earlier_artifacts_says_so(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    done = deployer("run", "-b", "host", "-o", tmp_path, "--from", "generate", small_model)
    assert done.status == 2
    assert "run the earlier stages first" in done.err


def test_an_edited_allocation_is_used_and_still_exact(
    built: Path, deployer: Run, small_model: Path
) -> None:
    table = built / "4-allocate" / "allocation.csv"
    header, *rows = table.read_text().splitlines()
    column = header.split(",").index("offset")
    moved = []
    for row in rows:
        cells = row.split(",")
        cells[column] = str(int(cells[column]) + 64)
        moved.append(",".join(cells))
    table.write_text("\n".join([header, *moved]) + "\n")
    done = deployer(
        "run", "-b", "host", "-o", built.parent, "--from", "tile", "--json", small_model
    )
    assert done.status == 0, done.err
    assert json.loads(done.out)["golden"]["match"]
    assert " + 64" in (built / "6-generate" / "network.c").read_text()


def test_an_edit_that_overlaps_is_refused(built: Path, deployer: Run, small_model: Path) -> None:
    table = built / "4-allocate" / "allocation.csv"
    header, *rows = table.read_text().splitlines()
    column = header.split(",").index("offset")
    flat = [",".join(c if i != column else "0" for i, c in enumerate(r.split(","))) for r in rows]
    table.write_text("\n".join([header, *flat]) + "\n")
    done = deployer("run", "-b", "host", "-o", built.parent, "--from", "tile", small_model)
    assert done.status == 2
    assert "share bytes at step 0" in done.err


@pytest.mark.usefixtures("compiled_anew")
def test_two_builds_give_the_same_bytes(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        done = deployer("build", "-b", "host", "--calibration", samples, "-o", folder, small_model)
        assert done.status == 0, done.err
    first, second = (
        {
            path.relative_to(folder): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        for folder in folders
    )
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize(
    ("arguments", "target"),
    [(["build"], "nucleo-f767zi"), (["build", "--runner", "qemu_system"], "qemu-mps2-an500")],
)
def test_build_is_for_the_board_unless_a_runner_says_otherwise(
    arguments: list[str],
    target: str,
    deployer: Run,
    small_model: Path,
    tmp_path: Path,
    tool: Callable[[str], str],
) -> None:
    tool("arm-none-eabi-gcc")
    done = deployer(*arguments, "-b", "nucleo-f767zi", "-o", tmp_path, small_model)
    assert done.status == 0, done.err
    manifest = json.loads(
        (tmp_path / "residual-nucleo-f767zi" / "7-build" / "manifest.json").read_text()
    )
    assert (manifest["board"], manifest["target"]) == ("nucleo-f767zi", target)


def test_weights_of_a_hosted_image_are_those_that_it_has(
    deployer: Run, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Five bytes a channel of a layer are stored by no kernel: with all of them, those of wide
    layers would take more than the code."""
    s = ModelBuilder(1)
    x = s.input(1, 2048, 3, 3)
    for _ in range(24):
        x = s.conv(x, (2048, 1, 3, 3), group=2048, pads=[1, 1, 1, 1])
    onnx.save(s.model(x), tmp_path / "wide.onnx")
    command = ["run", "-b", "host", "-o", tmp_path, "--golden", "1", tmp_path / "wide.onnx"]
    done = deployer(*command)
    assert done.status == 0, done.err
    folder = tmp_path / "wide-host" / "7-build"
    memory = json.loads((folder / "manifest.json").read_text())["memory"]
    table = subprocess.run(
        [tool("size"), "-A", folder / "firmware.elf"], capture_output=True, text=True, check=True
    ).stdout
    sections = dict(re.findall(r"^(\.\S+)\s+(\d+)", table, re.MULTILINE))
    assert 0 < memory["weights"] < int(sections[".rodata"])
    assert memory["code"] > int(sections[".text"])
