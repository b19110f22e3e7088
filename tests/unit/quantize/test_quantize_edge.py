"""Operators of edge networks: close to float, inside int32, sharing scales where that is free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import Clamp, ConvTransposeAttrs, PadAttrs, Pads, PointAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.numerics import interpret
from deployer.numerics.convolve_transposed import transposed_sums
from deployer.quantize.expectation import expected_inputs
from deployer.quantize.quantize import QuantOptions, quantize
from unit.quantize.edge_graphs import EDGE_GRAPHS, SAME
from unit.quantize.graphs import Draft, noise

STEADY = settings(deadline=None, derandomize=True, max_examples=12)
SCHEMES = pytest.mark.parametrize("scheme", ["multiply-shift", "power-of-two"])


def fixed(scheme: str) -> QuantOptions:
    return QuantOptions(scheme, equalize="off", bias_correction="on")


def scale(graph: Graph, name: str) -> QuantParams:
    return graph.values[name].q


@SCHEMES
@pytest.mark.parametrize("name", EDGE_GRAPHS)
def test_outputs_stay_close_to_float(name: str, scheme: str) -> None:
    graph = EDGE_GRAPHS[name]()
    report = quantize(graph, noise(graph, count=48), fixed(scheme)).report
    floor = 25 if scheme == "power-of-two" else 30
    assert min(output.sqnr_db or 999 for output in report.outputs) > floor
    assert report.notes == ()


@SCHEMES
@pytest.mark.parametrize("name", EDGE_GRAPHS)
@STEADY
@given(seed=st.integers(0, 2**16))
def test_no_input_can_leave_int32(name: str, scheme: str, seed: int) -> None:
    """Extreme integers raise no OverflowError in any layer and stay within the stated bounds."""
    graph = EDGE_GRAPHS[name]()
    options = replace(fixed(scheme), report_samples=1)
    found = quantize(graph, noise(graph, count=4, seed=seed), options).graph
    rng = np.random.default_rng(seed)
    inputs = {
        n: rng.choice(np.array([-128, 127], np.int8), (4, *graph.values[n].shape[1:]))
        for n in graph.inputs
    }
    for node, result in interpret.trace(found, inputs):
        if node.requant is not None:
            assert node.rq.low <= result.min() <= result.max() <= node.rq.high


@SCHEMES
def test_an_input_of_only_a_concat_takes_its_scale(scheme: str) -> None:
    """Also through operators that only move; what others read too keeps its own."""
    draft = Draft(1, 4, 4, 2)
    shared = draft.conv("x", 3, SAME)
    large = np.full((3, 3, 3, 3), 2.0)
    alone = draft.conv(shared, 3, SAME, clamp=Clamp(), weights=large)
    moved = draft.largest(draft.rescale(shared), SAME)
    joined = draft.concat(shared, alone, moved, axis=3)
    graph = draft.graph(draft.conv(joined, 2, SAME))
    found = quantize(graph, noise(graph), fixed(scheme)).graph
    assert scale(found, alone) == scale(found, moved) == scale(found, joined)
    assert scale(found, shared) != scale(found, joined)
    node = found.producer[joined]
    tables = [found.constants[n] for n in (node.rq.multiplier, node.rq.rounding, node.rq.shift)]
    assert [table[1:].tolist() for table in tables] == [[1, 1], [0, 0], [0, 0]]
    assert (tables[0][0], tables[1][0], tables[2][0]) != (1, 0, 0)


def test_concats_of_concats_and_of_one_source_agree() -> None:
    draft = Draft(1, 4, 4, 2)
    inner = draft.concat(draft.conv("x", 3, SAME), draft.conv("x", 2, SAME), axis=3)
    outer = draft.concat(inner, draft.conv("x", 2, SAME, clamp=Clamp()), axis=3)
    twice = draft.concat("x", draft.largest("x", SAME), axis=3)
    graph = draft.graph(outer, twice)
    found = quantize(graph, noise(graph), fixed("multiply-shift")).graph
    assert scale(found, inner) == scale(found, outer)
    assert scale(found, twice) == scale(found, "x")


def test_an_output_of_the_network_keeps_its_own_scale() -> None:
    draft = Draft(1, 4, 4, 2)
    small = draft.conv("x", 3, SAME)
    joined = draft.concat(small, draft.conv("x", 3, SAME, clamp=Clamp()), axis=3)
    found = quantize(*(lambda g: (g, noise(g)))(draft.graph(small, joined)), QuantOptions()).graph
    assert scale(found, small) != scale(found, joined)


@SCHEMES
def test_bounded_functions_have_known_scales(scheme: str) -> None:
    draft = Draft(1, 6)
    names = [draft.table("x", f, 0.2, 0.5) for f in ("sigmoid", "hard_sigmoid", "tanh")]
    graph = draft.graph(*names)
    found = quantize(graph, noise(graph), fixed(scheme)).graph
    unit = QuantParams((2**-8,), -128)
    assert [scale(found, n) for n in names] == [unit, unit, QuantParams((2**-7,), 0)]


@SCHEMES
def test_a_pad_value_is_in_the_range_of_what_it_pads(scheme: str) -> None:
    draft = Draft(1, 4, 4, 2)
    conv = draft.conv("x", 2, SAME)
    padded = draft.node("Pad", conv, attrs=PadAttrs((0, 1, 0, 0), (0, 0, 1, 0), -20.0))
    graph = draft.graph(padded)
    found = quantize(graph, noise(graph), fixed(scheme)).graph
    quant, x = scale(found, padded), noise(graph).arrays["x"]
    steps = interpret.quantize(x, scale(found, "x"))
    corner = interpret.dequantize(interpret.run(found, {"x": steps})[padded], quant)[:, 0, 0]
    np.testing.assert_allclose(corner, -20, atol=quant.tensor_scale)


def test_prelu_slopes_of_both_signs() -> None:
    draft = Draft(1, 3, 3, 4)
    slopes = np.array([0.0, 0.25, -0.5, 1.5])
    graph = draft.graph(draft.prelu("x", slopes))
    found = quantize(graph, noise(graph), QuantOptions()).graph
    multipliers = found.constants[found.nodes[0].rq.multiplier]
    assert multipliers.shape == (5,)
    assert np.sign(multipliers).tolist() == [1, 0, 1, -1, 1]
    x = noise(graph).arrays["x"]
    steps = interpret.quantize(x, scale(found, "x"))
    name = graph.outputs[0]
    real = interpret.dequantize(interpret.run(found, {"x": steps})[name], scale(found, name))
    expected = np.where(x < 0, x * slopes, x)
    np.testing.assert_allclose(real, expected, atol=2 * scale(found, name).tensor_scale)


def test_a_subtraction_takes_the_second_from_the_first() -> None:
    draft = Draft(1, 6, name="a")
    draft.second_input(1, 6, name="b")
    out = draft.node("Sub", "a", "b", attrs=PointAttrs())
    graph = draft.graph(out)
    samples = noise(graph)
    found = quantize(graph, samples, QuantOptions()).graph
    steps = {n: interpret.quantize(x, scale(found, n)) for n, x in samples.arrays.items()}
    real = interpret.dequantize(interpret.run(found, steps)[out], scale(found, out))
    expected = samples.arrays["a"] - samples.arrays["b"]
    np.testing.assert_allclose(real, expected, atol=2 * scale(found, out).tensor_scale)


@STEADY
@given(
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    groups=st.sampled_from([1, 2]),
    crop=st.integers(0, 1),
)
def test_expected_inputs_of_a_transposed_convolution(
    stride: tuple[int, int], dilation: tuple[int, int], groups: int, crop: int
) -> None:
    """For inputs constant per channel, the means times the weights are the mean output."""
    window = Window((3, 2), stride, dilation, Pads(crop, crop, 0, 0))
    draft = Draft(1, 4, 5, 4)
    size = tuple((n - 1) * s + 2 for n, s in zip((4, 5), stride, strict=True))
    out = draft.deconv("x", 6, window, (size[0], size[1]), groups=groups)
    graph = draft.graph(out)
    node, mean = graph.nodes[0], np.array([1.0, -2.0, 0.5, 3.0])
    weights = graph.constants[node.inputs[1]].astype(np.float64)
    attrs: ConvTransposeAttrs = node.attrs
    sums = transposed_sums(np.broadcast_to(mean, (1, 4, 5, 4)).copy(), weights, attrs)
    found = (expected_inputs(graph, node, mean) * weights.reshape(6, -1)).sum(axis=1)
    np.testing.assert_allclose(found, sums.mean(axis=(0, 1, 2)), atol=1e-9)


def test_transposed_bias_is_plain_and_multipliers_use_the_phases() -> None:
    """With stride equal to the kernel, each output sums one tap: its range is that of one."""
    draft = Draft(1, 4, 4, 1)
    out = draft.deconv("x", 1, Window((2, 2), (2, 2)), (8, 8))
    graph = draft.graph(out)
    options = QuantOptions(requant="i32", bias_correction="off")
    found = quantize(graph, noise(graph), options).graph
    node = found.nodes[0]
    weights, bias = (found.constants[n].astype(np.int64) for n in node.inputs[1:3])
    products = found.values[node.inputs[2]].q.scale[0]
    real = float(graph.constants[graph.nodes[0].inputs[2]][0])
    assert bias[0] == np.rint(real / products)
    zero = scale(found, "x").zero_point
    largest = np.abs(weights).max() * max(127 - zero, 128 + zero) + abs(bias[0])
    multiplier, rounding = (
        int(found.constants[n][0]) for n in (node.rq.multiplier, node.rq.rounding)
    )
    assert 2**29 < largest * multiplier + abs(rounding) < 2**31


@pytest.mark.parametrize(("widens", "same"), [(1.0, True), (100.0, False)])
def test_a_chain_of_concats_has_one_scale_where_its_range_hardly_grows(
    widens: float, same: bool
) -> None:
    """Numbers that pass through the chain are rounded once; a far wider member costs no other."""
    draft = Draft(1, 4, 4, 2)
    first = draft.conv("x", 8, SAME, clamp=Clamp())
    before = draft.concat(first, draft.conv(first, 3, SAME, clamp=Clamp()), axis=3)
    weights = np.random.default_rng(1).normal(0, 0.05 * widens, (3, 3, 3, 11))
    last = draft.conv(before, 3, SAME, clamp=Clamp(), weights=weights)
    after = draft.concat(before, last, axis=3)
    graph = draft.graph(draft.conv(after, 2, SAME))
    found = quantize(graph, noise(graph), fixed("multiply-shift")).graph
    assert (scale(found, before) == scale(found, after)) is same
