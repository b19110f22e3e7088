"""The steps of boards/README.md for a new board, performed as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from deployer import bundle
from deployer.resources import data_root
from models import dense_net

STEPS = re.compile(r"## Adding a board\n.*?```sh\n(.*?)```", re.DOTALL)
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def desk(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the boards that ship and a model, after the steps."""
    for program in ("sh", "sed", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    folder = tmp_path_factory.mktemp("desk")
    (folder / "boards").symlink_to(data_root() / "boards")
    onnx.save(dense_net(), folder / "model.onnx")
    steps = STEPS.search((data_root() / "boards" / "README.md").read_text())
    assert steps
    shell = f'set -eu\ndeployer() {{ "{sys.executable}" -m deployer "$@"; }}\n{steps[1]}'
    subprocess.run(
        ["sh", "-c", shell],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'hil'}", "COLUMNS": "160"},
        check=True,
    )
    return folder


def test_one_file_is_written(desk: Path) -> None:
    files = {path for path in desk.rglob("*") if path.is_file() and "build" not in path.parts}
    files -= {path for path in files if path.is_relative_to(desk / "boards")}
    assert {path.relative_to(desk).as_posix() for path in files} == {
        "model.onnx",
        "my-boards/camera-f767zi.toml",
    }


def test_its_image_runs_exactly_in_the_emulator(desk: Path) -> None:
    (folder,) = (desk / "build").glob("model-camera-f767zi/7-build")
    assert bundle.read(folder).board == "camera-f767zi"
    (report,) = (desk / "build").glob("model-camera-f767zi/8-run/report.json")
    assert json.loads(report.read_text())["golden"]["match"] is True
