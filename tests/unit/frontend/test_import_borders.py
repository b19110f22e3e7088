"""A Pad before a window joins it only where the numbers stay the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx_equal import check_equal
from random_models import kinds

from models import ModelBuilder

BORDER = [0, 0, 1, 1, 0, 0, 1, 1]
Source = Callable[[ModelBuilder, str], str]

SOURCES: dict[str, tuple[Source, bool]] = {  # whether no element can be below zero
    "the input": (lambda s, x: x, False),
    "a convolution": (lambda s, x: s.conv(x, (3, 3, 1, 1)), False),
    "a relu": (lambda s, x: s.relu(s.conv(x, (3, 3, 1, 1))), True),
    "a clip below zero": (
        lambda s, x: s.node("Clip", x, s.constant(np.float32(-1)), s.constant(np.float32(6))),
        False,
    ),
    "a sigmoid": (lambda s, x: s.node("Sigmoid", x), True),
    "a tanh": (lambda s, x: s.node("Tanh", x), False),
    "a softmax": (lambda s, x: s.node("Softmax", x, axis=1), True),
    "a pool of a relu": (
        lambda s, x: s.node("MaxPool", s.relu(s.conv(x, (3, 3, 1, 1))), kernel_shape=[2, 2]),
        True,
    ),
    "a pool of a convolution": (
        lambda s, x: s.node("MaxPool", s.conv(x, (3, 3, 1, 1)), kernel_shape=[2, 2]),
        False,
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_maximum_takes_zeros_along_where_nothing_is_below(source: str, tmp_path: Path) -> None:
    make, positive = SOURCES[source]
    s = ModelBuilder(3)
    x = s.node("Pad", make(s, s.input(1, 3, 8, 8)), s.constant(np.int64(BORDER)))
    y = s.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2])
    graph = check_equal(s.model(s.conv(y, (2, 3, 1, 1))), tmp_path)
    assert ("Pad" in kinds(graph)) == (not positive)


@pytest.mark.parametrize("op", ["Conv", "AveragePool"])
def test_sums_take_zeros_along(op: str, tmp_path: Path) -> None:
    s = ModelBuilder(4)
    x = s.node("Pad", s.input(1, 3, 8, 8), s.constant(np.int64(BORDER)))
    windows = {"kernel_shape": [3, 3]}
    y = s.node(op, x, **windows) if op == "AveragePool" else s.conv(x, (4, 3, 3, 3))
    assert "Pad" not in kinds(check_equal(s.model(y), tmp_path))


@pytest.mark.parametrize("counted", [0, 1])
def test_a_mean_that_leaves_its_own_pads_out_does_not_take_others_in(
    counted: int, tmp_path: Path
) -> None:
    s = ModelBuilder(5)
    x = s.node("Pad", s.input(1, 3, 8, 8), s.constant(np.int64(BORDER)))
    own = {"pads": [1, 1, 1, 1], "count_include_pad": counted}
    y = s.node("AveragePool", x, kernel_shape=[3, 3], **own)
    assert ("Pad" in kinds(check_equal(s.model(y), tmp_path))) == (not counted)


@pytest.mark.parametrize(
    ("pads", "value"), [(BORDER, 1.0), ([0, 1, 1, 1, 0, 0, 1, 1], 0.0)], ids=["ones", "channels"]
)
def test_other_borders_stay(pads: list[int], value: float, tmp_path: Path) -> None:
    s = ModelBuilder(6)
    x = s.node(
        "Pad", s.input(1, 3, 8, 8), s.constant(np.int64(pads)), s.constant(np.float32(value))
    )
    y = s.conv(x, (4, 3 + pads[1], 3, 3))
    assert "Pad" in kinds(check_equal(s.model(y), tmp_path))


def test_windows_grow_on_the_side_of_the_border(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    x = s.node("Pad", s.input(1, 3, 8, 8), s.constant(np.int64([0, 0, 1, 0, 0, 0, 2, 3])))
    graph = check_equal(s.model(s.conv(x, (4, 3, 5, 5), pads=[0, 1, 1, 0])), tmp_path)
    (node,) = graph.nodes
    pads = node.attrs.window.pads
    assert (pads.top, pads.left, pads.bottom, pads.right) == (1, 1, 3, 3)
