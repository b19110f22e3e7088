"""Whole graphs: structure of the integer graph, agreement with float, refusals."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from graphs import RELU, Draft, every_operator, noise
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir import serde
from deployer.ir.attrs import Clamp, Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.types import DType, Layout, QuantParams
from deployer.ir.verify import verify
from deployer.numerics import interpret
from deployer.quantize.quantize import SCHEMES, QuantOptions, QuantResult, quantize
from deployer.quantize.samples import SYNTHETIC_NOTE, Samples, synthetic_samples

STEADY = settings(deadline=None, derandomize=True, max_examples=30)
CHOICES = [
    QuantOptions("multiply-shift", "auto"),
    QuantOptions("multiply-shift", "i32"),
    QuantOptions("multiply-shift", "q16"),
    QuantOptions("power-of-two"),
]
EACH = pytest.mark.parametrize("options", CHOICES, ids=lambda o: f"{o.scheme}-{o.requant}")


def signal_to_noise(graph: Graph, result: QuantResult, samples: Samples) -> dict[str, float]:
    """dB of every output on ``samples``, computed here and not by the report."""
    steps = {n: interpret.quantize(x, result.graph.values[n].q) for n, x in samples.arrays.items()}
    real, integer = interpret.run(graph, samples.arrays), interpret.run(result.graph, steps)
    found = {}
    for name, x in real.items():
        error = interpret.dequantize(integer[name], result.graph.values[name].q) - x
        found[name] = float(10 * np.log10(np.square(x).sum() / np.square(error).sum()))
    return found


@EACH
def test_every_operator_stays_close_to_float(options: QuantOptions) -> None:
    graph = every_operator()
    result = quantize(graph, noise(graph, count=64), options)
    quality = signal_to_noise(graph, result, noise(graph, seed=9))
    floor = 18 if options.scheme == "power-of-two" else 28
    assert min(quality.values()) > floor, quality


@EACH
def test_integer_graph_keeps_the_conventions_of_kernels(options: QuantOptions) -> None:
    graph = every_operator()
    found = verify(quantize(graph, noise(graph), options).graph)
    assert [node.name for node in found.nodes] == [node.name for node in graph.nodes]
    assert [node.origin for node in found.nodes] == [node.origin for node in graph.nodes]
    assert (found.inputs, found.outputs, found.meta) == (graph.inputs, graph.outputs, graph.meta)
    assert found.notes[:1] == ("kept",)
    for node in found.nodes:
        for name in (*found.activations(node), *node.outputs):
            assert found.values[name].dtype is DType.S8
            assert found.values[name].q.axis is None
        if node.requant is not None:
            names = (node.rq.multiplier, node.rq.rounding, node.rq.shift)
            kinds = [found.constants[name].dtype.name for name in names]
            assert names == tuple(f"{node.name}.{s}" for s in ("multiplier", "rounding", "shift"))
            assert kinds == ["int32", "int32", "uint8"]
            assert -128 <= node.rq.low <= node.rq.high <= 127
            assert all(found.values[name].layout is Layout.VECTOR for name in names)


EXPECTED_OPERANDS = {
    "Conv2d": ("weight", "bias"),
    "DepthwiseConv2d": ("weight", "bias"),
    "FullyConnected": ("weight", "bias"),
    "Softmax": ("table",),
}
EXPECTED_ENTRIES = {"Add": (2, 1, 1), "MaxPool": (1, 1, 1), "Rescale": (1, 1, 1)}


@EACH
def test_operands_and_table_sizes(options: QuantOptions) -> None:
    graph = every_operator()
    found = quantize(graph, noise(graph), options).graph
    for node in found.nodes:
        suffixes = EXPECTED_OPERANDS.get(node.op, ())
        operands = node.inputs[len(found.activations(node)) :]
        assert operands == tuple(f"{node.name}.{suffix}" for suffix in suffixes)
        if node.requant is None:
            assert node.op in {"Softmax", "Reshape", "Transpose"}
            continue
        channels = found.values[node.output].shape[-1]
        default = (node.attrs.window.taps,) * 3 if node.op == "AveragePool" else (channels,) * 3
        names = (node.rq.multiplier, node.rq.rounding, node.rq.shift)
        sizes = tuple(found.constants[name].size for name in names)
        assert sizes == EXPECTED_ENTRIES.get(node.op, default)


@EACH
def test_weights_are_symmetric_with_their_scales_stated(options: QuantOptions) -> None:
    graph = every_operator()
    found = quantize(graph, noise(graph), options).graph
    for before, node in zip(graph.nodes, found.nodes, strict=True):
        if node.op not in {"Conv2d", "DepthwiseConv2d", "FullyConnected"}:
            continue
        weights, value = found.constants[node.inputs[1]], found.values[node.inputs[1]]
        axis = 2 if node.op == "DepthwiseConv2d" else 0
        assert weights.dtype == np.int8
        assert weights.min() >= -127
        assert (value.q.axis, value.q.zero_point) == (axis, 0)
        assert len(value.q.scale) == weights.shape[axis]
        scales = np.expand_dims(value.q.scale, [i for i in range(weights.ndim) if i != axis])
        real = graph.constants[before.inputs[1]]
        inside = np.abs(real) <= 127 * scales
        assert (np.abs(weights * scales - real)[inside] <= (scales / 2 + 1e-7).max()).all()
        bias = found.values[node.inputs[2]]
        products = found.values[node.inputs[0]].q.tensor_scale * np.array(value.q.scale)
        np.testing.assert_allclose(bias.q.scale, products)


@EACH
def test_moving_operators_share_their_inputs_quantization(options: QuantOptions) -> None:
    graph = every_operator()
    found = quantize(graph, noise(graph), options).graph
    moved = [n for n in found.nodes if n.op in {"MaxPool", "Reshape", "Transpose"}]
    assert len(moved) == 3
    for node in moved:
        assert found.values[node.output].q == found.values[node.inputs[0]].q


def test_power_of_two_scales_and_shifts() -> None:
    graph = every_operator()
    found = quantize(graph, noise(graph), QuantOptions("power-of-two")).graph
    for value in found.values.values():
        if value.quant is not None:
            assert all(np.frexp(scale)[0] == 0.5 for scale in value.quant.scale)
    rules = {node.op: node.rq.rule for node in found.nodes if node.requant}
    assert rules == {
        **dict.fromkeys(["Conv2d", "DepthwiseConv2d", "FullyConnected", "MaxPool"], "shift"),
        **dict.fromkeys(["Add", "AveragePool", "Rescale"], "i32"),
    }


@pytest.mark.parametrize("rule", ["i32", "q16", "q32", "q31"])
def test_a_forced_rule_is_in_every_linear_layer(rule: str) -> None:
    graph = every_operator()
    result = quantize(graph, noise(graph), QuantOptions(requant=rule))
    linear = {"Conv2d", "DepthwiseConv2d", "FullyConnected"}
    assert {layer.rule for layer in result.report.layers if layer.op in linear} == {rule}


def test_pools_beside_q31_are_plain_means_at_their_inputs_scale() -> None:
    draft = Draft(1, 6, 6, 4)
    graph = draft.graph(draft.average("x", Window((3, 2), pads=Pads(1, 0, 1, 0))))
    found = quantize(graph, noise(graph), QuantOptions(requant="q31")).graph
    pool = found.nodes[-1]
    assert pool.rq.rule == "mean"
    assert found.values[pool.output].q == found.values["x"].q
    assert found.constants[pool.rq.multiplier].tolist() == [1, 2, 3, 4, 5, 6]


def test_a_pool_keeps_the_scale_the_model_states() -> None:
    draft = Draft(1, 6, 6, 4)
    pooled = draft.average("x", Window((2, 2)))
    graph, stated = draft.graph(pooled), QuantParams((0.25,), 3)
    values = {**graph.values, pooled: replace(graph.values[pooled], quant=stated)}
    graph = replace(graph, values=values)
    found = quantize(graph, noise(graph), QuantOptions(requant="q31")).graph
    assert found.values[pooled].q == stated
    assert found.nodes[-1].rq.rule == "i32"


def test_pools_that_count_zeros_keep_a_scale_of_their_own() -> None:
    draft = Draft(1, 6, 6, 4)
    pooled = draft.average("x", Window((3, 3), pads=Pads(1, 1, 1, 1)), counted=True)
    graph = draft.graph(pooled)
    found = quantize(graph, noise(graph), QuantOptions(requant="q31")).graph
    assert found.nodes[-1].rq.rule == "i32"


def test_softmax_quantization_and_table() -> None:
    graph = every_operator()
    for scheme in SCHEMES:
        found = quantize(graph, noise(graph), QuantOptions(scheme)).graph
        node = found.nodes[-1]
        assert found.values[node.output].q == QuantParams((1 / 256,), -128)
        assert found.constants[node.inputs[1]].dtype == np.int32
        assert found.constants[node.inputs[1]].shape == (256,)


def test_clamps_become_integer_bounds() -> None:
    draft = Draft(1, 4, 4, 2)
    relu = draft.conv("x", 3, Window((1, 1)), clamp=RELU)
    six = draft.conv(relu, 3, Window((1, 1)), clamp=Clamp(0.0, 0.5))
    none = draft.conv(six, 3, Window((1, 1)), clamp=Clamp())
    graph = draft.graph(none)
    found = quantize(graph, noise(graph), QuantOptions()).graph
    bounds = [(node.rq.low, node.rq.high) for node in found.nodes]
    assert bounds == [(-128, 127)] * 3  # the range is the clamp's own: zero point -128
    wide = quantize(graph, noise(graph), QuantOptions("power-of-two")).graph
    top = round(0.5 / wide.values[six].q.tensor_scale) - 128
    bounds = [(node.rq.low, node.rq.high) for node in wide.nodes]
    assert bounds == [(-128, 127), (-128, min(127, top)), (-128, 127)]


@EACH
@STEADY
@given(seed=st.integers(0, 2**16))
def test_no_input_can_leave_int32(options: QuantOptions, seed: int) -> None:
    """Extreme integers, far outside the calibration, raise no OverflowError in any layer."""
    graph = every_operator(seed)
    found = quantize(graph, noise(graph, count=4), replace(options, report_samples=1)).graph
    rng = np.random.default_rng(seed)
    shape = graph.values["x"].shape[1:]
    extremes = rng.choice(np.array([-128, 127], dtype=np.int8), (6, *shape))
    extremes[0], extremes[1] = -128, 127
    for node, result in interpret.trace(found, {"x": extremes}):
        if node.requant is not None:
            assert result.min() >= node.rq.low
            assert result.max() <= node.rq.high


def interval_of(graph: Graph, name: str) -> tuple[int, int]:
    """The integers a value can hold, from its producer's clamp."""
    node = graph.producer.get(name)
    if node is None:
        return -128, 127
    if node.requant is not None:
        return node.rq.low, node.rq.high
    return interval_of(graph, node.inputs[0])


