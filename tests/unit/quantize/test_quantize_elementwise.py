"""Add, AveragePool and Rescale: integers within their stated error of real arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deployer.ir.attrs import PoolAttrs, Window
from deployer.ir.types import QuantParams
from deployer.numerics.requant import INT32_MAX, requantize
from deployer.quantize.elementwise import (
    add_multipliers,
    average_multipliers,
    rescale_multipliers,
)
from deployer.quantize.fixed_point import binary
from deployer.quantize.scheme import Tensor

STEADY = settings(deadline=None, derandomize=True)
INT8 = (-128, 127)
ALL = np.arange(-128, 128)


@st.composite
def quants(draw: Any, low: float = 1e-3, high: float = 1e3) -> QuantParams:
    return QuantParams((draw(st.floats(low, high)),), draw(st.integers(-128, 127)))


@STEADY
@given(a=quants(), b=quants(), y=quants())
def test_addition_is_within_its_stated_error(
    a: QuantParams, b: QuantParams, y: QuantParams
) -> None:
    assume(max(a.tensor_scale, b.tensor_scale) / y.tensor_scale < 2**13)
    found = add_multipliers(Tensor(a, INT8), Tensor(b, INT8), y, sign=1, close=False)
    (ma, mb), (r,), (s,) = (
        t.astype(np.int64) for t in (found.multiplier, found.rounding, found.shift)
    )
    left, right = np.meshgrid(ALL[::15], ALL[::7])
    totals = left * ma + right * mb + r
    assert np.abs(totals).max() <= INT32_MAX
    assert max(ma, mb) < 2**15
    real = (left - a.zero_point) * a.tensor_scale + (right - b.zero_point) * b.tensor_scale
    ideal = real / y.tensor_scale + y.zero_point
    assert (np.abs((totals >> s) - ideal) <= 0.5 + found.error + 1e-6).all()


@STEADY
@given(a=quants(0.5, 2), b=quants(0.5, 2), y=quants(0.5, 4))
def test_addition_of_like_scales_uses_fifteen_bits(
    a: QuantParams, b: QuantParams, y: QuantParams
) -> None:
    found = add_multipliers(Tensor(a, INT8), Tensor(b, INT8), y, sign=1, close=False)
    assert 2**14 <= found.multiplier.max() < 2**15
    assert found.error < 0.04


def test_a_multiplier_that_rounds_up_to_sixteen_bits_is_halved() -> None:
    one, almost = QuantParams((1.0,), 0), QuantParams((1 - 2.0**-20,), 0)
    found = add_multipliers(Tensor(almost, INT8), Tensor(almost, INT8), one, sign=1, close=False)
    assert found.multiplier.tolist() == [2**14, 2**14]
    assert found.shift.tolist() == [14]


def test_powers_of_two_add_exactly() -> None:
    found = add_multipliers(
        Tensor(binary(5), INT8), Tensor(binary(7), INT8), binary(4), sign=1, close=False
    )
    assert found.multiplier.tolist() == [2**14, 2**12]
    assert found.error == 0
    assert found.rule == "i32"


def test_an_addition_to_a_far_finer_output_is_refused() -> None:
    coarse = Tensor(QuantParams((1.0,), 0), INT8)
    with pytest.raises(ValueError, match="coarser than the output"):
        add_multipliers(coarse, coarse, QuantParams((2.0**-20,), 0), sign=1, close=False)


@pytest.mark.parametrize("counted", [False, True])
@STEADY
@given(data=st.data(), x=quants(), y=quants())
def test_averages_with_any_number_of_taps_inside(
    counted: bool, data: st.DataObject, x: QuantParams, y: QuantParams
) -> None:
    assume(x.tensor_scale / y.tensor_scale < 100)
    attrs = PoolAttrs(Window((3, 2)), counted)
    found = average_multipliers(Tensor(x, INT8), y, attrs, fewest=1)
    assert len(found.multiplier) == 6
    for n in range(1, 7):
        q = np.array(data.draw(st.lists(st.integers(-128, 127), min_size=n, max_size=n)))
        result = requantize(
            np.array([[q.sum()]], dtype=np.int32),
            found.rule,
            *(t[n - 1 : n] for t in (found.multiplier, found.rounding, found.shift)),
            low=-128,
            high=127,
        )
        mean = (q - x.zero_point).sum() * x.tensor_scale / (6 if counted else n)
        ideal = np.clip(mean / y.tensor_scale + y.zero_point, -128, 127)
        assert abs(result.item() - ideal) <= 0.5 + found.error + 1e-6


@STEADY
@given(x=quants(), y=quants())
def test_rescaling_every_integer(x: QuantParams, y: QuantParams) -> None:
    assume(x.tensor_scale / y.tensor_scale < 1000)
    found = rescale_multipliers(Tensor(x, INT8), y)
    tables = (found.multiplier, found.rounding, found.shift)
    acc = ALL.astype(np.int32)[:, None]
    result = requantize(acc, found.rule, *tables, low=-128, high=127)[:, 0]
    real = (ALL - x.zero_point) * x.tensor_scale / y.tensor_scale + y.zero_point
    assert (np.abs(result - np.clip(real, -128, 127)) <= 0.5 + found.error + 1e-6).all()


def test_rescaling_to_itself_changes_nothing() -> None:
    quant = QuantParams((0.37,), -11)
    found = rescale_multipliers(Tensor(quant, INT8), quant)
    tables = (found.multiplier, found.rounding, found.shift)
    acc = ALL.astype(np.int32)[:, None]
    assert np.array_equal(requantize(acc, "i32", *tables, low=-128, high=127)[:, 0], ALL)
