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

from deployer.errors import ModelError, UsageError
from deployer.ir import serde
from deployer.ir.attrs import Clamp, Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.types import DType, Layout, QuantParams
from deployer.ir.verify import verify
from deployer.numerics import interpret
from deployer.quantize.calibrate import calibrate
from deployer.quantize.hoist import compose, hoist_clamps
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
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


def test_power_of_two_scales_without_zero_points() -> None:
    graph = every_operator()
    found = quantize(graph, noise(graph), QuantOptions("power-of-two")).graph
    for value in found.values.values():
        if value.quant is not None:
            assert value.quant.zero_point == 0
            assert all(np.frexp(scale)[0] == 0.5 for scale in value.quant.scale)
    rules = {node.op: node.rq.rule for node in found.nodes if node.requant}
    assert rules == {
        **dict.fromkeys(["Conv2d", "DepthwiseConv2d", "FullyConnected", "MaxPool"], "shift"),
        **dict.fromkeys(["Add", "AveragePool", "Rescale"], "i32"),
    }


@pytest.mark.parametrize("rule", ["i32", "q16"])
def test_a_forced_rule_is_in_every_linear_layer(rule: str) -> None:
    graph = every_operator()
    result = quantize(graph, noise(graph), QuantOptions(requant=rule))
    linear = {"Conv2d", "DepthwiseConv2d", "FullyConnected"}
    assert {layer.rule for layer in result.report.layers if layer.op in linear} == {rule}


def test_softmax_quantization_and_table() -> None:
    graph = every_operator()
    for scheme, quant in (
        ("multiply-shift", QuantParams((1 / 256,), -128)),
        ("power-of-two", QuantParams((1 / 128,), 0)),
    ):
        found = quantize(graph, noise(graph), QuantOptions(scheme)).graph
        node = found.nodes[-1]
        assert found.values[node.output].q == quant
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
    scale = wide.values[six].q.tensor_scale
    bounds = [(node.rq.low, node.rq.high) for node in wide.nodes]
    assert bounds == [(0, 127), (0, min(127, round(0.5 / scale))), (-128, 127)]


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
    for corrected in (False, True):
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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (QuantOptions("binary"), "unknown scheme 'binary'"),
        (QuantOptions(requant="q31"), "unknown requantization 'q31'"),
        (QuantOptions("power-of-two", "q16"), "always shifts"),
    ],
)
def test_options_that_do_not_exist(options: QuantOptions, said: str) -> None:
    graph = every_operator()
    with pytest.raises(UsageError, match=said) as failure:
        quantize(graph, noise(graph), options)
    assert failure.value.hints


def test_no_samples() -> None:
    graph = every_operator()
    with pytest.raises(UsageError, match="no samples"):
        quantize(graph, noise(graph, count=0), QuantOptions())


def test_nan_weights_name_their_layer() -> None:
    draft = Draft(1, 4)
    weights = np.ones((2, 4))
    weights[1, 2] = np.nan
    graph = draft.graph(draft.dense("x", 2, weights=weights))
    with pytest.raises(ModelError, match="fullyconnected_0"):
        quantize(graph, noise(graph), QuantOptions())


def test_a_pool_with_empty_windows_is_refused() -> None:
    draft = Draft(1, 4, 4, 1)
    graph = draft.graph(draft.average("x", Window((1, 1), pads=Pads(0, 0, 1, 0))))
    with (
        np.errstate(all="ignore"),
        pytest.raises(ModelError, match="averagepool_0"),
    ):
        quantize(graph, noise(graph), QuantOptions())


def test_clamps_move_before_a_max_pool() -> None:
    """Convolution, pool, ReLU: the convolution's range is then the positive half."""
    draft = Draft(1, 6, 6, 2)
    conv = draft.conv("x", 4, Window((3, 3)), clamp=Clamp(None, 3.0))
    pool = draft.largest(conv, Window((2, 2), (2, 2)), clamp=RELU)
    graph = draft.graph(pool)
    moved = hoist_clamps(graph)
    assert [node.attrs.clamp for node in moved.nodes] == [Clamp(0.0, 3.0), Clamp()]
    arrays = noise(graph).arrays
    assert np.array_equal(interpret.run(graph, arrays)[pool], interpret.run(moved, arrays)[pool])
    assert calibrate(moved, arrays)[conv].low == 0
    result = quantize(graph, noise(graph), QuantOptions())
    assert result.graph.values[conv].q.zero_point == -128


def test_clamps_stay_where_others_read_the_value() -> None:
    draft = Draft(1, 6, 6, 2)
    conv = draft.conv("x", 4, Window((3, 3)), clamp=Clamp())
    pool = draft.largest(conv, Window((2, 2), (2, 2)), clamp=RELU)
    first = draft.largest("x", Window((2, 2)), clamp=RELU)
    for graph in (draft.graph(pool, conv), draft.graph(first, pool, draft.rescale(conv))):
        kept = {node.name: node.attrs.clamp for node in hoist_clamps(graph).nodes}
        assert kept == {node.name: node.attrs.clamp for node in graph.nodes}


@STEADY
@given(data=st.data())
def test_composed_clamps_equal_two_in_a_row(data: st.DataObject) -> None:
    bounds = st.none() | st.floats(-3, 3)

    def draw() -> Clamp:
        low, high = data.draw(bounds), data.draw(bounds)
        ordered = low is None or high is None or low <= high
        return Clamp(low, high) if ordered else Clamp(high, low)

    first, second = draw(), draw()
    joint = compose(first, second)
    for x in np.linspace(-4, 4, 33):
        step = np.clip(x, first.low, first.high) if first.active else x
        twice = np.clip(step, second.low, second.high) if second.active else step
        assert (np.clip(x, joint.low, joint.high) if joint.active else x) == twice
