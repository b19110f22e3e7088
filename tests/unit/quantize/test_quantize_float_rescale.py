"""Rescales give what float32 arithmetic gives, wherever one multiplier can."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from graphs import Draft, noise

from deployer.ir.attrs import Clamp
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.numerics.interpret import run
from deployer.numerics.requant import requantize
from deployer.numerics.steps import dequantize, quantize
from deployer.quantize.elementwise import rescale_multipliers
from deployer.quantize.float_rescale import rescaling_as_floats
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.quantize import quantize as quantize_graph
from deployer.quantize.scheme import Tensor

ALL = np.arange(-128, 128)
FINE = QuantParams((0.01295611634850502,), -128)  # PyTorch's, 62 of the next over 255
COARSE = QuantParams((0.05328725278377533,), -128)


def differing(x: Tensor, output: QuantParams, *, close: bool) -> list[int] | None:
    """Integers of ``x`` whose outputs are not those of floats; None where no multiplier has all."""
    found = rescale_multipliers(x, output)
    found = rescaling_as_floats(found, x, output) if close else found
    if found is None:
        return None
    taken = ALL[(x.interval[0] <= ALL) & (x.interval[1] >= ALL)]
    tables = (found.multiplier, found.rounding, found.shift)
    given = requantize(taken[:, None], found.rule, *tables, low=-128, high=127)[:, 0]
    wanted = quantize(dequantize(taken, x.quant), output)
    return [int(n) for n in taken[given != wanted]]


def test_a_tie_that_the_nearest_multiplier_misses() -> None:
    x = Tensor(COARSE, (-128, 127))
    assert differing(x, FINE, close=False) == [-97]
    assert differing(x, FINE, close=True) == []
    exact = rescaling_as_floats(rescale_multipliers(x, FINE), x, FINE)
    assert exact is not None
    assert exact.error == 0


@pytest.mark.parametrize("zero", [-128, 0, 57])
def test_most_pairs_of_scales_have_such_multipliers(zero: int) -> None:
    rng, x = np.random.default_rng(zero + 128), Tensor(QuantParams((0.05,), 11), (-100, 127))
    scales = [float(np.float32(0.05 * rng.uniform(0.2, 3))) for _ in range(40)]
    outputs = [QuantParams((scale,), zero) for scale in scales]
    assert [differing(x, output, close=True) for output in outputs] == [[]] * len(outputs)


HALF, WHOLE = QuantParams((0.5,), 3), QuantParams((1.0,), -5)


@pytest.mark.parametrize("clamp", [Clamp(), Clamp(-3.0, 40.0)])
def test_ties_that_contradict_each_other_become_a_table(clamp: Clamp) -> None:
    """Halves: those of odd numbers are ties, and every second one goes up."""
    assert differing(Tensor(HALF, (-128, 127)), WHOLE, close=True) is None
    found = _rescaled(clamp)
    (node,) = found.nodes
    real = dequantize(ALL, HALF)
    low = -np.inf if clamp.low is None else clamp.low
    high = np.inf if clamp.high is None else clamp.high
    wanted = quantize(np.clip(real, low, high), WHOLE)
    x = ALL.astype(np.int8).reshape(1, 1, 1, -1)
    np.testing.assert_array_equal(run(found, {"x": x})[node.output].ravel(), wanted)
    assert node.op == "Table"
    assert found.values[node.output].q == WHOLE


def _rescaled(clamp: Clamp) -> Graph:
    """The integer graph of a Rescale from HALF to WHOLE, as a model states them."""
    draft = Draft(1, 1, 1, 256)
    name = draft.rescale("x", clamp=clamp)
    graph = draft.graph(name)
    values = dict(graph.values)
    values["x"] = replace(values["x"], quant=HALF)
    values[name] = replace(values[name], quant=WHOLE)
    graph = replace(graph, values=values)
    return quantize_graph(graph, noise(graph), QuantOptions()).graph


@pytest.mark.parametrize(("zero_in", "zero_out"), [(-128, -128), (100, 4), (-7, 127), (3, -90)])
def test_the_rounding_moves_with_the_multiplier_about_the_zero_point(
    zero_in: int, zero_out: int
) -> None:
    """As far as every integer keeps the output that floats give it; the next multiplier that
    allows any is taken, the larger of two last."""
    rng = np.random.default_rng(zero_in + 200)
    for _ in range(20):
        x = Tensor(
            QuantParams((float(np.float32(0.05 * rng.uniform(0.2, 3))),), zero_in), (-100, 127)
        )
        output = QuantParams((0.05,), zero_out)
        start = rescale_multipliers(x, output)
        given = rescaling_as_floats(start, x, output)
        first, rounding, shift = (
            int(t[0]) for t in (start.multiplier, start.rounding, start.shift)
        )
        steps = sorted(range(-64, 65), key=abs)
        allowed = ((step, _allowed(x, output, first + step, shift)) for step in steps)
        step, (low, high) = next((step, ends) for step, ends in allowed if ends[0] <= ends[1])
        wanted = min(max(rounding - step * zero_in, low), high)
        assert given is not None
        assert (given.multiplier.tolist(), given.rounding.tolist()) == ([first + step], [wanted])


def _allowed(x: Tensor, output: QuantParams, multiplier: int, shift: int) -> tuple[int, int]:
    """The least and the largest rounding with which no integer is lost."""
    low, high = -(2**31) + 1, 2**31 - 1
    for n in range(x.interval[0], x.interval[1] + 1):
        wanted = int(quantize(dequantize(np.array(n), x.quant), output))
        if wanted > -128:
            low = max(low, (wanted << shift) - n * multiplier)
        if wanted < 127:
            high = min(high, ((wanted + 1) << shift) - 1 - n * multiplier)
    return low, high
