"""Options, samples and models that cannot be quantized, each refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import Draft, every_operator, noise

from deployer.errors import ModelError, UsageError
from deployer.ir.attrs import Pads, Window
from deployer.quantize.quantize import QuantOptions, quantize


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (QuantOptions("binary"), "unknown scheme 'binary'"),
        (QuantOptions(requant="q33"), "unknown requantization 'q33'"),
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


def test_layers_without_finite_outputs_are_all_named() -> None:
    """NaN weights and a pool with a row of padding only, of which ONNX files hold both."""
    draft = Draft(1, 4, 4, 1)
    weights = np.ones((2, 1, 1, 1))
    weights[1] = np.nan
    broken = draft.conv("x", 2, Window((1, 1)), weights=weights)
    empty = Window((1, 1), pads=Pads(0, 0, 1, 0))
    graph = draft.graph(draft.average(draft.largest(broken, empty), empty, counted=True))
    with pytest.raises(ModelError, match="3 layer") as failure:
        quantize(graph, noise(graph), QuantOptions())
    assert failure.value.why == (
        "Conv2d conv2d_0: 1 of 2 weights are NaN or infinite",
        "MaxPool maxpool_1: some windows lie wholly in the padding",
        "AveragePool averagepool_2: some windows lie wholly in the padding",
    )


def test_a_layer_that_overflows_float_is_named() -> None:
    draft = Draft(1, 4)
    graph = draft.graph(draft.dense("x", 2, weights=np.full((2, 4), 3e38)))
    with pytest.raises(ModelError, match="FullyConnected fullyconnected_0 gives NaN or inf"):
        quantize(graph, noise(graph, spread=100), QuantOptions())
