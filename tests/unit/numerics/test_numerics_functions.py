"""Functions of Table nodes against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deployer.ir.attrs import TableAttrs
from deployer.numerics import functions, gap_note, gap_of

X = np.linspace(-20, 20, 401)
EXACT = {
    "softplus": lambda x: math.log1p(math.exp(x)) if x < 30 else x,
    "mish": lambda x: x * math.tanh(math.log1p(math.exp(x))),
    "erf": math.erf,
    "gelu": lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2)),
    "gelu_tanh": lambda x: (
        0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_functions_match_their_definition(name: str) -> None:
    found = functions.apply(TableAttrs(name), X)
    np.testing.assert_allclose(found, [EXACT[name](x) for x in X], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", functions.FUNCTIONS)
def test_no_function_overflows_on_moderate_values(name: str) -> None:
    with np.errstate(all="raise", under="ignore"):
        found = functions.apply(TableAttrs(name, 0.5, 0.5), np.array([-80.0, 0.0, 80.0]))
    assert np.isfinite(found[2])
    assert np.isfinite(found[:2]).all() == (name not in ("log", "reciprocal"))


@pytest.mark.parametrize(
    ("name", "exponent", "ends"),
    [
        ("log", 0.0, (-np.inf, -np.inf)),
        ("reciprocal", 0.0, (-0.5, np.inf)),
        ("sqrt", 0.0, (0.0, 0.0)),
        ("power", 0.5, (0.0, 0.0)),
        ("power", -0.5, (np.inf, np.inf)),
        ("power", -3.0, (-0.125, np.inf)),
        ("power", 3.0, (-8.0, 0.0)),
        ("power", 0.0, (1.0, 1.0)),
    ],
)
def test_what_stands_where_there_is_no_number(
    name: str, exponent: float, ends: tuple[float, float]
) -> None:
    attrs, x = TableAttrs(name, exponent), np.array([-2.0, 0.0, -0.0, 4.0])
    with np.errstate(all="raise"):
        found = functions.apply(attrs, x)
    assert tuple(found[:2]) == ends
    assert found[2] == ends[1]
    gap = gap_of(attrs)
    undefined = np.zeros(4, bool) if gap is None else gap.outside(x)
    with np.errstate(all="ignore"):
        real = {
            "log": np.log, "sqrt": np.sqrt, "reciprocal": np.reciprocal,
            "power": lambda v: np.power(v, exponent),
        }[name](x)  # fmt: skip
    assert np.array_equal(undefined, ~np.isfinite(real))


def test_a_note_says_what_a_table_holds_where_there_is_no_number() -> None:
    x = np.array([-0.5, 0.0, 2.0])
    assert gap_note(TableAttrs("log"), x) == (
        "inputs of -0.5 to 0 may occur, which have no logarithm: "
        "the table holds the least number of the output there"
    )
    assert gap_note(TableAttrs("reciprocal"), x).startswith("inputs of 0 may occur")
    assert "the table holds 0 there" in gap_note(TableAttrs("sqrt"), x)
    assert gap_note(TableAttrs("log"), x[2:]) == ""
    assert gap_note(TableAttrs("power", 2.0), x) == ""
    assert gap_note(TableAttrs("abs"), x) == ""
