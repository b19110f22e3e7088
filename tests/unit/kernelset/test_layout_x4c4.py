"""The stream of four output channels, read back as the kernels of XpulpV2 read it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.numerics.requant import INT32_MAX

TABLES = 48  # bytes of a group


def parameters(channels: int, depth: int, rule: str = "i32") -> Parameters:
    rng = np.random.default_rng(channels * 97 + depth)
    weights = rng.integers(-128, 128, (channels, depth)).astype(np.int8)
    bias = rng.integers(-(2**20), 2**20, channels).astype(np.int32)
    multiplier = rng.integers(1, 2**10, channels).astype(np.int32)
    rounding = rng.integers(-(2**28), 2**28, channels).astype(np.int32)
    shift = rng.integers(8, 24, channels).astype(np.uint8)
    return Parameters(weights, bias, multiplier, rule=rule, rounding=rounding, shift=shift)


def groups(of: Parameters) -> np.ndarray:
    return packed(WeightLayout.X4C4, of).reshape(-(-len(of.weights) // 4), -1)


def tables(of: Parameters) -> np.ndarray:
    """Multiplier, addend and shift of each channel."""
    found = np.ascontiguousarray(groups(of)[:, -TABLES:]).view("<i4").reshape(-1, 3)
    assert not found[len(of.weights) :].any()
    return found[: len(of.weights)].astype(np.int64)


@given(st.integers(1, 9), st.integers(1, 21))
def test_every_weight_has_its_place(channels: int, depth: int) -> None:
    of = parameters(channels, depth)
    body = groups(of)[:, :-TABLES]
    assert body.shape[1] == 4 * -(-depth // 4) * 4
    for channel, row in enumerate(of.weights):
        at = [k // 4 * 16 + channel % 4 * 4 + k % 4 for k in range(depth)]
        assert np.array_equal(body[channel // 4][at], row)
    assert np.count_nonzero(body) == np.count_nonzero(of.weights)


@pytest.mark.parametrize("rule", ["i32", "shift"])
@given(channels=st.integers(1, 9), total=st.integers(-(2**20), 2**20))
def test_tables_give_the_rule_of_the_sum_of_products(rule: str, channels: int, total: int) -> None:
    of = parameters(channels, 4, rule)
    multiplier, addend, shift = tables(of).T
    scale = of.multiplier.astype(np.int64) if rule == "i32" else 1
    wanted = (total + of.bias.astype(np.int64)) * scale + of.rounding
    fits = np.abs(wanted) <= INT32_MAX  # as the quantizer sees to
    wrapped = (total * multiplier + addend).astype(np.int32)
    assert np.array_equal((wrapped >> shift)[fits], (wanted >> of.shift)[fits])


def test_one_multiplier_serves_all_channels() -> None:
    of = parameters(6, 4)
    one = replace(of, **{k: getattr(of, k)[:1] for k in ("multiplier", "rounding", "shift")})
    assert np.array_equal(tables(one)[:, 0], np.full(6, of.multiplier[0]))


def test_other_rules_have_tables_of_their_own() -> None:
    assert not tables(parameters(6, 4, "q32")).any()
