"""Unrolled recurrences: one scale for values of a kind, int16 by default, constants once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.choices import Calibration, SchemeName
from deployer.errors import ModelError
from deployer.frontend.onnx_import import import_model
from deployer.ir import Graph, QuantParams
from deployer.numerics import dequantize, run
from deployer.numerics import quantize as integers_of
from deployer.quantize import QuantOptions, Samples, quantize
from deployer.quantize.histogram import BINS, Histogram, joined
from deployer.tools.train.finetune import check_operators
from recurrent import denoiser, keyword_spotter, speech

STEPS, FEATURES = 9, 5
SAMPLES = Samples({"input": speech(STEPS, FEATURES)}, "test", None)


def imported(model: onnx.ModelProto, folder: Path) -> Graph:
    path = folder / "model.onnx"
    onnx.save(model, path)
    return import_model(path)


@pytest.fixture(params=[keyword_spotter, denoiser])
def real(request: pytest.FixtureRequest, tmp_path: Path) -> Graph:
    build: Callable[..., onnx.ModelProto] = request.param
    return imported(build(STEPS, FEATURES, 12), tmp_path)


def quantized(real: Graph, **options: Any) -> Graph:
    return quantize(real, SAMPLES, QuantOptions(**options)).graph


def ratio(real: Graph, integer: Graph, samples: Samples) -> float:
    """dB between the outputs of both."""
    x = samples.arrays["input"]
    (expected,) = run(real, {"input": x}).values()
    name = integer.outputs[0]
    steps = run(integer, {"input": integers_of(x, integer.values["input"].q)})[name]
    noise = dequantize(steps, integer.values[name].q) - expected
    return float(10 * np.log10(np.square(expected).sum() / np.square(noise).sum()))


WAYS: list[dict[str, Any]] = [
    {},
    {"bits_of": (("*", 8),)},
    {"calibrate": Calibration.MSE, "bits_of": (("*", 8),)},
    {"calibrate": Calibration.PERCENTILE},
    {"scheme": SchemeName.POWER_OF_TWO},
]


@pytest.mark.parametrize("options", WAYS)
def test_values_of_a_kind_have_one_scale(options: dict[str, Any], real: Graph) -> None:
    integer = quantized(real, **options)
    for tie in real.ties:
        quants = {integer.values[name].q for name in tie.values if name in integer.producer}
        made = [n for n in tie.values if n in integer.producer]
        assert not made or len(quants) == 1, tie


@pytest.mark.parametrize("options", WAYS)
def test_flash_holds_the_weights_of_all_steps_once(options: dict[str, Any], real: Graph) -> None:
    integer = quantized(real, **options)
    dense = [n for n in integer.nodes if n.op == "FullyConnected" and n.name.endswith("/product")]
    assert len(dense) >= STEPS - 1
    assert len({(node.inputs[1:], node.requant) for node in dense}) == 1
    tables = {n.inputs[1] for n in integer.nodes if n.op == "Table"}
    assert len(tables) <= 4  # gates, candidate, and the cell's or the mask's
    used = {name for node in integer.nodes for name in node.inputs}
    named = {n for node in integer.nodes if node.requant for n in
             (node.rq.multiplier, node.rq.rounding, node.rq.shift)}  # fmt: skip
    assert set(integer.constants) <= used | named


def test_steps_compute_in_int16_unless_named(real: Graph) -> None:
    bits = {name: value.q.bits for name, value in quantized(real).values.items() if value.quant}
    assert all(bits[name] == 16 for tie in real.ties for name in tie.values if name in bits)
    narrow = quantized(real, bits_of=(("*", 8),))
    quants = [narrow.values[node.output].q for node in narrow.nodes]
    assert {quant.bits for quant in quants} == {8}


def test_int16_is_worth_it(tmp_path: Path) -> None:
    real = imported(keyword_spotter(20, 10, 32), tmp_path)
    samples = Samples({"input": 2 * speech(20, 10)}, "test", None)
    found = [
        ratio(real, quantize(real, samples, QuantOptions(bits_of=named)).graph, samples)
        for named in ((), (("*", 8),))
    ]
    assert found[0] > found[1] + 2
    assert found[0] > 30


def test_a_stated_quantization_keeps_a_network_in_int8(real: Graph) -> None:
    stated = replace(real.values["input"], quant=QuantParams((2.0**-5,)))
    integer = quantized(replace(real, values={**real.values, "input": stated}))
    assert {integer.values[node.output].q.bits for node in integer.nodes} == {8}


def test_no_training(real: Graph) -> None:
    with pytest.raises(ModelError, match="cannot be trained"):
        check_operators(real)


def test_a_histogram_of_several() -> None:
    ones = np.ones(BINS, np.int64)
    whole = joined([Histogram(-1.0, 1.0, ones, 3), Histogram(0.0, 4.0, ones, 2)])
    assert (whole.low, whole.high, whole.total) == (-1.0, 4.0, 2 * BINS + 5)
    middles = (whole.edges[1:] + whole.edges[:-1]) / 2
    assert whole.counts[middles < 0].sum() == pytest.approx(BINS / 2, abs=4)
    assert whole.counts[middles > 1].sum() == pytest.approx(BINS * 3 / 4, abs=4)