@pytest.mark.parametrize("options", [CHOICES[1], CHOICES[3]], ids=lambda o: o.scheme)
def test_bounds_follow_what_the_input_can_hold(options: QuantOptions) -> None:
    """Each i32 multiplier is the largest for its channel's exact range, and no larger."""
    draft = Draft(1, 4, 4, 3)
    six = draft.conv("x", 4, Window((1, 1)), clamp=Clamp(0.0, 0.4))
    pool = draft.largest(six, Window((2, 2), (2, 2)))
    flat = draft.reshape(draft.transpose(pool, 0, 3, 1, 2), 1, 16)
    graph = draft.graph(draft.rescale(draft.dense(flat, 5)), draft.rescale(flat, clamp=Clamp()))
    found = quantize(graph, noise(graph), options).graph
    checked = 0
    for node in found.nodes:
        if node.requant is None or node.rq.rule != "i32":
            continue
        low, high = interval_of(found, node.inputs[0])
        zero = found.values[node.inputs[0]].q.zero_point
        rows, bias = np.ones((1, 1), dtype=int), np.zeros(1, dtype=int)
        if len(node.inputs) == 3:
            weights = found.constants[node.inputs[1]]
            rows, bias = (
                weights.reshape(len(weights), -1).astype(int),
                found.constants[node.inputs[2]],
            )
            low, high = min(low, zero), max(high, zero)
        ends = [np.where(rows > 0, a, b) * rows for a, b in ((low, high), (high, low))]
        reached = np.abs([end.sum(axis=1) + bias for end in ends]).max(axis=0)
        names = (node.rq.multiplier, node.rq.rounding, node.rq.shift)
        tables = (found.constants[name].tolist() for name in names)
        for top, m, r, s in zip(reached.tolist(), *tables, strict=True):
            assert top * m + abs(r) < 2**31
            assert s == 30 or top * (2 * m + 2) + 2 * abs(r) + 2 * abs(zero) >= 2**31
            checked += 1
    assert checked >= 2


