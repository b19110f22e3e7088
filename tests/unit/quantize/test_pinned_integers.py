"""Everything quantization decides of networks of odd operators, in every way it can be asked to.

Decimals are compared but for a thousandth, integers exactly; of tables and weights the sums of what
is above and below 0, and their spread along the last axis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deployer.ir.graph import Graph, Node
from deployer.ir.types import QuantParams
from deployer.quantize.goal import parse_goal
from deployer.quantize.quantize import QuantOptions, QuantResult, quantize
from deployer.quantize.stated import owners
from planned import pinned
from unit.quantize.edge_graphs import EDGE_GRAPHS
from unit.quantize.graphs import every_operator, noise

FOLDER = Path(__file__).parent / "pinned"
GRAPHS: dict[str, Callable[[], Graph]] = {"every_operator": every_operator, **EDGE_GRAPHS}
MINMAX = {"calibrate": "minmax"}
PLAIN = {"equalize": "off", "bias_correction": "off", **MINMAX}
SHIFTS = {**PLAIN, "scheme": "power-of-two", "calibrate": "mse"}
WAYS: dict[str, dict[str, object]] = {
    "as ever": {},
    "plain": PLAIN,
    "percentile": {**PLAIN, "calibrate": "percentile", "percentile": 95.0},
    "entropy": {**PLAIN, "calibrate": "entropy"},
    "evened": {**MINMAX, "equalize": "on", "bias_correction": "off"},
    "corrected": {**MINMAX, "equalize": "off", "bias_correction": "on"},
    "i32": {**PLAIN, "requant": "i32"},
    "q16": {**PLAIN, "requant": "q16"},
    "q31": {**PLAIN, "requant": "q31"},
    "q31 preferred": {**PLAIN, "preferred": "q31"},
    "shifts": SHIFTS,
    "shifts, percentile": {**SHIFTS, "calibrate": "percentile"},
    "16 bits": {**PLAIN, "bits": 16},
    "16 bits, corrected": {"equalize": "on", "bias_correction": "on", "bits": 16},
    "16 bits, shifts": {**SHIFTS, "bits": 16},
    "some 16": {**PLAIN, "bits_of": (("*conv*", 16), ("*_9", 8))},
    "some 8": {**PLAIN, "bits": 16, "bits_of": (("conv2d*", 8),)},
}
GOALS = {
    "sqnr": {**PLAIN, "mixed": parse_goal("sqnr=38")},
    "ram": {**PLAIN, "mixed": parse_goal("ram=1500")},
}

# What remains of a multiplier beyond its 31 bits, and what a few samples measure: other where
# another BLAS sums floats.
MEASURED = re.compile(r"(?<=lose at most )\S+ output steps \(\S+\)|(sqnr_db|top1)=[\d.]+")


@pytest.mark.parametrize("name", GRAPHS)
def test_the_integers_of_every_way_are_those_pinned(name: str) -> None:
    graph = GRAPHS[name]()
    made = {way: _quantized(graph, given) for way, given in WAYS.items()}
    pinned(FOLDER / f"{name}-integers.txt", "\n".join(_texts(made)))


@pytest.mark.parametrize("name", GRAPHS)
def test_the_integers_of_networks_that_state_scales_are_those_pinned(name: str) -> None:
    graph = GRAPHS[name]()
    made = {
        "all stated": _quantized(stating(graph, every=1), {}),
        "half stated": _quantized(stating(graph, every=2), {}),
        "half stated, q32": _quantized(stating(graph, every=2), {"requant": "q32"}),
        "all stated, q31": _quantized(stating(graph, every=1), {"requant": "q31"}),
    }
    pinned(FOLDER / f"{name}-stated.txt", "\n".join(_texts(made)))


@pytest.mark.parametrize("name", ["every_operator", "gated"])
def test_the_widths_that_a_search_finds_are_those_pinned(name: str) -> None:
    graph = GRAPHS[name]()
    made = {goal: _quantized(graph, given) for goal, given in GOALS.items()}
    pinned(FOLDER / f"{name}-searched.txt", "\n".join(_texts(made)))


def _quantized(graph: Graph, given: dict[str, object]) -> QuantResult:
    return quantize(graph, noise(graph), QuantOptions(**given))  # type: ignore[arg-type]


def stating(graph: Graph, *, every: int) -> Graph:
    """``graph`` with every so many activations and weights at scales of its own quantization,
    coarser ones for activations, as of a file that was quantized elsewhere."""
    found = _quantized(graph, dict(PLAIN)).graph
    names = sorted(owners(graph))[::every]
    quants = {name: _coarser(found.values[name].q) for name in names}
    for node, step in list(zip(graph.nodes, found.nodes, strict=True))[::every]:
        if len(node.inputs) > 2:
            quants[node.inputs[1]] = found.values[step.inputs[1]].q
    values = {name: replace(v, quant=quants.get(name)) for name, v in graph.values.items()}
    return replace(graph, values=values)


def _coarser(quant: QuantParams) -> QuantParams:
    return replace(quant, scale=(float(np.float16(quant.tensor_scale * 1.25)),))


def _texts(made: dict[str, QuantResult]) -> Iterator[str]:
    for way, found in made.items():
        yield f"{way}:"
        yield from (f"  {line}" for line in _lines(found))


def _lines(found: QuantResult) -> Iterator[str]:
    report, graph = found.report, found.graph
    head = f"{report.scheme} {report.requant} {report.samples} {report.decisions}"
    yield from (MEASURED.sub("~", line) for line in (head, *report.notes))
    yield from (_activation(graph, name) for name in graph.inputs)
    for layer, node in zip(report.layers, graph.nodes, strict=True):
        yield f"{layer.node} {layer.op} {node.inputs} {_activation(graph, node.output)}"
        yield from (f"  {line}" for line in _constants(graph, node))


def _activation(graph: Graph, name: str) -> str:
    quant = graph.values[name].q
    return f"{name} {quant.bits} bits, scale {quant.tensor_scale:.6e}, zero {quant.zero_point}"


def _constants(graph: Graph, node: Node) -> Iterator[str]:
    requant = node.requant
    tables: tuple[str, ...] = ()
    if requant:
        tables = (requant.multiplier, requant.rounding, requant.shift)
        factors, roundings, shifts = (graph.constants[n].astype(np.float64) for n in tables)
        yield f"{requant.rule} {requant.low} to {requant.high}, shifts {_span(shifts)}"
        yield f"times {_sums(factors * 2.0**-shifts)}, rounding {_sums(roundings * 2.0**-shifts)}"
    for name in node.inputs:
        array = graph.constants.get(name)
        if array is not None:
            quant = graph.values[name].quant
            scales = "" if quant is None else f" at {_sums(np.array(quant.scale))}"
            yield f"{name} {array.dtype} {array.shape} {_sums(array.astype(np.float64))}{scales}"


def _span(numbers: np.ndarray) -> str:
    return f"{int(numbers.min())} to {int(numbers.max())}"


def _sums(array: np.ndarray) -> str:
    """Of what is above 0 and below, and of all magnitudes times their places."""
    flat = array.reshape(-1)
    places = np.arange(1, len(flat) + 1)
    each = np.maximum(flat, 0).sum(), np.maximum(-flat, 0).sum(), np.abs(flat) @ places
    return " ".join(f"{float(number):.5e}" for number in each)
