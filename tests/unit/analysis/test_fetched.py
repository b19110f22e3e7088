"""Passes over constants, and the lines of them that come from memory."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.fetched import bytes_read, lines_missed, passes
from deployer.board.model import Cache
from deployer.ir.graph import Node, Requant
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AT_ONCE, BY_ELEMENTS, BY_ROWS, AccessOrder
from unit.ir.strategies import STEADY

SMALL = Cache(size=512, ways=4, line=32)
CASE = KernelCase("Conv2d", "s8", "s8", ((1, 8, 8, 4),), (1, 6, 5, 4))


def kernel(order: object = None, layout: WeightLayout = WeightLayout.IR) -> Kernel:
    return Kernel("dpl_conv2d_s8__ref", op="Conv2d", order=order, weight_layout=layout)  # type: ignore[arg-type]


def simulated(lines: int, times: int, cache: Cache) -> int:
    """Misses of ``lines`` lines read in order, ``times`` over, with one way less."""
    count = cache.size // (cache.ways * cache.line)
    sets: list[list[int]] = [[] for _ in range(count)]
    misses = 0
    for line in [*range(lines)] * times:
        ways = sets[line % count]
        misses += line not in ways
        ways[:] = [line, *(other for other in ways if other != line)][: cache.ways - 1]
    return misses


@settings(STEADY, max_examples=80)
@given(st.integers(0, 1200), st.integers(1, 5))
def test_misses_are_those_of_a_cache_with_a_way_less(size: int, times: int) -> None:
    assert lines_missed(size, times, SMALL) == simulated(-(-size // 32), times, SMALL)


@pytest.mark.parametrize(
    ("order", "times"),
    [
        (None, 1),
        (AT_ONCE, 1),
        (BY_ELEMENTS, 1),
        (BY_ROWS, 6),
        (AccessOrder(rows=4), 2),
        (AccessOrder(columns=2), 18),
        (AccessOrder(run=7), 5),
        (lambda case: AccessOrder(run=30), 1),
    ],
)
def test_a_pass_for_each_block_of_outputs(order: object, times: int) -> None:
    assert passes(kernel(order), CASE) == times


@pytest.mark.parametrize(
    ("layout", "rule", "read"),
    [
        (WeightLayout.IR, "i32", {"w": 400, "b": 400, "m": 400, "r": 400, "s": 400}),
        (WeightLayout.X4C4_PAIRED, "q32", {"w": 400, "b": 400, "m": 400, "r": 4, "s": 0}),
        (WeightLayout.X2C4, "q32", {"w": 400, "b": 0, "m": 0, "r": 4, "s": 0}),
        (WeightLayout.X8C4, "q32", {"w": 400, "b": 0, "m": 0, "r": 4, "s": 0}),
        (WeightLayout.X2C4, "q16", {"w": 400, "b": 0, "m": 400, "r": 400, "s": 400}),
    ],
)
def test_tables_that_nobody_looks_at_are_not_read(
    layout: WeightLayout, rule: str, read: dict[str, int]
) -> None:
    node = Node("n", "Conv2d", ("x", "w", "b"), ("y",), None, Requant(rule, "m", "r", "s", 0, 9))
    found = {name: bytes_read(kernel(layout=layout), node, name, 400) for name in read}
    assert found == read
