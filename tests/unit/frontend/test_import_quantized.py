"""Quantized models: integers stay as they are, and rounding stays where it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_equal import imported

from deployer.errors import UsageError
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.samples import SYNTHETIC_NOTE, load_samples, synthetic_samples
from qdq import (
    INT8,
    UINT8,
    QdqBuilder,
    brevitas_net,
    expected,
    integer_steps,
    real_steps,
    samples_for,
    small_conv_net,
    with_types,
)

F32 = np.float32


def quantized(graph: Graph, **options: str) -> QuantResult:
    return quantize(graph, synthetic_samples(graph), QuantOptions(**options))


def agree(model: onnx.ModelProto, folder: Path, **options: str) -> tuple[Graph, Graph]:
    """The float and the integer graph, after both gave what ONNX Runtime gives: the first within
    half a step but where float32 sums fall on either side of a tie, the second within one step for
    99 % of the elements."""
    graph = imported(model, folder)
    integer = quantized(graph, **options).graph
    feeds = samples_for(graph)
    real, found = real_steps(graph, feeds), integer_steps(integer, feeds)
    for name, array in expected(model, feeds).items():
        step = integer.values[name].q.tensor_scale
        off = np.abs(real[name].reshape(array.shape) - array) / step
        assert (off < 0.5).mean() > 0.97
        assert off.max() < 1.01
        steps = np.abs(found[name].reshape(array.shape) - array) / step
        assert (steps < 1.01).mean() >= 0.99, steps.max()
    return graph, integer


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("opset", [13, 17, 19, 21, 23])
def test_scales_and_integers_are_those_of_the_file(opset: int, kind: type, tmp_path: Path) -> None:
    model = small_conv_net(opset, kind)
    if opset == 23:
        model.ir_version = 10
    graph, integer = agree(model, tmp_path)
    assert [n.op for n in graph.nodes if n.op == "Rescale"] == []
    assert integer.values["input"].quant == QuantParams((float(F32(0.0311)),), 5)
    assert integer.values["output"].quant == QuantParams((float(F32(0.0711)),), 3)
    stored = [a for a in map(onnx.numpy_helper.to_array, model.graph.initializer) if a.ndim > 1]
    layers = [n for n in integer.nodes if n.op in ("Conv2d", "DepthwiseConv2d", "FullyConnected")]
    turns = (lambda w: w.transpose(0, 2, 3, 1), lambda w: w[:, 0].transpose(1, 2, 0), np.asarray)
    for node, steps, turn in zip(layers, stored, turns, strict=True):
        np.testing.assert_array_equal(integer.constants[node.inputs[1]], turn(steps))


def test_biases_are_those_of_the_file(tmp_path: Path) -> None:
    model = small_conv_net()
    integer = quantized(imported(model, tmp_path)).graph
    arrays = [onnx.numpy_helper.to_array(item) for item in model.graph.initializer]
    biases = [array for array in arrays if array.dtype == np.int32 and array.any()]
    layers = [node for node in integer.nodes if "Pool" not in node.op and node.op != "Reshape"]
    for node, bias in zip(layers, biases, strict=True):
        weights = integer.constants[node.inputs[1]].astype(np.int64)
        axes = (0, 1) if node.op == "DepthwiseConv2d" else tuple(range(1, weights.ndim))
        zero = integer.values[node.inputs[0]].q.zero_point
        folded = bias - zero * weights.sum(axis=axes)
        np.testing.assert_array_equal(integer.constants[node.inputs[2]], folded)


def test_opset_10_is_converted(tmp_path: Path) -> None:
    """The oldest pairs, per tensor; PyTorch still writes them."""
    s = QdqBuilder(2, 10)
    x = s.pair(s.input(1, 3, 6, 6), 0.0311, 5)
    x = s.node("Conv", x, s.stored(s.steps(4, 3, 3, 3), 0.004))
    model = s.model(s.pair(x, 0.0517, -128))
    graph = imported(model, tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d"]
    assert graph.values["output"].quant == QuantParams((float(F32(0.0517)),), -128)


def test_weights_not_folded_yet(tmp_path: Path) -> None:
    """PyTorch's fake quantization: float weights, QuantizeLinear, DequantizeLinear."""
    s = QdqBuilder(3)
    x = s.pair(s.input(1, 3, 6, 6), 0.0311, 5)
    weights = s.rng.normal(0, 0.2, (4, 3, 3, 3)).astype(F32)
    scales = F32(np.abs(weights).max(axis=(1, 2, 3)) / 127)
    numbers = s.numbers(scales, np.zeros(4), np.int8)
    held = s.node("QuantizeLinear", s.constant(weights), *numbers, axis=0)
    held = s.node("DequantizeLinear", held, *numbers, axis=0)
    x = s.node("Conv", x, held, s.weight(4))
    _, integer = agree(s.model(s.pair(x, 0.0193, -128)), tmp_path)
    steps = np.rint(weights / scales.reshape(-1, 1, 1, 1)).transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(integer.constants[integer.nodes[0].inputs[1]], steps)


