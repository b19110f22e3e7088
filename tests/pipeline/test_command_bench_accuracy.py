"""``deployer bench accuracy`` through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]


@pytest.fixture
def bench(deployer: Run, small_model: Path, samples: Path) -> Run:
    """bench("--scheme", …): the command on the small model and its labelled samples."""

    def call(*arguments: object) -> Any:
        return deployer("bench", "accuracy", "--data", samples, *arguments, small_model)

    return call


def test_the_table_has_float_and_a_row_a_variant(bench: Run, samples: Path) -> None:
    done = bench("--calibrate", "minmax", "--calibrate", "percentile", "--json")
    assert done.status == 0, done.err
    facts = json.loads(done.out)
    assert len(facts["rows"]) == 4
    assert 0 <= facts["float"]["top1"] <= 1
    assert facts["data"]["samples"] == facts["labelled"] == 12
    assert facts["calibration"]["same"]
    assert all(row["sqnr_db"] > 10 and row["top1"] is not None for row in facts["rows"])
    assert "[4/4] power-of-two percentile: top-1" in done.err


def test_the_table_as_a_file_with_samples_of_its_own(
    bench: Run, samples: Path, tmp_path: Path
) -> None:
    arrays = dict(np.load(samples))
    np.savez(tmp_path / "few.npz", input=arrays["input"][:5])
    chosen = ["--calibration", tmp_path / "few.npz", "--scheme", "power-of-two"]
    done = bench(*chosen, "--calibrate", "mse", "-o", tmp_path / "table.md")
    assert (done.status, done.out) == (0, "")
    head, _, real, row, *rest = (tmp_path / "table.md").read_text().splitlines()
    assert "| top-1 | as float | SQNR |" in head
    assert real.startswith("| float |")
    assert row.startswith("| power-of-two | mse |")
    assert "dB" in row
    assert "Calibrated on 5 samples of `few.npz`." in rest


def test_without_labels_there_is_agreement_only(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    np.savez(tmp_path / "bare.npz", input=np.load(samples)["input"])
    arguments = ["--data", tmp_path / "bare.npz", "--calibrate", "minmax"]
    done = deployer("bench", "accuracy", *arguments, "--json", small_model)
    facts = json.loads(done.out)
    assert facts["float"]["top1"] is None
    assert [row["top1"] for row in facts["rows"]] == [None, None]
    assert all(row["agreement"] > 0.5 for row in facts["rows"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scheme", "ternary"], "multiply-shift, power-of-two"),
        (["--calibrate", "guess"], "minmax"),
        (["--calibration", "missing.npz"], "missing.npz"),
        (["-o", "table.txt"], "FILE.md"),
    ],
)
def test_what_cannot_work_is_said(bench: Run, arguments: list[str], said: str) -> None:
    done = bench(*arguments)
    assert done.status == 2
    assert said in done.err
    assert done.out == ""
