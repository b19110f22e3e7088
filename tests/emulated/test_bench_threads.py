"""bench threads: what each thread does of every layer, and what a schedule of it takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.cli.main import main
from deployer.codegen import small_steps
from emulated.targets import BOARDS
from models import ModelBuilder, residual_net

BOARD = "rpi3"


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for program in ("gcc", *BOARDS[BOARD][1]):
        tool(program)


def status(*args: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "threads", "-b", BOARD, *map(str, args)])
    return int(stop.value.code or 0)


def wide_net() -> onnx.ModelProto:
    """Padded windows, whose borders all cores fill before any reads them."""
    s = ModelBuilder(1)
    x = s.relu(s.conv(s.input(1, 8, 32, 32), (32, 8, 3, 3), pads=[1, 1, 1, 1]))
    return s.model(s.relu(s.conv(x, (32, 32, 3, 3), pads=[1, 1, 1, 1])))


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    onnx.save(wide_net(), tmp_path / "wide.onnx")
    return tmp_path / "wide.onnx"


def measured(model: Path, *more: object) -> dict[str, Any]:
    table = model.parent / "table.json"
    assert status("--work", model.parent / "build", *more, "-o", table, model) == 0
    facts: dict[str, Any] = json.loads(table.read_text())
    return facts


def test_each_threads_work_is_counted_and_adds_up_to_that_of_one(wide: Path) -> None:
    facts = measured(wide)
    assert (facts["board"], facts["kind"]) == (BOARD, "estimated")
    alone, *shared = facts["networks"]
    assert [network["threads"] for network in shared] == [2, 3, 4]
    assert alone["speed_up"] == 1.0
    for network in shared:
        assert network["instructions"] == pytest.approx(alone["instructions"], rel=0.03)
        assert 0.9 < network["speed_up"] / network["threads"] < 1.0
        assert network["cycles"] == pytest.approx(sum(step["time"] for step in network["steps"]))
        for step in network["steps"]:
            assert len(step["cycles"]) == len(step["instructions"]) == network["threads"]
            assert max(step["instructions"]) < 1.15 * min(step["instructions"])
            waited = max(step["memory"], *step["cycles"])
            assert step["time"] == pytest.approx(waited + step["hand_over"])
    assert alone["cycles"] > shared[0]["cycles"] > shared[1]["cycles"] > shared[2]["cycles"]


def test_small_steps_are_one_threads_and_cost_no_hand_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx.save(residual_net(), tmp_path / "net.onnx")
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", 1_000_000)
    small = measured(tmp_path / "net.onnx", "--threads", 2)["networks"][1]
    assert all(len(step["cycles"]) <= 1 and not step["hand_over"] for step in small["steps"])
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", 0)
    every = measured(tmp_path / "net.onnx", "--threads", 2)["networks"][1]
    called = [step for step in every["steps"] if step["kernel"]]
    assert all(len(step["cycles"]) == 2 and step["hand_over"] == 2_400 for step in called)
    assert sum(step["hand_over"] for step in every["steps"]) == 2_400 * len(called)


def test_a_speed_up_below_the_threshold_is_told_behind_the_table(
    wide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--work", wide.parent / "build", "--threads", 2, wide)
    assert status("--least", 1.5, *given) == 0
    assert status("--least", 2.5, *given) == 7
    said = capsys.readouterr()
    assert said.out.count("Steps in which 2 threads lose most") == 2
    assert "not 2.5" in said.err