def test_clips_among_integers_are_bounds_of_layers(tmp_path: Path) -> None:
    _, integer = agree(brevitas_net(lambda n: 0.9 * 2.0**-n), tmp_path)
    first = next(node for node in integer.nodes if node.op == "Conv2d")
    assert (first.rq.low, first.rq.high) == (-100, 100)
    entry = integer.nodes[0]
    assert (entry.op, entry.rq.low, entry.rq.high) == ("Rescale", -127, 127)
    assert integer.values["input"].quant == integer.values[entry.output].quant


def test_powers_of_two_shift(tmp_path: Path) -> None:
    _, integer = agree(brevitas_net(lambda n: 2.0**-n), tmp_path, scheme="power-of-two")
    assert {n.requant.rule for n in integer.nodes if n.requant and n.op == "Conv2d"} == {"shift"}


def test_other_scales_are_no_powers_of_two(tmp_path: Path) -> None:
    graph = imported(brevitas_net(lambda n: 0.9 * 2.0**-n), tmp_path)
    with pytest.raises(UsageError, match="states scales that are not powers of two"):
        quantized(graph, scheme="power-of-two")


def test_weights_behind_a_transpose(tmp_path: Path) -> None:
    """tf2onnx: weights as TensorFlow has them, NHWC at the input, Relu and MatMul with Add."""
    s = QdqBuilder(5)
    x = s.dq(s.input(1, 6, 6, 3), 0.0193, -7)
    x = s.node("Transpose", x, perm=[0, 3, 1, 2])
    scales = F32(s.rng.uniform(0.002, 0.006, 4))
    held = s.node("Transpose", s.stored(s.steps(4, 3, 3, 3), scales), perm=[0, 3, 1, 2])
    x = s.node(
        "Conv", x, held, s.biased(4, scales * F32(0.0193)), pads=[0, 0, 1, 1], strides=[2, 2]
    )
    x = s.pair(s.relu(x), 0.0389, -128)
    x = s.pair(s.node("GlobalAveragePool", x), 0.0389, -128)
    x = s.pair(s.node("Reshape", x, s.constant(np.int64([1, 4]))), 0.0389, -128)
    held = s.node("Transpose", s.stored(s.steps(3, 4), 0.004), perm=[1, 0])
    x = s.node("Add", s.node("MatMul", x, held), s.biased(3, 0.0389 * 0.004))
    model = with_types(s.model(s.q(x, 0.0311, 11), checked=False), input=INT8, output=INT8)
    graph = imported(model, tmp_path)
    assert [n.op for n in graph.nodes] == ["Conv2d", "AveragePool", "Reshape", "FullyConnected"]
    integer = quantized(graph).graph
    rng = np.random.default_rng(0)
    steps = rng.integers(-128, 128, (8, 6, 6, 3)).astype(np.int8)
    wanted = expected(model, {"input": steps.reshape(8, 1, 6, 6, 3)[:, 0]})["output"]
    real = (steps.astype(F32) + 7) * F32(0.0193)
    found = integer_steps(integer, {"input": real})["output"] / F32(0.0311) + 11
    assert (np.abs(np.rint(found) - wanted) <= 1).mean() >= 0.99


