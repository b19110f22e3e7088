"""Problems of products of two activations and of normalizations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, pick, scaling
from catalogue.problem import Problem, pose
from deployer.ir.attrs import MatMulAttrs, NormAttrs
from deployer.ir.rules import PRODUCTS
from deployer.numerics import fraction_bits

_WIDTHS = (1, 3, 4, 6, 2, 9, 5, 8, 7)
_EPSILONS = (0.0, 1e-5, 0.5, 30.0, 2.0**40)


def matmul(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """All rules; widths of either side around the blocks of kernels."""
    for i in range(count):
        depth = CHANNELS[i % 12] * (1 + i % 5 * (i % 7 == 0))
        yield _product(rng, act, (1 + i % 3, _WIDTHS[i % 9], _WIDTHS[i // 9 % 9], depth), i)


def long_matmul(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Of many channels, of one row or column, and of more rows than columns."""
    for i in range(count):
        depth = (64, 65, 127, 130, 196, 259)[i % 6]
        sides = ((1, 1, 1), (1, 1, 13), (1, 13, 1), (5, 2, 3), (1, 11, 6))[i % 5]
        yield _product(rng, act, (*sides, depth), i)


def _product(
    rng: np.random.Generator, act: Act, sides: tuple[int, int, int, int], number: int
) -> Problem:
    """Of ``sides``: rows, columns of the left and of the right, channels."""
    rows, left, right, depth = sides
    zeros = [int(z) for z in act.zeros(rng, [-128, -5, 0, 0, 1, 127], 2)]
    scale = replace(scaling(rng, act), zero_in=zeros[0], zero_right=zeros[1])
    real = np.array([rng.uniform(0.3, 3.0) / (90 * np.sqrt(depth))])
    rule, bound = PRODUCTS[number % len(PRODUCTS)], np.array([depth * 255 * 255])
    inputs = [activations(rng, act, (1, rows, width, depth)) for width in (left, right)]
    multipliers = pick(rule, real, bound, scale.zero_out)
    return pose("MatMul", MatMulAttrs(), inputs, {}, scale, multipliers)


def layer_norm(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    for i in range(count):
        channels = (*CHANNELS, 64, 65, 100)[i % 15]
        height, width = (int(n) for n in rng.integers(1, 6, 2))
        shape = (1, channels) if i % 7 == 6 else (1, height, width, channels)
        attrs = NormAttrs(float(rng.choice(_EPSILONS)))
        yield _norm(rng, act, "LayerNorm", attrs, shape, channels)


def group_norm(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Of one group, of one channel a group, and between."""
    for i in range(count):
        size = (1, 2, 3, 4, 5, 8, 16)[i % 7]
        groups = (1, 2, 3, 4, 7, 17)[i // 7 % 6]
        height, width = (int(n) for n in rng.integers(1, 8, 2))
        attrs = NormAttrs(float(rng.choice(_EPSILONS)), groups)
        shape = (1, height, width, size * groups)
        yield _norm(rng, act, "GroupNorm", attrs, shape, height * width * size)


def _norm(
    rng: np.random.Generator,
    act: Act,
    op: str,
    attrs: NormAttrs,
    shape: tuple[int, ...],
    count: int,
) -> Problem:
    """All rules; scales of either sign and of 0, offsets up to the largest that fit."""
    scale, rule = scaling(rng, act), PRODUCTS[int(rng.integers(len(PRODUCTS)))]
    bits, channels, spare = fraction_bits(count), shape[-1], 2 * (rule in ("shift", "i32"))
    scales = rng.integers(-(1 << 15), 1 << 15, channels) * rng.choice([0, 1, 1, 1], channels)
    scales >>= spare
    most = 1 << int(rng.choice([bits, bits + 12, 30 - spare]))
    offsets = rng.integers(-most, most + 1, channels)
    bound = (np.abs(scales) * (1 << 15) + np.abs(offsets)).max(initial=1)
    real = np.array([rng.uniform(0.2, 2.0) * 2.0 ** (-bits - 10)])
    constants = {"g": scales.astype(np.int16), "b": offsets.astype(np.int32)}
    multipliers = pick(rule, real, np.array([bound]), scale.zero_out)
    x = activations(rng, act, shape)
    return pose(op, attrs, [x], constants, scale, multipliers)


SOURCES = {
    "MatMul": (matmul, 243, 0),
    "LayerNorm": (layer_norm, 150, 0),
    "GroupNorm": (group_norm, 126, 0),
}
SPECIAL = {"MatMul": ((long_matmul, 60),)}
