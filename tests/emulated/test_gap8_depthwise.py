"""Depthwise convolutions of any window, stride, dilation and multiplier on eight cores: what
they compute, how quickly, and the estimate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.emulated.gap8_depthwise import DepthwiseLayer as Layer
from tests.emulated.gap8_depthwise import run_depthwise
from tests.emulated.gap8_programs import COMPILER

RIGHT = (
    Layer(25, 21, 10, (2, 3), (3, 2), (3, 4), pads=(2, 3, 1, 5)),
    Layer(13, 1, 2, (7, 1), (3, 3), (3, 2), pads=(5, 0, 4, 0), low=-50),
    Layer(5, 3, 7, (1, 3), multiplier=3, low=-30),  # runs whose last ones repeat
    Layer(7, 9, 2, stride=(2, 2), multiplier=3, pads=(1, 1, 1, 1)),
    Layer(9, 9, 10, multiplier=2, pads=(2, 2, 2, 2), low=-100),
    Layer(5, 6, 7, (1, 1), multiplier=3),
    Layer(3, 3, 7, (1, 1), low=-3),  # no pixel of four times the channels for most cores
    Layer(1, 1, 5, (1, 1)),
    Layer(12, 11, 9, (5, 1), dilation=(2, 1), rule="q32"),
)
QUICK = {  # products a cycle, at least
    Layer(16, 16, 64, (9, 1), pads=(4, 0, 4, 0)): 3.0,
    Layer(25, 10, 64, (9, 1)): 2.8,
    Layer(64, 1, 64, (7, 1), (2, 1), (2, 1), 2): 2.2,
    Layer(128, 1, 40, (9, 1), (3, 1), multiplier=2): 2.2,
    Layer(16, 16, 64, (5, 5), (2, 2), pads=(2, 2, 2, 2)): 3.8,
    Layer(24, 24, 24, (5, 5), dilation=(2, 2)): 3.8,
    Layer(20, 33, 16, (10, 4), (3, 3)): 2.8,
    Layer(16, 16, 8, multiplier=4, pads=(1, 1, 1, 1)): 6.3,
    Layer(24, 24, 3, pads=(1, 1, 1, 1)): 3.7,
    Layer(12, 12, 63, (7, 7)): 4.0,
    Layer(16, 16, 64, (1, 1)): 1.4,
    Layer(16, 16, 17, (1, 1)): 1.05,
}
OFF = 0.11
STACK = 620  # bytes of a core, some of them the program's


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


def test_eight_cores_compute_what_numerics_says(tmp_path: Path) -> None:
    _, wrong, stack = run_depthwise(tmp_path, RIGHT)
    assert not any(wrong)
    assert stack <= STACK


def test_no_window_is_slow_and_estimates_say_so(tmp_path: Path) -> None:
    layers = tuple(QUICK)
    cycles, wrong, stack = run_depthwise(tmp_path, layers)
    assert not any(wrong)
    assert stack <= STACK
    for layer, took in zip(layers, cycles, strict=True):
        assert layer.macs / took >= QUICK[layer], layer
        assert layer.entry.cycles is not None
        assert took == pytest.approx(layer.entry.cycles(layer.case), rel=OFF), layer
