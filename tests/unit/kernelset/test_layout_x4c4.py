"""The stream of four output channels, read back as the kernels of XpulpV2 read it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.ir import RequantRule
from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.x4c4 import window_runs
from deployer.numerics.requant import INT32_MAX, requantize

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


@pytest.mark.parametrize("rule", ["q32", "q31"])
@given(channels=st.integers(1, 9), total=st.integers(-(2**28), 2**28))
def test_high_words_of_products_give_the_rule(rule: str, channels: int, total: int) -> None:
    of = high(channels, rule)
    multiplier, bias, behind = tables(of).T
    word = ((total + bias) * (multiplier & 0xFFFFFFFF)) >> 32
    shift, zero = behind & 0xFF, behind >> 8
    found = ((word + (1 << shift >> 1)) >> shift) + zero
    sums = np.full((1, channels), total) + of.bias
    given = of.multiplier, of.rounding, of.shift
    wanted = requantize(sums.astype(np.int32), RequantRule(rule), *given, low=-128, high=127)
    assert np.array_equal(found.clip(-128, 127), wanted[0])


def high(channels: int, rule: str) -> Parameters:
    """Shifts from 32 on, of which the first is 32."""
    of = parameters(channels, 4, rule)
    rng = np.random.default_rng(channels)
    multiplier = rng.integers(1, 2**31, channels).astype(np.int32)
    zero = np.full(channels, -7, np.int32)
    shift = np.minimum(np.arange(32, 32 + channels), 62).astype(np.uint8)
    return replace(of, multiplier=multiplier, rounding=zero, shift=shift)


def test_rules_without_a_high_word_have_tables_of_their_own() -> None:
    assert not tables(parameters(6, 4, "q16")).any()
    assert not tables(parameters(6, 4, "q31")).any()  # shifts below 32


SHAPES = {
    "rows": (5, 3, 3, 17),
    "words": (8, 3, 3, 8),
    "copied": (6, 3, 3, 3),
    "column": (3, 9, 1, 5),
    "point": (7, 1, 1, 6),
}


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_each_run_begins_a_word(shape: tuple[int, ...], dilation: int, groups: int) -> None:
    of = windowed((groups * shape[0], *shape[1:]), groups, dilation)
    wide, along = shape[2], groups == 1 and dilation == 1
    runs = window_runs(*shape[1:], along=along)
    per_group = of.weights.reshape(groups, shape[0], runs.count, runs.bytes)
    body = bodies(of, WeightLayout.X4C4_RUNS).reshape(groups, -1, runs.words, 4, 4)
    for group, rows in enumerate(per_group):
        for channel, row in enumerate(rows):
            read = body[group, channel // 4, :, channel % 4].reshape(runs.count, -1)
            assert np.array_equal(read[:, : runs.bytes], row)
            assert not read[:, runs.bytes :].any()
    assert runs.count in ({1, shape[1]} if along else {shape[1] * wide})


def test_a_column_lies_as_a_row() -> None:
    of = windowed((6, 9, 1, 5), 1, 1)
    row = replace(of, weights=of.weights.transpose(0, 2, 1, 3))
    column = packed(WeightLayout.X4C4_COLUMN, of)
    assert np.array_equal(column, packed(WeightLayout.X4C4_RUNS, row))
    assert len(column) < len(packed(WeightLayout.X4C4_RUNS, of))


def windowed(shape: tuple[int, ...], groups: int, dilation: int) -> Parameters:
    weights = np.random.default_rng(7).integers(1, 128, shape).astype(np.int8)
    of = parameters(shape[0], 4)
    return replace(of, weights=weights, groups=groups, dilation=(dilation, dilation))


def bodies(of: Parameters, layout: WeightLayout) -> np.ndarray:
    """Pieces without their tables."""
    pieces = of.groups * -(-len(of.weights) // of.groups // 4)
    return packed(layout, of).reshape(pieces, -1)[:, :-TABLES]
