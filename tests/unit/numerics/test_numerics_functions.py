"""Functions of Table nodes against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deployer.ir.attrs import TableAttrs
from deployer.numerics import functions

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
        assert np.isfinite(
            functions.apply(TableAttrs(name, 0.5, 0.5), np.array([-80.0, 0.0, 80.0]))
        ).all()
