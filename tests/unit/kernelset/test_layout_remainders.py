"""Streams of a transposed convolution's remainders, against convolutions cut by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deployer.kernelset.layouts import Parameters, WeightLayout, packed

ZERO = 7


def parameters(rule: str) -> Parameters:
    rng = np.random.default_rng(5)
    weights = rng.integers(-128, 128, (6, 3, 4, 5)).astype(np.int8)
    bias = rng.integers(-(2**12), 2**12, 6).astype(np.int32)
    tables = (np.arange(1, 7, dtype=np.int32), np.full(6, 9, np.int32), np.full(6, 8, np.uint8))
    return Parameters(weights, bias, tables[0], (2, 3), ZERO, rule, *tables[1:])


def convolution(of: Parameters, y: int, x: int) -> Parameters:
    """Taps y, y + 2 and x, x + 3, the last first; taps outside the input read the zero point."""
    rows, columns = [k for k in (2, 1, 0) if k % 2 == y], [k for k in (3, 2, 1, 0) if k % 3 == x]
    weights = of.weights[:, rows][:, :, columns]
    sums = weights.astype(np.int64).reshape(6, -1).sum(axis=1)
    return replace(of, weights=weights, bias=(of.bias - ZERO * sums).astype(np.int32))


@pytest.mark.parametrize("rule", ["i32", "shift", "q31"])
def test_remainders_follow_one_another(rule: str) -> None:
    of = parameters(rule)
    parts = [convolution(of, y, x) for y in range(2) for x in range(3)]
    expected = []
    for part in parts:
        expected.append(packed(WeightLayout.X4C4_RUNS, part))
        if rule == "q31":
            expected.append(part.bias.astype("<i4").view(np.int8))
    np.testing.assert_array_equal(
        packed(WeightLayout.X4C4_REMAINDERS, of), np.concatenate(expected)
    )