def test_uint8_ends_move_by_128_and_say_so(tmp_path: Path) -> None:
    s = QdqBuilder(6, kind=np.uint8)
    x = s.qconv(s.dq(s.input(1, 3, 5, 5), 0.0193, 120), (4, 3, 1, 1), 0.0193)
    model = with_types(s.model(s.q(x, 0.0311, 128), checked=False), input=UINT8, output=UINT8)
    graph = imported(model, tmp_path)
    assert graph.values["input"].quant == QuantParams((float(F32(0.0193)),), -8)
    assert graph.values["output"].quant == QuantParams((float(F32(0.0311)),), 0)
    assert "input input: uint8 in the model, int8 on the device: 128 less" in graph.notes


@pytest.mark.parametrize(("kind", "element"), [(np.int8, INT8), (np.uint8, UINT8)])
def test_samples_of_the_inputs_own_type(kind: type, element: int, tmp_path: Path) -> None:
    """Integers as the model takes them, or the real numbers they stand for."""
    s = QdqBuilder(6, kind=kind)
    zero = 120 if kind is np.uint8 else -8
    x = s.qconv(s.dq(s.input(1, 3, 5, 5), 0.0193, zero), (4, 3, 1, 1), 0.0193)
    model = with_types(s.model(s.pair(x, 0.0311, zero), checked=False), input=element)
    graph = imported(model, tmp_path)
    limits = np.iinfo(kind)
    steps = s.rng.integers(limits.min, limits.max + 1, (4, 3, 5, 5)).astype(kind)
    real = (steps.astype(F32) - zero) * F32(0.0193)
    found = []
    for array in (steps, real):
        np.savez(tmp_path / "samples.npz", input=array)
        found.append(load_samples(graph, tmp_path / "samples.npz").arrays["input"])
    np.testing.assert_array_equal(*found)


def test_asymmetric_weights_are_quantized_again_and_said_so(tmp_path: Path) -> None:
    s = QdqBuilder(7)
    x = s.pair(s.input(1, 3, 5, 5), 0.0311)
    steps = s.rng.integers(0, 256, (4, 3, 1, 1)).astype(np.uint8)
    numbers = s.numbers(0.004, 90, np.uint8)
    x = s.node("Conv", x, s.node("DequantizeLinear", s.constant(steps), *numbers))
    graph = imported(s.model(s.pair(x, 0.0193)), tmp_path)
    notes = [note for note in graph.notes if "are quantized again, symmetric" in note]
    assert len(notes) == 1
    moved = float(notes[0].rpartition("up to ")[2].split()[0])
    integer = quantized(graph).graph
    node = integer.nodes[0]
    value = integer.values[node.inputs[1]]
    kept = integer.constants[node.inputs[1]] * np.float64(value.q.scale).reshape(-1, 1, 1, 1)
    given = (steps.astype(np.float64) - 90).transpose(0, 2, 3, 1) * F32(0.004)
    assert np.abs(kept - given).max() / F32(0.004) <= moved + 0.005


def test_uint8_weights_about_128_are_int8(tmp_path: Path) -> None:
    s = QdqBuilder(8)
    x = s.pair(s.input(1, 3, 5, 5), 0.0311)
    steps = s.rng.integers(0, 256, (4, 3, 1, 1)).astype(np.uint8)
    numbers = s.numbers(0.004, 128, np.uint8)
    x = s.node("Conv", x, s.node("DequantizeLinear", s.constant(steps), *numbers))
    _, integer = agree(s.model(s.pair(x, 0.0193)), tmp_path)
    found = integer.constants[integer.nodes[0].inputs[1]]
    np.testing.assert_array_equal(found, (steps.astype(int) - 128).transpose(0, 2, 3, 1))


def test_a_pool_whose_output_has_another_scale_gets_a_rescale(tmp_path: Path) -> None:
    s = QdqBuilder(9)
    x = s.pair(s.input(1, 4, 6, 6), 0.0311, 5)
    x = s.pair(s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 0.0193, -9)
    graph, _ = agree(s.model(s.pair(s.qconv(x, (3, 4, 1, 1), 0.0193), 0.0517)), tmp_path)
    assert [node.op for node in graph.nodes] == ["MaxPool", "Rescale", "Conv2d"]


