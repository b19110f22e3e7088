"""Functions of one variable that a network writes out of several nodes are one Table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx_equal import check_equal, imported
from random_models import kinds

from deployer.errors import ModelError
from deployer.ir.attrs import COMPOSED, TableAttrs
from deployer.ir.graph import Graph
from deployer.numerics.domains import gap_note, step_note
from deployer.numerics.expressions import evaluate
from deployer.pipeline.float_network import float_graph
from models import ModelBuilder

_BOOL, _FLOAT = 9, 1


def number(s: ModelBuilder, value: float) -> str:
    return s.constant(np.float32(value))


def softplus(s: ModelBuilder, x: str) -> str:
    """torch's dynamo exporter."""
    above = s.node("Greater", x, number(s, 1.5))
    return s.node("Where", above, x, s.node("Softplus", x))


def leaky(s: ModelBuilder, x: str) -> str:
    return s.node("Where", s.node("Less", x, number(s, 0)), s.node("Mul", x, number(s, 0.2)), x)


def masked(s: ModelBuilder, x: str) -> str:
    """torch: (x > 0.1).float() * x."""
    above = s.node("Cast", s.node("Greater", x, number(s, 0.1)), to=_FLOAT)
    return s.node("Mul", above, x)


def hard_shrink(s: ModelBuilder, x: str) -> str:
    either = s.node("Or", s.node("Greater", x, number(s, 0.5)), s.node("Less", x, number(s, -0.5)))
    return s.node("Where", either, x, number(s, 0))


def soft_shrink(s: ModelBuilder, x: str) -> str:
    return s.node("Shrink", x, lambd=0.25, bias=0.25)


def wave(s: ModelBuilder, x: str) -> str:
    """Snake: x + sin(ax)² / a."""
    sine = s.node("Sin", s.node("Mul", x, number(s, 2)))
    return s.node("Add", x, s.node("Div", s.node("Pow", sine, number(s, 2)), number(s, 2)))


def rest(s: ModelBuilder, x: str) -> str:
    return s.node("Mod", s.node("Add", x, number(s, 0.05)), number(s, 0.75), fmod=1)


def band(s: ModelBuilder, x: str) -> str:
    inside = s.node(
        "And",
        s.node("GreaterOrEqual", x, number(s, -0.3)),
        s.node("Not", s.node("LessOrEqual", x, number(s, -2))),
    )
    chosen = s.node("Where", inside, s.node("Atan", x), s.node("Neg", s.node("Cos", x)))
    return s.node("Where", s.node("Cast", s.node("Ceil", x), to=_BOOL), chosen, number(s, 3))


def tables(graph: Graph) -> list[TableAttrs]:
    return [node.attrs for node in graph.nodes if isinstance(node.attrs, TableAttrs)]


@pytest.mark.parametrize(
    "spell", [softplus, leaky, masked, hard_shrink, soft_shrink, wave, rest, band]
)
def test_what_depends_on_one_activation_is_one_table(
    spell: Callable[[ModelBuilder, str], str], tmp_path: Path
) -> None:
    s = ModelBuilder(3)
    model = s.model(spell(s, s.conv(s.input(1, 3, 6, 5), (4, 3, 3, 3))))
    graph = check_equal(model, tmp_path)
    assert kinds(graph) == ["Conv2d", "Table"]
    assert [table.function for table in tables(graph)] == [COMPOSED]


def test_a_bound_before_it_stays_with_its_layer(tmp_path: Path) -> None:
    """Integers of a bounded output are finer than those of an unbounded one."""
    s = ModelBuilder(4)
    graph = check_equal(s.model(soft_shrink(s, s.relu(s.gemm(s.input(1, 6), 6, 4)))), tmp_path)
    assert kinds(graph) == ["FullyConnected", "Table"]
    assert tables(graph)[0].expression == "shrink(x,0.25,0.25)"


def test_what_is_read_on_the_way_is_computed_too(tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = s.gemm(s.input(1, 6), 6, 4)
    root = s.node("Sin", x)
    graph = check_equal(s.model(s.node("Concat", root, s.node("Cos", root), axis=1)), tmp_path)
    assert kinds(graph) == ["FullyConnected", "Table", "Table", "Concat"]


def test_a_choice_between_two_activations_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(6)
    x, y = (s.conv(s.input(1, 3, 6, 5) if i else "input", (4, 3, 3, 3)) for i in (1, 0))
    chosen = s.node("Where", s.node("Greater", x, y), x, y)
    with pytest.raises(ModelError, match="one activation, and numbers") as caught:
        imported(s.model(chosen), tmp_path)
    assert any("--cut" in hint for hint in caught.value.hints)


def test_floats_have_no_such_function(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    graph = imported(s.model(wave(s, s.gemm(s.input(1, 6), 6, 4))), tmp_path)
    with pytest.raises(ModelError, match="--scheme float"):
        float_graph(graph)


def test_where_it_has_no_number_is_told() -> None:
    attrs = TableAttrs(COMPOSED, expression="asin(x)")
    assert gap_note(attrs, np.array([0.0, 1.5, 2.0])) == (
        "inputs of 1.5 to 2 may occur, which have no number: the table holds 0 or an end of its "
        "range there"
    )
    assert gap_note(attrs, np.array([0.0, 0.5])) == ""
    assert "step" in step_note(TableAttrs(COMPOSED, expression="where(greater(x,0.0),x,1.0)"))
    assert step_note(attrs) == ""


@pytest.mark.parametrize("text", ["y", "x.real", "open(x)", "x + 1", "'x'", "sin(x, axis=0)"])
def test_an_expression_is_calls_of_known_functions_and_numbers(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        evaluate(text, np.zeros(3), {})
