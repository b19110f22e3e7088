"""Accuracy on the reference models: what integers keep of the float networks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.numerics import interpret
from deployer.quantize.compare import compare
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.report import Accuracy, accuracy
from deployer.quantize.samples import load_dataset, load_samples
from deployer.quantize.thresholds import METHODS

FOLDERS = {
    "mnist": ("mnist_dscnn", "mnist5k_calib200.npz", "mnist5k_test1000.npz", 1 / 255),
    "kws": ("kws_dscnn", "golden.npz", "tts360.npz", 1.0),
    "twin": ("kws_dscnn", "golden.npz", "tts360.npz", 1.0),
    "sww": ("sww_ds1d", "golden.npz", "calib45.npz", 1.0),
    "resnet8": ("resnet8_cifar10", "golden.npz", "golden.npz", 1.0),
    "vww": ("vww_mobilenetv1_025_96", "golden.npz", "golden.npz", 1.0),
    "ad": ("ad_autoencoder", "golden.npz", "golden.npz", 1.0),
}
FILES = {"twin": "kws_dscnn_int8twin"}  # the official int8 weights, as float
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
    file = FILES.get(name, folder)
    graph = import_model(models / folder / f"{file}.onnx", softmax=softmax)
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


@pytest.mark.parametrize(("options", "points"), [(AUTO, 1), (FIXED, 3)])
def test_the_twin_of_the_official_keywords(
    shared_models: Path, options: QuantOptions, points: float
) -> None:
    found = measured(shared_models, "twin", options)
    assert found.samples == 360
    assert abs(found.integer_top1 - found.float_top1) * 100 <= points


@pytest.mark.parametrize(("options", "tolerance"), [(AUTO, 0.05), (FIXED, 0.3)])
def test_anomaly_score_of_a_clip(
    shared_models: Path, options: QuantOptions, tolerance: float
) -> None:
    """Mean squared error over the 196 windows of five frames; 9.707 in float."""
    frames = np.load(shared_models / "ad_autoencoder" / "clip_normal_id_01_00000000.npz")["log_mel"]
    x = np.stack([frames[i : i + 5].ravel() for i in range(196)]).astype(np.float32)
    graph = quantized(shared_models, "ad", options).result.graph
    source, target = (graph.values[name].q for name in (graph.inputs[0], graph.outputs[0]))
    found = interpret.run(graph, {graph.inputs[0]: interpret.quantize(x, source)})
    y = interpret.dequantize(found[graph.outputs[0]], target)
    assert abs(float(np.square(x - y).mean()) - 9.707) <= tolerance


@pytest.mark.parametrize("method", ["percentile", "mse", "entropy"])
def test_other_calibrations_keep_the_digits(shared_models: Path, method: str) -> None:
    found = measured(shared_models, "mnist", QuantOptions(calibrate=method))
    assert found.integer_top1 >= 0.983


@pytest.mark.parametrize("name", ["kws", "sww", "ad"])
def test_only_a_clear_gain_leaves_the_default(shared_models: Path, name: str) -> None:
    decisions = quantized(shared_models, name, AUTO).result.report.decisions
    methods = {trial.calibrate: trial.sqnr_db for trial in decisions.trials[:3]}
    assert set(methods) == {"minmax", "mse", "percentile"}
    clear = max(methods.values()) >= methods["minmax"] + 0.5
    assert decisions.calibrate == (max(methods, key=methods.__getitem__) if clear else "minmax")
    usual, *others = [t for t in decisions.trials if t.calibrate == decisions.calibrate]
    gain = max(trial.sqnr_db for trial in others) - usual.sqnr_db
    assert (decisions.equalize or not decisions.bias_correction) == (gain >= 1)


@pytest.mark.parametrize("name", ["mnist", "kws", "twin", "sww", "resnet8", "vww"])
@pytest.mark.parametrize("options", [AUTO, FIXED], ids=lambda o: o.scheme)
def test_the_default_is_near_the_best_calibration(
    shared_models: Path, name: str, options: QuantOptions
) -> None:
    """Judged on the labelled set, within half a decibel of whichever method is best there."""
    found = {
        method: _ratio(shared_models, name, replace(options, calibrate=method))
        for method in ("auto", *METHODS)
    }
    assert found["auto"] >= max(found.values()) - 0.5


def _ratio(models: Path, name: str, options: QuantOptions) -> float:
    folder, _, judged, scale = FOLDERS[name]
    found = quantized(models, name, options)
    samples = load_samples(found.graph, models / folder / judged, input_scale=scale)
    outputs = compare(found.result.real, found.result.graph, samples.arrays)[2]
    return min(output.sqnr_db or 999.0 for output in outputs)


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
