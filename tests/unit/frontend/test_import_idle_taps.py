"""Rows and columns of a window that meet padding only leave it; the numbers stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from onnx_equal import check_equal
from random_models import STEADY, equal, kinds

from deployer.ir import Pads, Window, window_output
from models import ModelBuilder

# size, window, of it what stays
CONVOLUTIONS = {
    "a column": (
        (8, 1),
        Window((3, 3), pads=Pads(1, 1, 1, 1)),
        Window((3, 1), pads=Pads(1, 0, 1, 0)),
    ),
    "a row": ((1, 8), Window((3, 3), pads=Pads(1, 1, 1, 1)), Window((1, 3), pads=Pads(0, 1, 0, 1))),
    "a pixel": ((1, 1), Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1)), Window((1, 1))),
    "two columns": (
        (8, 2),
        Window((3, 5), pads=Pads(1, 2, 1, 2)),
        Window((3, 3), pads=Pads(1, 1, 1, 1)),
    ),
    "dilation": (
        (2, 8),
        Window((3, 3), (1, 1), (2, 2), Pads(2, 2, 2, 2)),
        Window((1, 3), (1, 1), (2, 2), Pads(0, 2, 0, 2)),
    ),
    "steps": (
        (8, 2),
        Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1)),
        Window((3, 2), (2, 1), pads=Pads(1, 0, 1, 0)),
    ),
    "an input behind": (
        (8, 4),
        Window((3, 3), (1, 3), pads=Pads(1, 1, 1, 0)),
        Window((3, 2), (1, 3), pads=Pads(1, 0, 1, 0)),
    ),
    "nothing idle": ((8, 3), Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1)), None),
    "one output of two columns": (
        (8, 2),
        Window((3, 4), (1, 2), pads=Pads(1, 1, 1, 1)),
        Window((3, 2), pads=Pads(1, 0, 1, 0)),
    ),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str, tmp_path: Path) -> None:
    size, window, kept = CONVOLUTIONS[name]
    s = ModelBuilder(1)
    y = s.conv(s.input(1, 3, *size), (4, 3, *window.kernel), **_attrs(window))
    graph = check_equal(s.model(y), tmp_path)
    assert graph.nodes[0].attrs.window == (kept or window)


def test_one_filter_per_channel_becomes_part_of_the_layer_before(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.conv(s.input(1, 3, 2, 2), (4, 3, 2, 2))
    graph = check_equal(s.model(s.conv(x, (4, 1, 3, 3), pads=[1, 1, 1, 1], group=4)), tmp_path)
    assert kinds(graph) == ["Conv2d"]


def test_weights_of_two_readers_stay_whole_for_the_other(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    weights = s.constant(s.rng.normal(size=(3, 3, 3, 3)).astype(np.float32))
    thin = s.node("Conv", s.input(1, 3, 6, 1), weights, pads=[1, 1, 1, 1])
    wide = s.node("Conv", s.input(1, 3, 6, 6, name="other"), weights, pads=[1, 1, 1, 1])
    graph = check_equal(s.model(thin, wide), tmp_path)
    assert sorted(node.attrs.window.kernel for node in graph.nodes) == [(3, 1), (3, 3)]


@pytest.mark.parametrize(
    ("kernel", "stride", "pads", "kept"),
    [
        ((1, 4), (1, 1), (0, 1, 0, 2), Window((1, 1))),
        ((3, 3), (2, 2), (1, 1, 0, 1), Window((3, 1), (2, 1), pads=Pads(1, 0, 0, 0))),
        ((3, 3), (2, 2), (1, 1, 0, 0), Window((3, 2), (2, 2), pads=Pads(1, 0, 0, 0))),
        ((3, 3), (1, 1), (1, 0, 1, 0), Window((3, 3), (1, 3), pads=Pads(1, 0, 1, 0))),
        ((3, 3), (3, 3), (0, 0, 0, 0), Window((3, 3), (3, 3))),
    ],
)
def test_transposed_convolutions_of_a_column(
    kernel: tuple[int, int],
    stride: tuple[int, int],
    pads: tuple[int, ...],
    kept: Window,
    tmp_path: Path,
) -> None:
    s = ModelBuilder(4)
    weights = s.weight(3, 4, *kernel)
    x = s.node("ConvTranspose", s.input(1, 3, 6, 1), weights, strides=stride, pads=pads)
    graph = check_equal(s.model(x), tmp_path)
    assert graph.nodes[0].attrs.window == kept


@STEADY
@given(data=st.data())
def test_any_convolution(data: st.DataObject) -> None:
    pick = lambda low, high: (data.draw(st.integers(low, high)), data.draw(st.integers(low, high)))  # noqa: E731
    pads = Pads(*pick(0, 5), *pick(0, 5))
    window = Window(pick(1, 5), pick(1, 3), pick(1, 3), pads)
    size = pick(1, 4)
    assume(min(window_output(window, *size)) > 0)
    s = ModelBuilder(data.draw(st.integers(0, 99)))
    groups = data.draw(st.sampled_from([1, 2]))
    y = s.conv(
        s.input(1, 2, *size), (4, 2 // groups, *window.kernel), group=groups, **_attrs(window)
    )
    equal(s.model(y))


def _attrs(window: Window) -> dict[str, list[int]]:
    pads = window.pads
    return {
        "strides": list(window.stride),
        "dilations": list(window.dilation),
        "pads": [pads.top, pads.left, pads.bottom, pads.right],
    }
