"""``deployer finetune`` and what the pipeline makes of its result, through the command line."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from models import conv_net

Run = Callable[..., Any]


@pytest.fixture
def torch(need: Callable[[str, bool], None]) -> None:
    need("torch", importlib.util.find_spec("torch") is not None)


@pytest.fixture
def tune(torch: None, deployer: Run, small_model: Path, samples: Path, tmp_path: Path) -> Run:
    """Fine-tune the small model into tmp_path/tuned."""

    def call(*arguments: object) -> Any:
        common = ["--samples", samples, "--epochs", 3, "--batch", 4, "--device", "cpu"]
        given = [*common, "--scheme", "power-of-two", "-o", tmp_path / "tuned", *arguments]
        return deployer("finetune", *given, small_model)

    return call


def test_a_tuned_network_runs_bit_exact(
    tune: Run,
    deployer: Run,
    small_model: Path,
    samples: Path,
    tmp_path: Path,
    tool: Callable[[str], str],
) -> None:
    tool("gcc")
    done = tune("--rounding", "nearest", "--lr", 0.02, "--dataset", samples, "--json")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert report["simulation_equal"] == 1.0
    assert report["best_epoch"] > 0
    assert set(report["dataset"]["top1"]) == {"float", "before", "after"}
    after = report["dataset"]["after"]["mse"]["output"]
    assert after < report["dataset"]["before"]["mse"]["output"]
    arguments = ["-b", "host", "--tuned", tmp_path / "tuned", "--calibration", samples]
    run = deployer("run", *arguments, "-o", tmp_path, "--json", small_model)
    assert run.status == 0, run.err
    assert json.loads(run.out)["golden"]["match"]
    stage = tmp_path / "residual-host"
    manifest = json.loads((stage / "7-build" / "manifest.json").read_text())
    assert manifest["options"]["scheme"] == "power-of-two"
    assert len(manifest["options"]["tuned"]) == 64
    layers = json.loads((stage / "1-quantize" / "report.json").read_text())
    rules = {layer["op"]: layer["rule"] for layer in layers["layers"]}
    assert rules["Conv2d"] == "shift"


def test_samples_are_not_needed_to_build_a_tuned_network(
    tune: Run, deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    assert tune().status == 0
    tuned = ["--tuned", tmp_path / "tuned"]
    done = deployer("run", "-b", "host", *tuned, "--until", "quantize", "-o", tmp_path, small_model)
    assert done.status == 0, done.err
    assert "synthetic noise" not in done.err
    check = deployer("check", "-b", "nucleo-f767zi", *tuned, small_model)
    assert check.status == 0, check.err


def test_resuming_from_the_command_line(tune: Run, tmp_path: Path) -> None:
    assert tune("--epochs", 1).status == 0
    again = tune()
    assert again.status == 2
    assert "already holds a training" in again.err
    assert "--resume" in again.err
    assert tune("--resume").status == 0
    report = json.loads((tmp_path / "tuned" / "report.json").read_text())
    assert [epoch["number"] for epoch in report["epochs"]] == [0, 1, 2, 3]


def test_a_tuned_network_of_another_model_is_refused(
    tune: Run, deployer: Run, tmp_path: Path
) -> None:
    assert tune("--epochs", 1).status == 0
    other = tmp_path / "other.onnx"
    onnx.save(conv_net(), other)
    done = deployer("run", "-b", "host", "--tuned", tmp_path / "tuned", "-o", tmp_path, other)
    assert done.status == 2
    assert "another model" in done.err


def test_a_folder_without_a_tuned_network_is_refused(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    done = deployer("check", "-b", "host", "--tuned", tmp_path, small_model)
    assert done.status == 2
    assert "deployer finetune" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--epochs", 0], "epochs"),
        (["--samples", "missing.npz"], "missing.npz"),
        (["--requant", "q16"], "q16"),
    ],
)
def test_what_cannot_work_is_said(tune: Run, tmp_path: Path, arguments: Any, said: str) -> None:
    done = tune(*arguments)
    assert done.status == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "tuned" / "tuned.json").exists()


def test_without_pytorch_the_extra_is_named(
    deployer: Run, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    np.savez(tmp_path / "s.npz", input=np.zeros((4, 3, 12, 12), np.float32))
    done = deployer("finetune", "--samples", tmp_path / "s.npz", "-o", tmp_path, small_model)
    assert done.status == 2
    assert re.search(r"-m pip install '?torch", done.err)  # of the extra, where one is installed