@EACH
def test_same_input_same_result(options: QuantOptions, tmp_path: Path) -> None:
    texts = []
    for run in range(2):
        graph = every_operator()
        result = quantize(graph, noise(graph), options)
        serde.save(result.graph, tmp_path / f"{run}.json")
        arrays = (tmp_path / f"{run}.npz").read_bytes()
        texts.append((arrays, (tmp_path / f"{run}.json").read_text(), result.report))
    assert texts[0] == texts[1]
    loaded = serde.load(tmp_path / "0.json")
    assert loaded.values == result.graph.values
    assert loaded.nodes == result.graph.nodes


def test_bias_correction_takes_out_the_mean_error() -> None:
    """Averaging over the image hides rounding noise and leaves the shift of each channel."""
    draft = Draft(1, 16, 16, 8, seed=4)
    conv = draft.conv("x", 16, Window((3, 3)), clamp=Clamp())
    graph = draft.graph(draft.average(conv, Window((14, 14))))
    samples = noise(graph, count=20)
    arrays = {"x": np.abs(samples.arrays["x"])}
    samples = replace(samples, arrays=arrays)
    shifts = []
    for corrected in ("off", "on"):
        options = QuantOptions("power-of-two", bias_correction=corrected)
        found = quantize(graph, samples, options).graph
        steps = {"x": interpret.quantize(arrays["x"], found.values["x"].q)}
        real = {n.name: y for n, y in interpret.trace(graph, arrays)}
        for node, q in interpret.trace(found, steps):
            if node.op == "Conv2d":
                error = interpret.dequantize(q, found.values[node.output].q) - real[node.name]
                shifts.append(np.abs(error.mean(axis=(0, 1, 2))).mean())
    assert shifts[1] < shifts[0] / 3


