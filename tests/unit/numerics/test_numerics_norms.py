"""Normalizations and products of activations against slow definitions and the reals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from integer_nodes import SEEDS, STEADY, one_node, random_int8, trivial_tables

from deployer.ir.attrs import MatMulAttrs, NormAttrs
from deployer.ir.graph import Node
from deployer.ir.types import QuantParams
from deployer.numerics import fraction_bits, integer, integer_epsilon
from deployer.numerics.ops.attention import normalized

SCALE = 0.05


def by_hand(numbers: list[int], epsilon: int) -> list[int]:
    """docs/arithmetic.md, Normalizations, in whole numbers of any size."""
    count, total = len(numbers), sum(numbers)
    variance = count * sum(x * x for x in numbers) - total * total + epsilon
    if variance == 0:
        return [0] * count
    pairs = (64 - variance.bit_length()) // 2
    root = math.isqrt((variance << (2 * pairs)) >> 32)
    multiplier, shift = (0xFFFFFFFF // root) << 14, 62 - fraction_bits(count) - pairs
    wide = [((count * x - total) * multiplier + (1 << (shift - 1))) >> shift for x in numbers]
    return [min(max(y, -32768), 32767) for y in wide]


def layer_norm(epsilon: float) -> Node:
    return Node("n", "LayerNorm", ("x", "g", "b"), ("y",), NormAttrs(epsilon))


@STEADY
@given(SEEDS, st.integers(1, 300), st.sampled_from([0.0, 1e-5, 1e-2, 1.0, 1e9]))
def test_normalized_numbers_are_those_of_the_definition(
    seed: int, count: int, epsilon: float
) -> None:
    rng = np.random.default_rng(seed)
    x = random_int8(rng, 1, 2, 2, count)
    x[0, 0, 0] = x[0, 0, 0, 0]  # nothing varies
    x[0, 0, 1] = np.where(np.arange(count) == 0, 127, -128)  # the farthest that one can be
    found = normalized(x, layer_norm(epsilon), SCALE).reshape(-1, count)
    whole = integer_epsilon(epsilon, count, SCALE)
    assert found.tolist() == [by_hand(row, whole) for row in x.reshape(-1, count).tolist()]


@STEADY
@given(SEEDS, st.integers(2, 300), st.sampled_from([1e-5, 1e-2, 1.0]))
def test_they_are_close_to_the_reals(seed: int, count: int, epsilon: float) -> None:
    """The root is off by 2^-14 of itself, and by what rounding of epsilon makes of it."""
    x = random_int8(np.random.default_rng(seed), 1, 3, 3, count)
    real = x.astype(np.float64) * SCALE
    centred = real - real.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True) + epsilon
    expected, step = centred / np.sqrt(variance), 2.0 ** -fraction_bits(count)
    found = normalized(x, layer_norm(epsilon), SCALE) * step
    rounded = 0.5 / np.maximum(variance * (count / SCALE) ** 2, 1)
    assert (np.abs(found - expected) <= step + np.abs(expected) * (2.0**-14 + rounded)).all()


@pytest.mark.parametrize("count", [1, 2, 3, 64, 65, 256, 257, 1 << 14])
def test_int16_holds_the_farthest_number(count: int) -> None:
    """One that differs from all others is sqrt(count - 1) deviations away."""
    farthest = math.sqrt(count - 1) * 2.0 ** fraction_bits(count)
    assert farthest < 1 << 15
    assert count == 1 or 4 * farthest > 1 << 13


def test_epsilons_of_any_size_fit_64_bits_with_the_variance() -> None:
    count, scale = 1 << 22, 1e-30
    most = (count * 255) ** 2 // 4
    assert integer_epsilon(1.0, count, scale) + most < 1 << 64


@STEADY
@given(SEEDS, st.sampled_from([(1, 1), (2, 3), (3, 1)]))
def test_groups_are_normalized_apart(seed: int, split: tuple[int, int]) -> None:
    groups, size = split
    x = random_int8(np.random.default_rng(seed), 1, 3, 4, groups * size)
    node = Node("n", "GroupNorm", ("x", "g", "b"), ("y",), NormAttrs(1e-3, groups))
    found, count = normalized(x, node, SCALE), 12 * size
    whole = integer_epsilon(1e-3, count, SCALE)
    for group in range(groups):
        own = np.s_[..., group * size : (group + 1) * size]
        assert found[own].ravel().tolist() == by_hand(x[own].ravel().tolist(), whole)


@STEADY
@given(SEEDS, st.integers(1, 9), st.integers(-128, 127), st.integers(-128, 127))
def test_products_are_sums_of_centred_numbers(
    seed: int, depth: int, left_zero: int, right_zero: int
) -> None:
    rng = np.random.default_rng(seed)
    left, right = random_int8(rng, 1, 2, 3, depth), random_int8(rng, 1, 2, 4, depth)
    shapes = (left.shape, right.shape)
    tables = trivial_tables(1, shift=13)
    graph = one_node("MatMul", MatMulAttrs(), shapes, (1, 2, 3, 4), tables=tables)
    for name, zero in (("x0", left_zero), ("x1", right_zero)):
        value = graph.values[name]
        graph.values[name] = replace(value, quant=QuantParams((1.0,), zero))
    found = integer.evaluate(graph, graph.nodes[0], [left, right])
    for y, x, v in np.ndindex(found.shape[1:]):
        terms = zip(left[0, y, x].tolist(), right[0, y, v].tolist(), strict=True)
        total = sum((a - left_zero) * (b - right_zero) for a, b in terms)
        assert found[0, y, x, v] == min(max(total >> 13, -128), 127)
