"""Integer multipliers that step where a float32 product does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.types import QuantParams
from deployer.numerics.requant import Multipliers, choose, requantize
from deployer.quantize.float_steps import stepping_as_floats

STEADY = settings(deadline=None, derandomize=True)


def of_floats(acc: np.ndarray, real: np.float32, output: QuantParams) -> np.ndarray:
    """As runtimes requantize: a float32 product, half to even, the zero point, saturated."""
    product = np.rint(acc.astype(np.float32) * real).astype(np.int64)
    return np.clip(product + output.zero_point, output.low, output.high)


def of_integers(acc: np.ndarray, found: Multipliers) -> np.ndarray:
    tables = (found.multiplier, found.rounding, found.shift)
    return requantize(acc[:, None], found.rule, *tables, low=-128, high=127)[:, 0].astype(np.int64)


def both(
    rule: str, real: float, zero: int, centre: int = 0
) -> tuple[Multipliers, Multipliers, float, float]:
    """The nearest multiplier, the one that steps as floats do, and the accumulators that each gets
    wrong, of all that give an output within int8; those near ``centre`` count more."""
    output = QuantParams((1.0,), zero)
    exact, reach = np.array([np.float64(np.float32(real))]), np.array([int(300 / real)])
    nearest = choose(rule, exact, reach, zero)
    found = stepping_as_floats(nearest, exact, reach, output, np.array([centre]))
    acc = np.arange(-reach[0], reach[0] + 1)
    wanted = of_floats(acc, np.float32(real), output)
    weights = 1 / (1 + np.abs(np.floor(acc * exact) + 0.5 - centre * exact))
    wrong = [float(weights[of_integers(acc, m) != wanted].sum()) for m in (nearest, found)]
    return nearest, found, *wrong


@pytest.mark.parametrize(
    ("rule", "real", "zero"),
    [
        ("q32", 0.00776629289612174, 18),
        ("q31", 0.021330663934350014, 116),
        ("q32", 0.00433700205758214, -62),
    ],
)
def test_a_product_that_rounds_onto_a_tie(rule: str, real: float, zero: int) -> None:
    nearest, found, before, after = both(rule, real, zero)
    assert nearest.multiplier != found.multiplier
    assert before > after == 0


@STEADY
@given(
    rule=st.sampled_from(["q32", "q31"]),
    real=st.floats(2.0**-10, 0.49),
    zero=st.integers(-128, 127),
    step=st.integers(-200, 200),
)
def test_never_further_from_floats_than_the_nearest_multiplier(
    rule: str, real: float, zero: int, step: int
) -> None:
    nearest, found, before, after = both(rule, real, zero, int(step / real))
    assert after <= before * (1 + 1e-9)
    assert (
        abs(int(found.multiplier[0]) - int(nearest.multiplier[0])) * 2.0**20 <= nearest.multiplier
    )
    assert nearest.error <= found.error <= nearest.error + 255 * 2.0**-20


def test_where_ties_contradict_each_other_those_near_the_centre_count() -> None:
    """A multiplier of few bits: of two neighbours each has ties that the other has not."""
    real, near = 0.0005290867411531508, np.arange(75_000, 80_000)
    output = QuantParams((1.0,), -128)
    for centre, others in ((77_526, False), (300_000, True)):
        found = both("q32", real, -128, centre)[1]
        equal = of_integers(near, found) == of_floats(near, np.float32(real), output)
        assert (not equal.all()) == others


def test_other_rules_stay_as_they_are() -> None:
    exact, reach = np.array([0.00776629289612174]), np.array([1000])
    found = choose("i32", exact, reach, 0)
    assert stepping_as_floats(found, exact, reach, QuantParams((1.0,), 0), reach) is found


@pytest.mark.parametrize("real", [0.0, 2.0**-31, 0.25])
def test_multipliers_that_leave_nothing_to_choose(real: float) -> None:
    exact, reach = np.array([real]), np.array([1 << 20])
    found = choose("q32", exact, reach, 5)
    moved = stepping_as_floats(found, exact, reach, QuantParams((1.0,), 5), reach)
    assert moved.multiplier == found.multiplier