def test_two_inputs_have_their_own_quantization() -> None:
    draft = Draft(1, 6, name="a")
    draft.second_input(1, 6, name="b")
    graph = draft.graph(draft.add("a", "b", clamp=Clamp()))
    arrays = {"a": np.full((3, 6), 5.1, np.float32), "b": np.full((3, 6), -0.255, np.float32)}
    result = quantize(graph, Samples(arrays, "test", None), QuantOptions())
    assert result.graph.values["a"].q.tensor_scale == pytest.approx(0.02)
    assert result.graph.values["b"].q.tensor_scale == pytest.approx(0.001)
    steps = {n: interpret.quantize(x, result.graph.values[n].q) for n, x in arrays.items()}
    (name,) = graph.outputs
    out = interpret.dequantize(
        interpret.run(result.graph, steps)[name], result.graph.values[name].q
    )
    np.testing.assert_allclose(out, 4.845, atol=0.02)


def test_adding_a_value_to_itself() -> None:
    draft = Draft(1, 6)
    graph = draft.graph(draft.add("x", "x", clamp=Clamp()))
    result = quantize(graph, noise(graph), QuantOptions())
    assert signal_to_noise(graph, result, noise(graph))[graph.outputs[0]] > 35


def test_a_layer_that_is_always_zero() -> None:
    draft = Draft(1, 4, 4, 2)
    dead = draft.conv("x", 3, Window((1, 1)), bias=np.full(3, -1e3))
    graph = draft.graph(draft.conv(dead, 2, Window((1, 1)), clamp=Clamp()))
    for options in CHOICES:
        result = quantize(graph, noise(graph), options)
        steps = interpret.quantize(noise(graph).arrays["x"], result.graph.values["x"].q)
        (name,) = graph.outputs
        out = interpret.run(result.graph, {"x": steps})[name]
        real = interpret.dequantize(out, result.graph.values[name].q)
        bias = graph.constants[graph.nodes[1].inputs[2]]
        np.testing.assert_allclose(real, np.broadcast_to(bias, real.shape), atol=0.02)


def test_constants_never_take_the_name_of_an_activation() -> None:
    draft = Draft(1, 4, name="fullyconnected_0.weight")
    graph = draft.graph(draft.dense("fullyconnected_0.weight", 2))
    found = quantize(graph, noise(graph), QuantOptions()).graph
    assert found.nodes[0].inputs[:2] == ("fullyconnected_0.weight", "fullyconnected_0.weight_")


def test_report_is_plain_json() -> None:
    graph = every_operator()
    result = quantize(graph, noise(graph), QuantOptions())
    assert json.loads(json.dumps(asdict(result.report)))["scheme"] == "multiply-shift"


def test_synthetic_samples_leave_a_note() -> None:
    graph = every_operator()
    result = quantize(graph, synthetic_samples(graph), QuantOptions())
    assert SYNTHETIC_NOTE in result.report.notes
    assert SYNTHETIC_NOTE in result.graph.notes


def test_progress_reaches_the_end_of_each_pass() -> None:
    graph = every_operator()
    seen: dict[str, tuple[int, int]] = {}

    def progress(label: str, done: int, total: int) -> None:
        seen[label] = (done, total)

    quantize(graph, noise(graph), QuantOptions("power-of-two"), progress=progress)
    assert seen == dict.fromkeys(["calibrate", "calibrate scales", "compare"], (24, 24))
