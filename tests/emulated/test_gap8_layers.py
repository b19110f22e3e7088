"""Convolutions and dense layers on eight cores at once: what they compute, and the estimate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.kernelset.pulp.cycles import convolution_cycles, dense_cycles
from tests.emulated.gap8_layers import Layer, run_layers
from tests.emulated.gap8_programs import COMPILER

RIGHT = (
    Layer(9, 20, 8, 12, pad=1),  # rows of several blocks, the first and the last one cut
    Layer(5, 14, 16, 8, pad=1, low=-100),  # blocks that go on in the next row, bounds
    Layer(10, 37, 3, 16, stride=2, pad=1),  # first layers: copies
    Layer(7, 18, 3, 30, pad=1),  # channels that are no fours
    Layer(9, 17, 5, 10, kernel=5, pad=2),
    Layer(3, 7, 12, 20, kernel=1),  # a long row that ends in the middle of a block
    Layer(7, 9, 12, 20, kernel=1, stride=2),
    Layer(5, 20, 8, 12, kernel=1, pad=1),  # rows of zero points alone
    Layer(6, 6, 64, 30, pad=1, rule="q32"),
    Layer(6, 9, 3, 5, pad=1, rule="q32"),
    Layer(1, 1, 300, 52, kernel=0, low=-90),
    Layer(1, 1, 33, 13, kernel=0),
    Layer(1, 1, 33, 13, kernel=0, rule="q32"),
)
ESTIMATED = (
    Layer(16, 16, 16, 32, pad=1),
    Layer(8, 32, 8, 24, pad=1),
    Layer(10, 24, 16, 40, pad=1),
    Layer(16, 16, 32, 48, stride=2, pad=1),
    Layer(7, 14, 32, 48, pad=1),
    Layer(8, 12, 96, 16, pad=1),
    Layer(12, 12, 64, 24),
    Layer(10, 12, 16, 16, kernel=5, pad=2),
    Layer(16, 16, 64, 64, kernel=1),
    Layer(4, 16, 96, 24, kernel=1),
    Layer(16, 16, 64, 64, kernel=1, stride=2),
    Layer(6, 80, 3, 24, pad=1),
    Layer(16, 96, 3, 16, stride=2, pad=1),
    Layer(1, 1, 1024, 48, kernel=0),
    Layer(1, 1, 128, 100, kernel=0),
)
STACK = 600  # bytes of a core, some of them the program's


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


def test_eight_cores_compute_what_numerics_says(tmp_path: Path) -> None:
    _, wrong, stack = run_layers(tmp_path, RIGHT)
    assert wrong == [0] * len(RIGHT)
    assert stack <= STACK


def test_the_estimate_is_near(tmp_path: Path) -> None:
    cycles, _, _ = run_layers(tmp_path, ESTIMATED)
    for layer, taken in zip(ESTIMATED, cycles, strict=True):
        estimate = convolution_cycles if layer.kernel else dense_cycles
        assert estimate(layer.seen) == pytest.approx(taken, rel=0.04), layer
