"""Samples and labels that cannot be right: loud where the user looks, and in the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pipeline.conftest import Run


def test_samples_of_zeros_are_warned_of(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    with np.load(samples) as file:
        zeros = np.zeros_like(file["input"])
    np.savez(tmp_path / "zeros.npz", input=zeros)
    asked = ("-b", "host", "-o", tmp_path, "--calibration", tmp_path / "zeros.npz")
    done = deployer("run", *asked, "--until", "quantize", small_model)
    assert done.status == 0, done.err
    assert "WARNING: every value of 'input' in zeros.npz is zero" in done.err
    stage = tmp_path / "residual-host" / "1-quantize"
    (warning,) = json.loads((stage / "report.json").read_text())["warnings"]
    assert warning in done.err


def test_labels_that_are_no_class_are_warned_of(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    with np.load(samples) as file:
        np.savez(tmp_path / "off.npz", input=file["input"], label=file["label"] + 1000)
    asked = ("-b", "host", "-o", tmp_path, "--calibration", samples)
    done = deployer("run", *asked, "--dataset", tmp_path / "off.npz", small_model)
    assert done.status == 0, done.err
    assert "WARNING: 12 of 12 labels in off.npz are none of the" in done.err
    assert "12 of 12 labels in off.npz" in done.out
    report = json.loads((tmp_path / "residual-host" / "8-run" / "report.json").read_text())
    assert [text[:8] for text in report["warnings"]] == ["12 of 12"]


def test_one_sample_without_its_axis_is_refused_with_the_remedy(
    deployer: Run, small_model: Path, samples: Path, tmp_path: Path
) -> None:
    with np.load(samples) as file:
        np.savez(tmp_path / "one.npz", input=file["input"][0])
    asked = ("-b", "host", "-o", tmp_path, "--calibration", tmp_path / "one.npz")
    done = deployer("run", *asked, small_model)
    assert done.status == 2
    assert "this is one sample: add the samples axis with x[numpy.newaxis]" in done.err
