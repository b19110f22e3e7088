"""Means that a model rounds at their inputs' scale: halves go to even numbers of steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from graphs import Draft, noise

from deployer.ir.attrs import Pads, Window
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.numerics.interpret import run
from deployer.numerics.steps import dequantize, quantize
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.quantize import quantize as quantize_graph

SHAPE = (1, 8, 8, 12)


def _pooled(window: Window, quant: QuantParams, output: QuantParams | None) -> Graph:
    """The integer graph of an AveragePool whose input and output the model states."""
    draft = Draft(*SHAPE)
    name = draft.average("x", window)
    graph = draft.graph(name)
    values = dict(graph.values)
    values["x"] = replace(values["x"], quant=quant)
    values[name] = replace(values[name], quant=output)
    graph = replace(graph, values=values)
    return quantize_graph(graph, noise(graph), QuantOptions()).graph


def _means(x: np.ndarray, side: int, quant: QuantParams) -> np.ndarray:
    real = dequantize(x, quant).reshape(SHAPE[1] // side, side, SHAPE[2] // side, side, SHAPE[3])
    return quantize(real.mean(axis=(1, 3)), quant)


@pytest.mark.parametrize("side", [2, 4, 8])
@pytest.mark.parametrize("zero", [-128, -3, 0, 6])
def test_halves_are_rounded_as_floats_are(side: int, zero: int) -> None:
    quant = QuantParams((0.25,), zero)
    found = _pooled(Window((side, side), (side, side)), quant, quant)
    x = np.random.default_rng(side).integers(-128, 128, SHAPE).astype(np.int8)
    x[..., 1] = np.where(np.arange(64).reshape(8, 8) % 2, 5, 4)  # every mean is a half
    x[..., 2] = np.where(np.arange(64).reshape(8, 8) % 2, -6, -7)
    given = run(found, {"x": x})[found.outputs[0]]
    np.testing.assert_array_equal(given[0], _means(x, side, quant))
    assert found.nodes[0].rq.rule == "mean_even"


@pytest.mark.parametrize(
    ("window", "output", "rule"),
    [
        (Window((3, 3)), QuantParams((0.25,), 1), "i32"),  # an odd number has no halves
        (Window((3, 3), pads=Pads(1, 1, 1, 1)), QuantParams((0.25,), 1), "mean_even"),
        (Window((2, 2)), QuantParams((0.5,), 1), "i32"),
        (Window((2, 2)), None, "i32"),
    ],
)
def test_only_means_that_can_be_halves_are_divided(
    window: Window, output: QuantParams | None, rule: str
) -> None:
    assert _pooled(window, QuantParams((0.25,), 1), output).nodes[0].rq.rule == rule
