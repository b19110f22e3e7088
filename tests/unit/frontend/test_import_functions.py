"""Functions of one element: as ONNX Runtime has them, in the spellings of exporters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal, imported
from random_models import STEADY, equal, kinds

from deployer.errors import ModelError
from deployer.ir.attrs import TableAttrs
from deployer.quantize import QuantOptions, quantize
from deployer.quantize.samples import Samples
from exporters import Style
from models import ModelBuilder

SHAPES = [(1, 6), (1, 3, 5), (1, 3, 4, 5), (1, 2, 3, 2, 2)]


def positive(s: ModelBuilder, x: str) -> str:
    """Numbers above 0.1."""
    return s.node("Add", s.node("Abs", x), s.constant(np.float32(0.1)))


@pytest.mark.parametrize(
    ("kind", "attrs", "table"),
    [
        ("Ceil", {}, TableAttrs("ceil")),
        ("Celu", {}, TableAttrs("celu", 1.0)),
        ("Celu", {"alpha": 0.5}, TableAttrs("celu", 0.5)),
        ("Exp", {}, TableAttrs("exp")),
        ("Floor", {}, TableAttrs("floor")),
        ("Round", {}, TableAttrs("round")),
        ("Selu", {"alpha": 1.5, "gamma": 0.75}, TableAttrs("selu", 1.5, 0.75)),
        ("Selu", {}, TableAttrs("selu", 1.6732631921768188, 1.0507010221481323)),
        ("Sign", {}, TableAttrs("sign")),
        ("Softsign", {}, TableAttrs("softsign")),
        ("ThresholdedRelu", {}, TableAttrs("thresholded_relu", 1.0)),
        ("ThresholdedRelu", {"alpha": -0.25}, TableAttrs("thresholded_relu", -0.25)),
    ],
)
@pytest.mark.parametrize("shape", SHAPES)
def test_functions_that_have_a_number_everywhere(
    kind: str, attrs: dict[str, Any], table: TableAttrs, shape: tuple[int, ...], tmp_path: Path
) -> None:
    s = ModelBuilder(1, opset=20)
    x = s.node("Mul", s.input(*shape), s.constant(np.float32(2)))
    graph = check_equal(s.model(s.node(kind, x, **attrs)), tmp_path)
    assert [node.attrs for node in graph.nodes if node.op == "Table"] == [table]


@pytest.mark.parametrize("kind", ["Log", "Reciprocal", "Sqrt"])
@pytest.mark.parametrize("shape", SHAPES)
def test_functions_of_positive_numbers(kind: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(2, opset=20)
    graph = check_equal(s.model(s.node(kind, positive(s, s.input(*shape)))), tmp_path)
    functions = [node.attrs.function for node in graph.nodes if node.op == "Table"]
    assert functions == ["abs", kind.lower()]


@pytest.mark.parametrize("exponent", [2, 3, 0, -2, 0.5, -0.5, 1.5, -1, 1])
@pytest.mark.parametrize("style", ["initializer", "node", "integer", "vector"])
def test_powers_by_a_constant(exponent: float, style: str, tmp_path: Path) -> None:
    """TorchScript writes a Constant node, the newer exporter an initializer, both also int64."""
    s = Style(3, opset=18)
    number = np.asarray([exponent] if style == "vector" else exponent, np.float32)
    if style == "integer":
        number = number.astype(np.int64)
    power = s.literal(number) if style == "node" else s.constant(number)
    graph = check_equal(s.model(s.node("Pow", positive(s, s.input(1, 3, 4, 5)), power)), tmp_path)
    written = float(number.item())
    known = {0.5: "sqrt", -1.0: "reciprocal", 1.0: "abs"}.get(written, "power")
    assert [node.attrs.function for node in graph.nodes if node.op == "Table"][-1] == known


def test_squares_of_negative_numbers(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    x = s.node("Pow", s.input(1, 3, 4, 5), s.constant(np.float32(3)))
    assert kinds(check_equal(s.model(x), tmp_path)) == ["Table"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_negation_joins_the_layer_before(shape: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(5)
    alone = check_equal(s.model(s.node("Neg", s.input(*shape))), tmp_path)
    assert "DepthwiseConv2d" in kinds(alone)
    s = ModelBuilder(6)
    x = s.conv(s.input(1, 3, 4, 5), (4, 3, 1, 1))
    assert kinds(check_equal(s.model(s.relu(s.node("Neg", x))), tmp_path)) == ["Conv2d"]


@STEADY
@given(
    kinds_of=st.lists(st.sampled_from(["Ceil", "Floor", "Neg", "Softsign", "Sign"]), min_size=1),
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=4),
)
def test_any_chain_of_functions(kinds_of: list[str], shape: list[int]) -> None:
    s = ModelBuilder(7)
    x = s.input(1, *shape)
    for kind in kinds_of:
        x = s.node(kind, x)
    equal(s.model(x))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda s, x: s.node("Pow", x, x), "an exponent that is one constant number, .* found"),
        (lambda s, x: s.node("Pow", x, s.weight(3, 1, 1)), r"an exponent of shape \[3, 1, 1\]"),
        (lambda s, x: s.node("Pow", x, s.constant(np.float32(1e4))), "an exponent of 10000"),
        (lambda s, x: s.node("Celu", x, alpha=-1.0), r"an alpha above 0; found alpha=-1.0"),
    ],
)
def test_refusals(build: Any, message: str, tmp_path: Path) -> None:
    s = ModelBuilder(8)
    with pytest.raises(ModelError, match=message):
        imported(s.model(build(s, s.input(1, 3, 4, 5))), tmp_path)


@pytest.mark.parametrize(("kind", "words"), [("Log", "logarithm"), ("Reciprocal", "reciprocal")])
def test_samples_at_a_pole_are_refused_by_the_function(
    kind: str, words: str, tmp_path: Path
) -> None:
    s = ModelBuilder(9)
    graph = imported(s.model(s.node(kind, s.relu(s.input(1, 3, 4, 5)))), tmp_path)
    samples = np.float32(np.random.default_rng(1).normal(size=(2, 4, 5, 3)))
    with pytest.raises(ModelError, match=f"reads numbers that have no {words}"):
        quantize(graph, Samples({"input": samples}, "noise", None), QuantOptions())


@pytest.mark.parametrize(
    ("kind", "held"), [("Log", "the least number"), ("Reciprocal", "the largest"), ("Sqrt", "")]
)
def test_a_range_that_holds_a_pole_is_told(kind: str, held: str, tmp_path: Path) -> None:
    """0 is an integer of every range: samples above it have numbers, the table more entries."""
    s = ModelBuilder(10)
    graph = imported(s.model(s.node(kind, s.input(1, 3, 4, 5))), tmp_path)
    samples = np.random.default_rng(1).uniform(0.5, 2, (4, 4, 5, 3)).astype(np.float32)
    result = quantize(graph, Samples({"input": samples}, "noise", None), QuantOptions())
    told = [note for note in result.report.notes if "may occur" in note]
    assert len(told) == (1 if held else 0)
    assert not told or held in told[0]
    entries = result.graph.constants[result.graph.nodes[-1].inputs[1]]
    least = {"Log": -128, "Reciprocal": 127, "Sqrt": -128}[kind]
    assert entries[0] == least
