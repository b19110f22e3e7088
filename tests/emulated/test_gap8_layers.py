"""Convolutions and dense layers on eight cores at once: what they compute, and the estimate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.kernelset.pulp.cycles import convolution_cycles, fully_connected_cycles
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
    Layer(9, 20, 8, 12, pad=1, border_padding=True),  # zero points between the rows
    Layer(
        7, 14, 16, 8, pad=1, border_padding=True, low=-100
    ),  # blocks that go on in the next row, bounds
    Layer(3, 5, 8, 36, pad=1, border_padding=True),
    Layer(4, 3, 12, 4, pad=1, border_padding=True),  # rows of less than a block
    Layer(9, 17, 8, 16, kernel=5, pad=2, border_padding=True),
    Layer(11, 23, 32, 8, stride=2, pad=1, border_padding=True),
    Layer(6, 8, 64, 30, pad=1, border_padding=True),  # channels that are no fours
    Layer(6, 6, 16, 12, pad=1, border_padding=True, rule="q32"),
    Layer(5, 36, 3, 16, stride=1, pad=1, border_padding=True),  # copies
    Layer(6, 18, 3, 8, pad=1, border_padding=True, low=-90),
    Layer(1, 1, 300, 52, kernel=0, low=-90),
    Layer(1, 1, 33, 13, kernel=0),
    Layer(1, 1, 33, 13, kernel=0, rule="q32"),
)
BESIDE = (
    Layer(16, 16, 32, 64, pad=1, border_padding=True),
    Layer(16, 16, 8, 16, pad=1, border_padding=True),
    Layer(8, 8, 64, 4, pad=1, border_padding=True),
    Layer(7, 14, 32, 48, pad=1, border_padding=True),
    Layer(3, 10, 16, 32, pad=1, border_padding=True),
    Layer(12, 6, 32, 16, pad=1, border_padding=True),
    Layer(8, 16, 8, 8, kernel=5, pad=2, border_padding=True),
    Layer(17, 16, 32, 4, stride=2, pad=1, border_padding=True),
    Layer(8, 64, 3, 32, pad=1, border_padding=True),
    Layer(4, 48, 3, 16, pad=1, border_padding=True),
    Layer(4, 4, 320, 96, kernel=1),
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
STACK = 620  # bytes of a core, some of them the program's


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


def test_eight_cores_compute_what_numerics_says(tmp_path: Path) -> None:
    _, wrong, stack = run_layers(tmp_path, RIGHT)
    assert wrong == [0] * len(RIGHT)
    assert stack <= STACK


@pytest.mark.parametrize(("layers", "near"), [(ESTIMATED, 0.04), (BESIDE, 0.03)])
def test_the_estimate_is_near(layers: tuple[Layer, ...], near: float, tmp_path: Path) -> None:
    cycles, _, _ = run_layers(tmp_path, layers)
    for layer, taken in zip(layers, cycles, strict=True):
        estimate = convolution_cycles if layer.kernel else fully_connected_cycles
        assert estimate(layer.seen) == pytest.approx(taken, rel=near), layer
