"""`deployer run` on files from ONNX Runtime's quantizer, without a single sample."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from qdq import brevitas_net, save

Run = Callable[..., Any]


class _Noise(CalibrationDataReader):  # type: ignore[misc]
    def __init__(self, path: Path):
        (value,) = onnx.load(path).graph.input
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        rng = np.random.default_rng(1)
        rows = [{value.name: rng.normal(size=shape).astype(np.float32)} for _ in range(4)]
        self._rows: Iterator[Any] = iter(rows)

    def get_next(self) -> Any:
        return next(self._rows, None)


@pytest.fixture
def quantized_zoo_net(deployer: Run, tmp_path: Path) -> Path:
    """A narrow DS-CNN, per channel, QDQ."""
    source, path = tmp_path / "float.onnx", tmp_path / "dscnn_qdq.onnx"
    assert deployer("zoo", "ds-cnn", "--width", "0.25", "-o", source).status == 0
    logging.disable(logging.WARNING)
    quantize_static(
        source,
        path,
        _Noise(source),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=QuantType.QInt8,
    )
    logging.disable(logging.NOTSET)
    return path


def test_a_quantized_network_needs_no_samples(
    deployer: Run,
    tool: Callable[[str], str],
    quantized_zoo_net: Path,
    tmp_path: Path,
) -> None:
    tool("gcc")
    done = deployer("run", "-b", "host", "--json", "-o", tmp_path, quantized_zoo_net)
    assert done.status == 0, done.err
    assert "synthetic" not in done.err
    assert "the model's own quantization is kept for 12 of 12 activations" in done.err
    assert json.loads(done.out)["golden"]["match"]
    stage = tmp_path / f"{quantized_zoo_net.stem}-host" / "1-quantize" / "report.json"
    stated = json.loads(stage.read_text())["stated"]
    assert stated["weights"] == stated["stated_weights"] == 10
    assert 0 < stated["worst"] < 1


def test_powers_of_two_are_asked_of_a_model_that_has_none(
    deployer: Run, quantized_zoo_net: Path, tmp_path: Path
) -> None:
    scheme = ("--scheme", "power-of-two", "--until", "quantize")
    done = deployer("run", "-b", "host", *scheme, "-o", tmp_path, quantized_zoo_net)
    assert done.status == 2
    assert "states scales that are not powers of two" in done.err
    assert "--scheme multiply-shift keeps the model's scales" in done.err


def test_powers_of_two_are_kept(deployer: Run, tmp_path: Path) -> None:
    model = save(brevitas_net(lambda n: 2.0**-n), tmp_path)
    scheme = ("--scheme", "power-of-two", "--until", "quantize")
    done = deployer("run", "-b", "host", *scheme, "-o", tmp_path, model)
    assert done.status == 0, done.err
