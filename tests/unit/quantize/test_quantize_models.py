"""Accuracy on the reference models: what integers keep of the float networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.report import Accuracy, accuracy
from deployer.quantize.samples import load_dataset, load_samples

FOLDERS = {
    "mnist": ("mnist_dscnn", "mnist5k_calib200.npz", "mnist5k_test1000.npz", 1 / 255),
    "kws": ("kws_dscnn", "golden.npz", "tts360.npz", 1.0),
    "sww": ("sww_ds1d", "golden.npz", "calib45.npz", 1.0),
    "resnet8": ("resnet8_cifar10", "golden.npz", "golden.npz", 1.0),
    "vww": ("vww_mobilenetv1_025_96", "golden.npz", "golden.npz", 1.0),
    "ad": ("ad_autoencoder", "golden.npz", "golden.npz", 1.0),
}
AUTO, FIXED = QuantOptions(), QuantOptions("power-of-two")


@dataclass(frozen=True)
class Quantized:
    graph: Graph
    result: QuantResult

    @property
    def agreement(self) -> float:
        return self.result.report.outputs[0].top1_agreement

    @property
    def sqnr(self) -> float:
        return self.result.report.outputs[0].sqnr_db or 999.0


@cache
def quantized(models: Path, name: str, options: QuantOptions, softmax: str = "host") -> Quantized:
    folder, calibration, _, scale = FOLDERS[name]
    graph = import_model(models / folder / f"{folder}.onnx", softmax=softmax)
    samples = load_samples(graph, models / folder / calibration, input_scale=scale)
    return Quantized(graph, quantize(graph, samples, options))


def measured(models: Path, name: str, options: QuantOptions) -> Accuracy:
    """On the labelled set, which is not the calibration's (VWW has only one)."""
    folder, _, labelled, scale = FOLDERS[name]
    found = quantized(models, name, options)
    data = load_dataset(found.graph, models / folder / labelled, input_scale=scale)
    return accuracy(found.graph, found.result.graph, data)


@pytest.mark.parametrize(
    ("options", "least"),
    [(AUTO, 0.985), (QuantOptions(requant="i32"), 0.983), (FIXED, 0.983)],
)
def test_mnist_on_a_thousand_images(
    shared_models: Path, options: QuantOptions, least: float
) -> None:
    found = measured(shared_models, "mnist", options)
    assert found.samples == 1000
    assert found.float_top1 == 0.985
    assert found.integer_top1 >= least


@pytest.mark.parametrize(("options", "points"), [(AUTO, 1), (FIXED, 2)])
def test_keywords_stay_within_points_of_float(
    shared_models: Path, options: QuantOptions, points: float
) -> None:
    found = measured(shared_models, "kws", options)
    assert abs(found.integer_top1 - found.float_top1) * 100 <= points
    assert found.agreement >= 0.95


@pytest.mark.parametrize("options", [AUTO, FIXED], ids=lambda o: o.scheme)
def test_wake_word_and_person_detection(shared_models: Path, options: QuantOptions) -> None:
    assert measured(shared_models, "sww", options).integer_top1 >= 41 / 45
    assert measured(shared_models, "vww", options).integer_top1 >= 18 / 20


@pytest.mark.parametrize(("options", "least"), [(AUTO, 0.95), (FIXED, 0.8)])
def test_resnet_agrees_with_float(shared_models: Path, options: QuantOptions, least: float) -> None:
    assert quantized(shared_models, "resnet8", options).agreement >= least


@pytest.mark.parametrize(("options", "decibels"), [(AUTO, 43), (FIXED, 34)])
def test_autoencoder_output_is_close(
    shared_models: Path, options: QuantOptions, decibels: float
) -> None:
    assert quantized(shared_models, "ad", options).sqnr > decibels


@pytest.mark.parametrize("name", ["kws", "sww", "resnet8", "vww"])
def test_softmax_on_the_device_keeps_the_class(shared_models: Path, name: str) -> None:
    host = quantized(shared_models, name, AUTO)
    device = quantized(shared_models, name, AUTO, softmax="device")
    assert device.graph.nodes[-1].op == "Softmax"
    assert device.agreement >= host.agreement - 0.05


@pytest.mark.parametrize("name", sorted(FOLDERS))
@pytest.mark.parametrize("options", [AUTO, FIXED], ids=lambda o: o.scheme)
def test_multipliers_lose_little_and_scales_fit(
    shared_models: Path, name: str, options: QuantOptions
) -> None:
    report = quantized(shared_models, name, options).result.report
    assert max(layer.deviation for layer in report.layers) < 0.2
    assert report.notes == ()
    if options is AUTO:
        assert max(layer.output.saturated for layer in report.layers) < 1e-3


def test_constants_of_a_real_model_are_small_integers(shared_models: Path) -> None:
    graph = quantized(shared_models, "resnet8", AUTO).result.graph
    weights = sum(a.nbytes for n, a in graph.constants.items() if n.endswith(".weight"))
    assert weights == 77_360  # 77,706 parameters less 346 biases
    assert all(a.dtype in (np.int8, np.int32, np.uint8) for a in graph.constants.values())
