"""int16 activations: ranges, rules, bounds, and accuracy on the reference models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer.frontend.onnx_import import import_model
from deployer.ir.attrs import Clamp, PointAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.numerics import interpret
from deployer.quantize.fixed_point import fixed_point
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.quantize import SCHEMES, QuantOptions, quantize
from deployer.quantize.report import accuracy, top1
from deployer.quantize.samples import load_dataset, load_samples
from deployer.quantize.scheme import HEADROOM
from unit.quantize.graphs import Draft, noise

WIDE = QuantOptions(bits=16)
BOTH = pytest.mark.parametrize("scheme", SCHEMES)


@given(low=st.floats(-1e6, 0), high=st.floats(0, 1e6), power=st.booleans())
def test_a_range_and_as_much_again_fits(low: float, high: float, power: bool) -> None:
    quant = (fixed_point() if power else multiply_shift()).fit(low, high, 16)
    assert (quant.zero_point, quant.bits) == (0, 16)
    largest = max(-low, high)
    assert 32767.01 * quant.tensor_scale >= HEADROOM * largest
    if largest > 1e-6:
        assert 32767 * quant.tensor_scale <= 2.001 * HEADROOM * largest


@BOTH
@pytest.mark.parametrize("method", ["minmax", "percentile", "mse", "entropy"])
def test_every_calibration_keeps_the_range(scheme: str, method: str) -> None:
    graph = narrow_net()
    samples = noise(graph, count=16)
    options = replace(WIDE, scheme=scheme, calibrate=method)
    report = quantize(graph, samples, options).report
    assert all(layer.output.saturated == 0 for layer in report.layers)
    assert report.outputs[0].sqnr_db is not None
    assert report.outputs[0].sqnr_db > 30


def narrow_net() -> Graph:
    draft = Draft(1, 6, 6, 4, seed=5)
    x = draft.conv("x", 8, Window((3, 3)))
    x = draft.table(draft.conv(x, 8, Window((1, 1)), clamp=Clamp()), "swish")
    return draft.graph(draft.dense(draft.reshape(x, 1, 128), 6))


@BOTH
def test_int16_is_much_closer_than_int8(scheme: str) -> None:
    graph = narrow_net()
    found = [
        quantize(graph, noise(graph), QuantOptions(scheme, bits=bits)).report.outputs[0].sqnr_db
        for bits in (8, 16)
    ]
    assert found[1] > found[0] + 4  # type: ignore[operator]


def test_sums_and_products_take_the_better_rule() -> None:
    draft = Draft(1, 6, 6, 4, seed=6)
    x = draft.conv("x", 8, Window((3, 3)))
    y = draft.node("Mul", x, x, attrs=PointAttrs())
    graph = draft.graph(draft.average(y, Window((4, 4))))
    report = quantize(graph, noise(graph), WIDE).report
    rules = {layer.op: layer.rule for layer in report.layers}
    assert set(rules.values()) == {"q32"}
    assert max(layer.deviation for layer in report.layers) < 3


def test_added_multipliers_use_all_of_int32() -> None:
    draft = Draft(1, 4, 4, 4)
    draft.second_input(1, 4, 4, 4, name="y")
    graph = draft.graph(draft.add("x", "y"))
    found = quantize(graph, noise(graph), WIDE).graph
    node = found.nodes[0]
    multipliers = found.constants[node.rq.multiplier].tolist()
    shift, rounding = (int(found.constants[n][0]) for n in (node.rq.shift, node.rq.rounding))
    bound = 32768 * sum(multipliers) + rounding
    assert 2**29 < bound < 2**31
    assert rounding == 1 << (shift - 1)


@BOTH
def test_a_long_row_takes_a_coarser_scale_in_its_channel_alone(scheme: str) -> None:
    """1,200 weights of 127 steps: more than 65,536 together."""
    draft = Draft(1, 1200)
    weights = np.full((2, 1200), 0.01, dtype=np.float32)
    weights[1, 1:] = 0
    graph = draft.graph(draft.dense("x", 2, weights=weights))
    found = quantize(graph, noise(graph), replace(WIDE, scheme=scheme))
    assert any("weight scale widened in 1 channel(s)" in note for note in found.report.notes)
    rows = found.graph.constants["fullyconnected_0.weight"].astype(int)
    assert 32768 * np.abs(rows).sum(axis=1).max() < 2**31
    assert np.abs(rows[1]).max() > 63
    samples = noise(graph, count=4, seed=9, spread=0.9)
    steps = {"x": interpret.quantize(samples.arrays["x"], found.graph.values["x"].q)}
    interpret.run(found.graph, steps)  # raises OverflowError outside int32


def test_stated_int8_scales_cannot_be_widened() -> None:
    draft = Draft(1, 4)
    graph = draft.graph(draft.dense("x", 3))
    stated = replace(graph.values["x"], quant=QuantParams((0.02,), 3))
    graph = replace(graph, values={**graph.values, "x": stated})
    quantize(graph, noise(graph), QuantOptions())
    with pytest.raises(UsageError, match="states its quantization"):
        quantize(graph, noise(graph), WIDE)


def test_the_report_states_the_width_of_every_layer() -> None:
    graph = narrow_net()
    options = QuantOptions(bits_of=(("conv2d_0", 16),))
    report = quantize(graph, noise(graph), options).report
    bits = {layer.node: layer.output.bits for layer in report.layers}
    assert bits["conv2d_0"] == 16
    assert bits["conv2d_1"] == bits["conv2d_0_out.s8"] == 8


# folder, model, calibration, samples judged, their scale
SETS = {
    "mnist": ("mnist_dscnn", "mnist5k_calib200.npz", "mnist5k_test1000.npz", 1 / 255),
    "kws": ("kws_dscnn", "golden.npz", "tts360.npz", 1.0),
    "sww": ("sww_ds1d", "golden.npz", "calib45.npz", 1.0),
    "vww": ("vww_mobilenetv1_025_96", "golden.npz", "golden.npz", 1.0),
}
# samples on which the class differs from float's, at most: of 1,000, 360, 45 and 20
DIFFERING = {"mnist": 0, "kws": 2, "sww": 0, "vww": 0}


@BOTH
@pytest.mark.parametrize("name", SETS)
def test_classes_are_those_of_float(name: str, scheme: str, shared_models: Path) -> None:
    folder, calibration, judged, scale = SETS[name]
    graph = import_model(shared_models / folder / f"{folder}.onnx")
    samples = load_samples(graph, shared_models / folder / calibration, input_scale=scale)
    integer = quantize(graph, samples, replace(WIDE, scheme=scheme)).graph
    data = load_dataset(graph, shared_models / folder / judged, input_scale=scale)
    found = accuracy(graph, integer, data)
    assert round((1 - found.agreement) * found.samples) <= DIFFERING[name]
    lost = round((found.float_top1 - found.integer_top1) * found.samples)
    assert abs(lost) <= DIFFERING[name]
    golden = load_samples(graph, shared_models / folder / "golden.npz")
    assert agreeing(graph, integer, golden.arrays) == 1.0


@BOTH
def test_photos_have_the_class_of_float(scheme: str, shared_models: Path) -> None:
    folder = shared_models / "resnet8_cifar10"
    graph = import_model(folder / "resnet8_cifar10.onnx")
    samples = load_samples(graph, folder / "golden.npz")
    integer = quantize(graph, samples, replace(WIDE, scheme=scheme)).graph
    assert agreeing(graph, integer, samples.arrays) == 1.0


@BOTH
def test_the_anomaly_score_is_that_of_float(scheme: str, shared_models: Path) -> None:
    """9.707 over the 196 windows of a clip."""
    folder = shared_models / "ad_autoencoder"
    frames = np.load(folder / "clip_normal_id_01_00000000.npz")["log_mel"]
    x = np.stack([frames[i : i + 5].ravel() for i in range(196)]).astype(np.float32)
    graph = import_model(folder / "ad_autoencoder.onnx")
    samples = load_samples(graph, folder / "golden.npz")
    integer = quantize(graph, samples, replace(WIDE, scheme=scheme)).graph
    y = integer_outputs(graph, integer, {graph.inputs[0]: x})
    assert abs(float(np.square(x - y).mean()) - 9.707) <= 0.02


def agreeing(graph: Graph, integer: Graph, arrays: dict[str, np.ndarray]) -> float:
    """Share of the samples with the class of float."""
    real = interpret.run(graph, arrays)[graph.outputs[0]]
    return float(np.mean(top1(real) == top1(integer_outputs(graph, integer, arrays))))


def integer_outputs(graph: Graph, integer: Graph, arrays: dict[str, np.ndarray]) -> np.ndarray:
    steps = {name: interpret.quantize(x, integer.values[name].q) for name, x in arrays.items()}
    output = integer.outputs[0]
    return interpret.dequantize(interpret.run(integer, steps)[output], integer.values[output].q)