def test_a_pool_before_the_only_rounding_point_keeps_it_behind(tmp_path: Path) -> None:
    """Rounding keeps the order of numbers, so the layer before the pool may round."""
    s = QdqBuilder(10)
    x = s.relu(s.qconv(s.pair(s.input(1, 3, 6, 6), 0.0311), (4, 3, 3, 3), 0.0311))
    x = s.pair(s.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), 0.0193, -128)
    graph, _ = agree(s.model(x), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "MaxPool"]


def test_readers_of_one_value_at_different_scales(tmp_path: Path) -> None:
    """The value has the widest of its readers' scales; the others rescale it."""
    s = QdqBuilder(11)
    x = s.qconv(s.pair(s.input(1, 3, 6, 6), 0.0311), (4, 3, 1, 1), 0.0311)
    left = s.qconv(s.pair(x, 0.0193, 4), (4, 4, 1, 1), 0.0193)
    right = s.qconv(s.pair(x, 0.0389, -3), (4, 4, 1, 1), 0.0389)
    graph = imported(s.model(s.pair(s.node("Add", left, right), 0.1)), tmp_path)
    assert sorted(node.op for node in graph.nodes) == ["Add", *["Conv2d"] * 3, "Rescale"]
    first = next(node for node in graph.nodes if node.inputs[0] == "input")
    assert graph.values[first.output].quant == QuantParams((float(F32(0.0389)),), -3)
    stated = {value.quant for name, value in graph.values.items() if name not in graph.constants}
    assert QuantParams((float(F32(0.0193)),), 4) in stated


def test_concat_keeps_the_scales_of_its_inputs(tmp_path: Path) -> None:
    s = QdqBuilder(12)
    x = s.pair(s.input(1, 3, 6, 6), 0.0311)
    left = s.pair(s.qconv(x, (4, 3, 1, 1), 0.0311), 0.0193, 4)
    right = s.pair(s.qconv(x, (2, 3, 1, 1), 0.0311), 0.0517, -7)
    x = s.node("Concat", left, right, axis=1)
    _, integer = agree(s.model(s.pair(x, 0.0389, 1)), tmp_path)
    join = next(node for node in integer.nodes if node.op == "Concat")
    scales = [integer.values[name].q.tensor_scale for name in (*join.inputs[:2], join.output)]
    assert scales == [float(F32(n)) for n in (0.0193, 0.0517, 0.0389)]


def test_a_clamp_between_two_grids_stays_between_them(tmp_path: Path) -> None:
    s = QdqBuilder(13)
    x = s.pair(s.qconv(s.pair(s.input(1, 3, 6, 6), 0.0311), (4, 3, 1, 1), 0.0311), 0.0517, 3)
    graph, _ = agree(s.model(s.pair(s.relu(x), 0.0193, -128)), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "Rescale"]


