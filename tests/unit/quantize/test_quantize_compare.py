"""What a report says of each activation, by its definition over all samples at once."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.numerics.interpret import dequantize, quantize, trace
from deployer.quantize.compare import compare
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.quantize import quantize as quantize_graph
from unit.quantize.graphs import Draft, every_operator, noise


def all_values(graph: Graph, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return inputs | {node.output: result for node, result in trace(graph, inputs)}


def outside(real: np.ndarray, quant: QuantParams) -> float:
    """The share that lies more than half a step beyond the integers."""
    steps = real.astype(np.float64) / quant.tensor_scale + quant.zero_point
    return float(((steps < quant.low - 0.5) | (steps > quant.high + 0.5)).mean())


@pytest.mark.parametrize("bits", [8, 16])
def test_every_activation_is_compared_over_all_samples(bits: int) -> None:
    """Calibrated on tamer samples, so that some values saturate."""
    real = every_operator()
    integer = quantize_graph(real, noise(real), QuantOptions(bits=bits)).graph
    if bits == 16:  # nodes that change the width are no part of the comparison
        real = _with_rescales(real)
    arrays = dict(noise(real, count=70, seed=4, spread=1.7 if bits == 8 else 5.0).arrays)
    steps = {name: quantize(x, integer.values[name].q) for name, x in arrays.items()}
    floats, integers = all_values(real, arrays), all_values(integer, steps)
    inputs, layers, outputs = compare(real, integer, arrays)
    assert [each.name for each in inputs] == list(real.inputs)
    assert [each.name for each in layers] == [node.output for node in real.nodes]
    for each in (*inputs, *layers):
        quant = integer.values[each.name].q
        error = dequantize(integers[each.name], quant).astype(np.float64) - floats[each.name]
        signal = float(np.square(floats[each.name], dtype=np.float64).sum())
        noise_power = float(np.square(error).sum())
        wanted = 10 * math.log10(signal / noise_power) if signal and noise_power else None
        assert each.sqnr_db == (None if wanted is None else pytest.approx(wanted, rel=1e-4))
        assert each.max_abs_error == pytest.approx(np.abs(error).max(), rel=1e-5)
        assert each.saturated == outside(floats[each.name], quant)
        told = (each.bits, each.scale, each.zero_point)
        assert told == (quant.bits, quant.tensor_scale, quant.zero_point)
    for output in outputs:
        largest = [held[output.name].reshape(70, -1).argmax(axis=1) for held in (floats, integers)]
        assert output.top1_agreement == (largest[0] == largest[1]).mean()
    assert [output.name for output in outputs] == list(real.outputs)


def _with_rescales(real: Graph) -> Graph:
    from deployer.quantize.hoist import hoist_clamps
    from deployer.quantize.widths import typed, wide_names

    return typed(hoist_clamps(real), wide_names(real, 16)).graph


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_without_signal_or_without_noise_there_is_no_ratio(value: float) -> None:
    draft = Draft(1, 2, 2, 1)
    graph = draft.graph(draft.rescale("x"))
    x = np.full((3, 2, 2, 1), value, np.float32)
    integer = quantize_graph(graph, noise(graph), QuantOptions()).graph
    quant = QuantParams((0.25,), 0)
    values = {n: replace(v, quant=quant) if n == "x" else v for n, v in integer.values.items()}
    ((found,), _, _) = compare(graph, replace(integer, values=values), {"x": x})
    assert (found.sqnr_db, found.max_abs_error, found.saturated) == (None, 0.0, 0.0)
