"""Rows of the accuracy table from graphs and samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.report import accuracy
from deployer.quantize.samples import Dataset, synthetic_samples
from deployer.tools.bench.accuracy import (
    VARIANTS,
    accuracy_rows,
    float_outputs,
    share_right,
    worst_sqnr,
)
from models import residual_net


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    onnx.save(residual_net(), tmp_path / "net.onnx")
    return import_model(tmp_path / "net.onnx")


def test_every_scheme_and_method_is_a_variant_once() -> None:
    pairs = [(one.scheme, one.calibrate) for one in VARIANTS]
    assert len(set(pairs)) == len(pairs) == 8
    assert {one.equalize for one in VARIANTS} == {one.bias_correction for one in VARIANTS}


def test_a_row_says_what_the_quantizer_says(graph: Graph) -> None:
    """With the true classes as labels, float is always right and top-1 is the agreement."""
    samples = synthetic_samples(graph, count=40)
    expected = float_outputs(graph, Dataset(samples, None))
    labels = expected[graph.outputs[0]].reshape(40, -1).argmax(axis=1)
    data, options = Dataset(samples, labels), QuantOptions(equalize="off")
    assert share_right(expected, labels) == 1.0
    (row,) = accuracy_rows(graph, data, samples, (options,), expected=expected)
    result = quantize(graph, samples, options)
    known = accuracy(graph, result.graph, data)
    assert row.error == ""
    assert (row.top1, row.agreement) == (known.integer_top1, known.agreement)
    assert row.top1 == row.agreement > 0.5
    assert row.sqnr_db == pytest.approx(result.report.outputs[0].sqnr_db, abs=1e-3)
    assert row.bias_correction is result.report.decisions.bias_correction


def test_unknown_labels_do_not_count(graph: Graph) -> None:
    outputs = {"y": np.eye(3, dtype=np.float32)}
    assert share_right(outputs, np.array([0, 0, -1])) == 0.5
    assert share_right(outputs, np.array([-1, -1, -1])) is None
    assert share_right(outputs, None) is None


def test_the_worst_output_is_told() -> None:
    real = {"a": np.ones(4), "b": np.ones(4), "c": np.ones(4)}
    found = {"a": np.ones(4), "b": np.full(4, 1.1), "c": np.full(4, 1.01)}
    assert worst_sqnr(real, found) == pytest.approx(20)
    assert worst_sqnr(real, real) is None


def test_a_network_without_integers_is_a_row_too(graph: Graph) -> None:
    weights = graph.nodes[0].inputs[1]
    graph.constants[weights][:] = np.nan  # type: ignore[index]
    samples = synthetic_samples(graph, count=2)
    data = Dataset(samples, None)
    rows = list(accuracy_rows(graph, data, samples, VARIANTS[:2], expected={}))
    assert [row.agreement for row in rows] == [None, None]
    assert all("NaN" in row.error for row in rows)
