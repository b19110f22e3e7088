"""Networks that state the integers of some layers' weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from graphs import Draft, noise

from deployer.ir.attrs import Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.linear import solve_linear
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.ranges import WIDE_LIMIT
from deployer.quantize.scheme import Linear, Tensor


def _partly(stated: int) -> Graph:
    """Two convolutions, the first ``stated`` of them with weights on a grid of their own."""
    draft = Draft(1, 6, 6, 3)
    x = draft.conv(draft.conv("x", 4, Window((3, 3))), 4, Window((3, 3)))
    graph = draft.graph(x)
    values, constants = dict(graph.values), dict(graph.constants)
    for node in graph.nodes[:stated]:
        name = node.inputs[1]
        constants[name] = (np.rint(constants[name] / 0.01) * 0.01).astype(np.float32)
        values[name] = replace(values[name], quant=QuantParams((0.01,) * 4, 0, 0))
    return replace(graph, values=values, constants=constants)


@pytest.mark.parametrize(
    ("stated", "asked", "corrected"),
    [(1, "on", True), (1, "off", False), (1, "auto", True), (2, "on", False), (2, "auto", False)],
)
def test_the_biases_of_layers_that_are_rounded_are_corrected(
    stated: int, asked: str, corrected: bool
) -> None:
    graph = _partly(stated)
    found = quantize(graph, noise(graph), QuantOptions(bias_correction=asked)).report.decisions
    assert found.bias_correction is corrected
    assert found.equalize is False


@pytest.mark.parametrize(("beyond", "widened"), [(0, False), (1, True)])
def test_sums_of_int16_reach_up_to_their_limit(beyond: int, widened: bool) -> None:
    """Whole weights and a bias whose sum is the largest accumulator there may be, and one more."""
    x, y = Tensor(QuantParams((1.0,), bits=16), (-32768, 32767)), QuantParams((2.0**13,), bits=16)
    bound = 127 * 32767 * 100
    bias = np.array([float(WIDE_LIMIT - bound + beyond)])
    layer = Linear(np.full((1, 100), 127.0), bias, np.zeros(1), x, y)
    found = solve_linear(layer, multiply_shift())
    assert bool(found.notes) is widened
    assert found.scales.tolist() == [2.0 if widened else 1.0]
