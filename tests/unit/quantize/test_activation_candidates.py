"""Binary scales that are tried for an activation keep one of its ends or its middle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.ir.types import QuantParams
from deployer.quantize.fixed_point import activation_candidates

END = st.floats(0.0009765625, 1000.0)


def ends(params: QuantParams) -> tuple[float, float]:
    (scale,) = params.scale
    return (-128 - params.zero_point) * scale, (127 - params.zero_point) * scale


@given(END, END)
def test_the_first_holds_the_whole_range(below: float, above: float) -> None:
    first, *finer = activation_candidates(-below, above)
    low, high = ends(first)
    assert low - first.scale[0] <= -below
    assert high + first.scale[0] >= above
    assert 2 * (high - low) >= above + below >= (high - low) / 2.01
    assert all(params.scale[0] < first.scale[0] for params in finer)


@given(END, END)
def test_of_each_finer_scale_some_keep_an_end(below: float, above: float) -> None:
    _, *finer = activation_candidates(-below, above)
    for scale in {params.scale[0] for params in finer}:
        near = [ends(params) for params in finer if params.scale[0] == scale]
        lowest, highest = min(low for low, _ in near), max(high for _, high in near)
        # zero stays an integer of int8, so that an end beyond it cannot be kept
        assert lowest == pytest.approx(max(-below, -255 * scale), abs=scale)
        assert highest == pytest.approx(min(above, 255 * scale), abs=scale)


def test_nothing_alive_has_one_scale() -> None:
    assert len(activation_candidates(0.0, 0.0)) == 1
