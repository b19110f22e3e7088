"""A network whose steps are reordered computes the same, layer by layer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from models import ModelBuilder

Run = Callable[..., Any]
GROW, SHRINK = 24, 2


@pytest.fixture
def branches(tmp_path: Path) -> Path:
    """Three branches, each wide and then narrow; all wide halves come first in the file."""
    s = ModelBuilder(11)
    x = s.input(1, 3, 8, 8)
    wide = [s.relu(s.conv(x, (GROW, 3, 3, 3), pads=[1, 1, 1, 1])) for _ in range(3)]
    narrow = [s.conv(y, (SHRINK, GROW, 1, 1)) for y in wide]
    total = s.node("Add", s.node("Add", narrow[0], narrow[1]), narrow[2])
    path = tmp_path / "branches.onnx"
    onnx.save(s.model(s.gemm(s.node("Flatten", total), SHRINK * 64, 4)), path)
    return path


def test_branches_run_one_by_one_in_a_smaller_arena_and_stay_exact(
    deployer: Run, branches: Path, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    done = deployer("run", "-b", "host", "-o", tmp_path / "build", "--json", branches)
    assert done.status == 0, done.err
    folder = tmp_path / "build" / "branches-host"
    given = [node["name"] for node in artifact(folder / "1-quantize" / "graph.json")["nodes"]]
    order = [step["node"] for step in artifact(folder / "3-schedule" / "schedule.json")["steps"]]
    kept = [name for name in given if name in set(order)]
    assert order != kept
    assert sorted(order) == sorted(kept)
    assert artifact(folder / "4-allocate" / "plan.json")["bound"] < 3 * GROW * 64
    report = json.loads(done.out)
    assert report["golden"]["match"]
    assert [layer["name"] for layer in report["layers"]] == order
    assert all(layer["match"] for layer in report["layers"])


def artifact(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())["artifact"]
    return found