def test_batch_norm_scales_stated_weights_and_keeps_their_integers(tmp_path: Path) -> None:
    s = QdqBuilder(14)
    x = s.qconv(s.pair(s.input(1, 3, 6, 6), 0.0311), (4, 3, 1, 1), 0.0311)
    model = s.model(s.pair(s.batch_norm(x, 4), 0.0517, 3))
    graph, integer = agree(model, tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d"]
    steps = next(a for a in map(onnx.numpy_helper.to_array, model.graph.initializer) if a.ndim == 4)
    found = integer.constants[integer.nodes[0].inputs[1]]
    np.testing.assert_array_equal(found, steps.transpose(0, 2, 3, 1))


def test_a_softmax_of_one_256th_needs_no_rescale(tmp_path: Path) -> None:
    s = QdqBuilder(15)
    x = s.pair(s.input(1, 6), 0.0517)
    model = s.model(s.pair(s.node("Softmax", x), 1 / 256, -128))
    graph, _ = agree(model, tmp_path)
    assert [node.op for node in graph.nodes] == ["Softmax"]
    assert imported(model, tmp_path, softmax="host").meta["softmax_on_host"] == "false"


@pytest.mark.parametrize(
    ("scale", "operators"),
    [
        (1 / 128, ["Softmax"]),
        (2.0**-15, ["Softmax"]),  # the most levels there are
        (2.0**-16, ["Softmax", "Rescale"]),
        (1 / 200.5, ["Softmax", "Rescale"]),
    ],
)
def test_a_softmax_has_a_whole_number_of_levels(
    scale: float, operators: list[str], tmp_path: Path
) -> None:
    s = QdqBuilder(8)
    x = s.pair(s.input(1, 5), 0.05)
    model = s.model(s.pair(s.node("Softmax", x), scale, -128))
    graph = imported(model, tmp_path, softmax="device")
    assert [node.op for node in graph.nodes] == operators


def test_a_final_softmax_goes_to_the_host_with_its_rounding(tmp_path: Path) -> None:
    s = QdqBuilder(16)
    x = s.pair(
        s.node("MatMul", s.pair(s.input(1, 6), 0.0517), s.stored(s.steps(6, 4), 0.01)), 0.1, 5
    )
    graph = imported(s.model(s.pair(s.node("Softmax", x), 0.004, -128)), tmp_path, softmax="host")
    assert [node.op for node in graph.nodes] == ["FullyConnected"]
    assert graph.values["output"].quant == QuantParams((float(F32(0.1)),), 5)


def test_a_swish_that_is_rounded_inside_is_not_joined(tmp_path: Path) -> None:
    s = QdqBuilder(17)
    x = s.pair(s.input(1, 4, 5, 5), 0.0389)
    bent = s.pair(s.node("Sigmoid", x), 0.0193, -100)
    graph, _ = agree(s.model(s.pair(s.node("Mul", x, bent), 0.0311)), tmp_path)
    assert [node.op for node in graph.nodes] == ["Table", "Mul"]


def test_a_float_island_is_calibrated_and_the_rest_kept(tmp_path: Path) -> None:
    s = QdqBuilder(18)
    x = s.qconv(s.pair(s.input(1, 3, 6, 6), 0.0311), (4, 3, 1, 1), 0.0311)
    x = s.node("HardSigmoid", x)  # nothing rounds before or behind it
    result = quantized(imported(s.model(s.node("Mul", x, x)), tmp_path))
    assert result.report.stated is not None
    assert result.report.stated.stated_activations == 1
    assert result.report.stated.stated_weights == result.report.stated.weights == 1
    assert SYNTHETIC_NOTE in result.report.notes


def test_a_wholly_stated_model_needs_no_samples(tmp_path: Path) -> None:
    report = quantized(imported(small_conv_net(), tmp_path)).report
    assert SYNTHETIC_NOTE not in report.notes
    assert not report.decisions.equalize
    assert not report.decisions.bias_correction
    assert report.stated is not None
    assert report.stated.stated_activations == report.stated.activations == 5
    assert report.stated.worst == max(layer.deviation for layer in report.layers)
    assert any("is kept for 5 of 5 activations" in note for note in report.notes)


def test_channels_of_nothing_but_bias_may_have_any_scale(tmp_path: Path) -> None:
    """TensorFlow Lite scales the bias of a pruned channel to 2^30."""
    s = QdqBuilder(19)
    steps = s.steps(3, 2, 1, 1)
    steps[1] = 0
    scales = F32([0.004, 1e-9, 0.004])
    bias = np.int32([100, 2**30, -100])
    x = s.pair(s.input(1, 2, 4, 4), 0.0311)
    x = s.node("Conv", x, s.stored(steps, scales), s.stored(bias, scales * F32(0.0311)))
    model = s.model(s.pair(x, 0.0193, -20))
    _, integer = agree(model, tmp_path)
    found = integer.constants[integer.nodes[0].inputs[1]]
    np.testing.assert_array_equal(found, steps.transpose(0, 2, 3, 1))
    result = quantized(imported(model, tmp_path))
    assert max(layer.deviation for layer in result.report.layers) < 0.1


def test_unused_domains_are_ignored(tmp_path: Path) -> None:
    model = small_conv_net()
    for domain in ("com.microsoft", "ai.onnx.ml", "com.microsoft.nchwc", "org.pytorch.aten"):
        model.opset_import.append(helper.make_opsetid(domain, 1))
    assert imported(model, tmp_path).nodes
