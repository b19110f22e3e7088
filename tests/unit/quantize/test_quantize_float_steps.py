"""Integer multipliers that step where a float32 product does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
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
    exact, bound = np.array([np.float64(np.float32(real))]), np.array([int(300 / real)])
    nearest = choose(rule, exact, bound, zero)
    found = stepping_as_floats(nearest, exact, bound, output, np.array([centre]))
    acc = np.arange(-bound[0], bound[0] + 1)
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


@pytest.mark.parametrize("rule", ["q32", "q31"])
def test_a_layer_whose_float32_products_no_multiplier_follows(rule: str) -> None:
    """That of docs/quantized-models.md: of any ``(m * acc + r) >> s`` the second is, but for less
    than 1, the mean of the others."""
    real, output = np.float32(0.0007760803564451635), QuantParams((1.0,), 0)
    acc = np.array([12_241, 36_723, 61_205])
    first, second, third = of_floats(acc, real, output).tolist()
    assert (first, second, third) == (10, 28, 48)
    assert first + third >= 2 * (second + 1)
    bound = np.array([10**6])
    plain = choose(rule, np.array([float(real)]), bound, 0)
    found = stepping_as_floats(plain, np.array([real]), bound, output, np.array([89_048.0]))
    assert of_integers(acc, found).tolist() == [9, 28, 47]


def test_where_ties_contradict_each_other_those_near_the_centre_count() -> None:
    """A multiplier of few bits: of two neighbours each has ties that the other has not."""
    real, near = 0.0005290867411531508, np.arange(75_000, 80_000)
    output = QuantParams((1.0,), -128)
    for centre, others in ((77_526, False), (300_000, True)):
        found = both("q32", real, -128, centre)[1]
        equal = of_integers(near, found) == of_floats(near, np.float32(real), output)
        assert (not equal.all()) == others


def test_other_rules_stay_as_they_are() -> None:
    exact, bound = np.array([0.00776629289612174]), np.array([1000])
    found = choose("i32", exact, bound, 0)
    assert stepping_as_floats(found, exact, bound, QuantParams((1.0,), 0), bound) is found


@pytest.mark.parametrize("real", [0.0, 2.0**-31, 0.25])
def test_multipliers_that_leave_nothing_to_choose(real: float) -> None:
    exact, bound = np.array([real]), np.array([1 << 20])
    found = choose("q32", exact, bound, 5)
    moved = stepping_as_floats(found, exact, bound, QuantParams((1.0,), 5), bound)
    assert moved.multiplier == found.multiplier


def by_definition(
    rule: str, start: tuple[int, int], real: np.float32, bound: int, zero: int, centre: int
) -> int:
    """The multiplier in plain integers, half by half. ``start``: the nearest one and its shift."""
    multiplier, shift = start[0], 32 if rule == "q32" else start[1]
    if not 1 <= shift <= 52 or multiplier <= 0:
        return multiplier
    ranges: list[tuple[float, float, float]] = []
    for half in (n - zero + 0.5 for n in range(-128, 127)):
        near = int(np.ceil(half / np.float64(real)))
        if abs(near) >= min(bound, 2**24):
            continue
        first = next(n for n in range(near - 2, near + 3) if np.rint(np.float32(n) * real) > half)
        wanted = int(2 * half) << (shift - 1)
        low, high = -math.inf, math.inf
        for count, least in ((first, wanted), (1 - first, 1 - wanted)):  # count * m >= least
            if count > 0:
                low = max(low, -(-least // count))
            elif count < 0:
                high = min(high, least // count)
        ranges.append((low, high, 1 / (1 + abs(half - centre * float(real)))))
    ends = {int(end) for low, high, _ in ranges for end in (low, high) if math.isfinite(end)}
    near_ones = [
        n
        for n in sorted({multiplier, *ends})
        if abs(n - multiplier) * 2**20 <= multiplier and n.bit_length() == multiplier.bit_length()
    ]
    kept = {n: sum(w for low, high, w in ranges if low <= n <= high) for n in near_ones}
    best = [n for n in near_ones if kept[n] >= max(kept.values()) * (1 - 1e-12)]
    return min(best, key=lambda n: abs(n - multiplier))


@settings(STEADY, max_examples=25)
@given(
    rule=st.sampled_from(["q32", "q31"]),
    real=st.floats(2.0**-26, 0.49),
    zero=st.integers(-128, 127),
    centre=st.integers(-5000, 5000),
    bound=st.integers(20, 2**31 - 1),
)
@example("q31", 1.2615711057151202e-05, 115, 0, 2**31 - 1)  # steps between 2^23 and 2^24
@example("q31", 1.6301830328302458e-05, 73, 0, 2**31 - 1)
@example("q31", 3.0460398647846887e-06, -94, 0, 2**31 - 1)  # and beyond
@example("q31", 4.643310944629775e-07, -105, 0, 2**31 - 1)  # shifts of 52 and 53
@example("q31", 2.3349991806753678e-07, -87, 0, 2**31 - 1)
@example("q31", 1.4443173768086126e-07, 57, 0, 2**31 - 1)
@example("q32", 0.005053407046943903, -46, 0, 2**31 - 1)  # steps that contradict each other
@example("q32", 0.0015903135063126683, 121, 0, 2**31 - 1)
@example("q31", 0.4, 0, 3, 300)
@example("q31", 0.49, 100, 300, 400)
def test_the_multiplier_is_the_one_of_most_steps(
    rule: str, real: float, zero: int, centre: int, bound: int
) -> None:
    """Beside a channel that holds nothing."""
    single, bound = np.float32(real), int(min(bound, 300 / real))
    reals, bounds = np.array([np.float64(single), 0.0]), np.array([bound, 5])
    start = choose(rule, reals, bounds, zero)
    given = stepping_as_floats(start, reals, bounds, QuantParams((1.0,), zero), np.full(2, centre))
    first = (int(start.multiplier[0]), int(start.shift[0]))
    wanted = by_definition(rule, first, single, bound, zero, centre)
    assert given.multiplier.tolist() == [wanted, 0]
    moved = abs(wanted - first[0]) / max(first[0], 1) * min(255, bound * float(single))
    assert given.error == pytest.approx(start.error + moved, rel=1e-9, abs=1e-15)
