"""Weights rounded for the error of the outputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.quantize.linear_layers import weight_rows
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.rounding import (
    MAX_TAPS,
    Moments,
    Rounder,
    compensated,
    factor_of,
    has_moments,
    input_moments,
    input_rows,
    least_error,
    nearest,
)
from unit.quantize.graphs import Draft, noise


def correlated(seed: int, groups: int, taps: int) -> Moments:
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(groups, taps, taps)) + 2
    found = Moments()
    for _ in range(3):
        found.add(rng.normal(size=(groups, 400, taps)) @ mixing)
    return found


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**16), groups=st.integers(1, 3), taps=st.integers(2, 12))
def test_outputs_err_less_than_with_the_nearest_weights(seed: int, groups: int, taps: int) -> None:
    """In every row, clearly over 32 rows a group; integers stay in range."""
    moments = correlated(seed, groups, taps).damped(centred=False)
    steps = np.random.default_rng(seed + 1).uniform(-127, 127, (32 * groups, taps))
    found = least_error(steps, moments)
    assert np.array_equal(found, np.rint(found))
    assert np.abs(found).max() <= 127

    def error(rounded: np.ndarray) -> np.ndarray:
        wrong = (rounded - steps).reshape(groups, 32, taps)
        return np.einsum("grt,gts,grs->gr", wrong, moments, wrong)

    assert (error(found) <= error(nearest(steps)) * 1.0001).all()
    if taps > 2:
        assert error(found).sum() < error(nearest(steps)).sum()


def test_inputs_without_correlation_leave_the_nearest() -> None:
    steps = np.random.default_rng(0).uniform(-130, 130, (5, 7))
    factor = factor_of(np.eye(7)[None] * 3)
    assert np.array_equal(compensated(steps, factor), nearest(steps))


def test_moments_about_the_mean_lack_what_the_bias_takes_out() -> None:
    found = Moments()
    found.add(np.full((1, 5000, 2), 3.0))
    assert np.allclose(found.damped(centred=False)[0], 9 + 0.09 * np.eye(2))
    assert np.allclose(found.damped(centred=True)[0], 0.01 * np.eye(2))


def layers() -> Graph:
    draft = Draft(1, 7, 6, 4, seed=3)
    x = draft.conv("x", 6, Window((3, 2), (2, 1), pads=Pads(1, 0, 1, 1)), groups=2)
    x = draft.depthwise(x, Window((2, 3), pads=Pads(0, 1, 1, 1)), multiplier=2)
    size = int(np.prod(draft.values[x].shape))
    return draft.graph(draft.dense(draft.reshape(x, 1, size), 5))


def test_rows_of_inputs_lie_beside_rows_of_weights() -> None:
    """Products of the two give the layer's own outputs, grouped, depthwise and dense."""
    from deployer.numerics import interpret

    graph, samples = layers(), noise(layers(), count=2).arrays
    held = dict(samples)
    held |= {node.output: result for node, result in interpret.trace(graph, samples)}
    for node in graph.nodes:
        if not has_moments(graph, node):
            continue
        weights, bias = (graph.constants[name] for name in node.inputs[1:])
        rows = weight_rows(weights, graph.values[node.inputs[1]].layout)
        inputs = input_rows(node, held[node.inputs[0]])
        apart = rows.reshape(len(inputs), -1, rows.shape[1])
        found = np.concatenate(list(inputs @ apart.swapaxes(1, 2)), axis=1) + bias
        expected = held[node.output].reshape(-1, len(bias))
        bounded = np.maximum(found, 0) if node.op != "FullyConnected" else found
        assert np.allclose(bounded, expected, atol=1e-4)


def test_very_long_rows_are_left_out() -> None:
    draft = Draft(1, MAX_TAPS + 1)
    graph = draft.graph(draft.dense("x", 2))
    assert input_moments(graph, noise(graph).arrays) == {}
    assert Rounder({}, True).of("fullyconnected_0") is nearest


@pytest.mark.parametrize("scheme", ["multiply-shift", "power-of-two"])
def test_int16_gains_and_int8_keeps_its_weights(scheme: str) -> None:
    """Inputs that correlate: a smooth image."""
    draft = Draft(1, 12, 12, 2, seed=8)
    x = draft.conv("x", 8, Window((3, 3)))
    graph = draft.graph(draft.conv(x, 8, Window((3, 3))))
    rng = np.random.default_rng(2)
    smooth = rng.normal(size=(40, 12, 12, 2)).cumsum(axis=1).cumsum(axis=2)
    samples = type(noise(graph))({"x": (smooth / 12).astype(np.float32)}, "test", None)
    wide = quantize(graph, samples, QuantOptions(scheme, bits=16, equalize="off"))
    narrow = quantize(graph, samples, QuantOptions(scheme, equalize="off"))
    key = "conv2d_1.weight"
    scales = np.array(narrow.graph.values[key].q.scale)
    real = graph.constants["w1"] / scales.reshape(-1, 1, 1, 1)
    assert np.array_equal(narrow.graph.constants[key], nearest(real))
    if scheme == "multiply-shift":
        steps = graph.constants["w1"] / np.array(wide.graph.values[key].q.scale).reshape(
            -1, 1, 1, 1
        )
        assert (wide.graph.constants[key] != nearest(steps)).any()
    assert (wide.report.outputs[0].sqnr_db or 0) > (narrow.report.outputs[0].sqnr_db or 0) + 8
