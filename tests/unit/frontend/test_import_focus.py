"""Slices with steps, and YOLOv5's Focus as the SpaceToDepth that it is."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal
from random_models import STEADY, equal, kinds

from exporters import TO_NCHW, Style

Piece = Callable[[Style, str, int, int, int], str]
YOLO = ((0, 0), (1, 0), (0, 1), (1, 1))
_END = 2**63 - 1


def torchscript(s: Style, x: str, row: int, column: int, block: int) -> str:
    """A Slice for each axis, its numbers by Constant nodes."""
    y = s.node("Slice", x, s.ints(row), s.ints(_END), s.ints(2), s.ints(block))
    return s.node("Slice", y, s.ints(column), s.ints(_END), s.ints(3), s.ints(block))


def dynamo(s: Style, x: str, row: int, column: int, block: int) -> str:
    """Initializers, negative axes, the columns first."""
    for axis, first in ((-1, column), (-2, row)):
        numbers = (s.constant(np.int64([n])) for n in (first, _END, axis, block))
        x = s.node("Slice", x, *numbers)
    return x


def helper(s: Style, x: str, row: int, column: int, block: int) -> str:
    """One Slice of all axes."""
    sizes = s.ints(1, 99, 99, 99)
    return s.node(
        *("Slice", x, s.ints(0, 0, row, column), sizes),
        *(s.ints(0, 1, 2, 3), s.ints(1, 1, block, block)),
    )


def focus(s: Style, x: str, piece: Piece, order: tuple[tuple[int, int], ...] = YOLO) -> str:
    block = max(row for row, _ in order) + 1
    return s.node("Concat", *(piece(s, x, *place, block) for place in order), axis=1)


@pytest.mark.parametrize("piece", [torchscript, dynamo, helper])
def test_focus_is_one_operator_whose_order_the_weights_take(piece: Piece, tmp_path: Path) -> None:
    s = Style(1, opset=13)
    x = s.relu(s.conv(focus(s, s.input(1, 3, 8, 6), piece), (4, 12, 3, 3)))
    graph = check_equal(s.model(x, checked=False), tmp_path)
    assert kinds(graph) == ["SpaceToDepth", "Conv2d"]


def test_focus_of_tensorflow(tmp_path: Path) -> None:
    """NHWC, with a Transpose before the layer."""
    s = Style(2, opset=13)
    x = s.input(1, 8, 6, 3)
    parts = []
    for row, column in YOLO:
        ends, steps = s.ints(1, 8, 6, 3), s.ints(1, 2, 2, 1)
        parts.append(s.node("Slice", x, s.ints(0, row, column, 0), ends, s.ints(0, 1, 2, 3), steps))
    x = s.node("Transpose", s.node("Concat", *parts, axis=3), perm=TO_NCHW)
    graph = check_equal(s.model(s.conv(x, (4, 12, 3, 3)), checked=False), tmp_path)
    assert kinds(graph) == ["SpaceToDepth", "Conv2d"]


@pytest.mark.parametrize("readers", ["none", "pool", "grouped", "two", "returned"])
def test_others_than_convolutions_get_the_order(readers: str, tmp_path: Path) -> None:
    s = Style(3, opset=13)
    x = focus(s, s.input(1, 2, 6, 4), torchscript)
    outputs = [x]
    if readers == "pool":
        outputs = [s.node("GlobalAveragePool", x)]
    if readers == "grouped":
        outputs = [s.conv(x, (8, 2, 1, 1), group=4)]
    if readers == "two":
        outputs = [s.conv(x, (8, 8, 1, 1)), s.relu(x)]
    if readers == "returned":
        outputs = [s.conv(x, (8, 8, 1, 1)), x]
    graph = check_equal(s.model(*outputs, checked=False), tmp_path)
    assert kinds(graph).count("SpaceToDepth") >= 1


def test_weights_that_two_layers_share_are_ordered_for_one(tmp_path: Path) -> None:
    s = Style(4, opset=13)
    x = s.input(1, 3, 8, 6)
    weights = s.weight(12, 12, 1, 1)
    y = s.node("Conv", focus(s, x, torchscript), weights)
    check_equal(s.model(s.node("Conv", y, weights), checked=False), tmp_path)


@STEADY
@given(
    block=st.integers(2, 3),
    data=st.data(),
    channels=st.integers(1, 3),
    rows=st.integers(1, 3),
    columns=st.integers(1, 3),
)
def test_any_order_of_any_block(
    block: int, data: st.DataObject, channels: int, rows: int, columns: int
) -> None:
    places = list(itertools.product(range(block), repeat=2))
    order = tuple(data.draw(st.permutations(places)))
    s = Style(5, opset=13)
    x = focus(s, s.input(1, channels, block * rows, block * columns), torchscript, order)
    graph = equal(s.model(s.conv(x, (2, channels * block**2, 1, 1)), checked=False))
    assert kinds(graph) == ["SpaceToDepth", "Conv2d"]


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((1, 3, 8, 6), ((0, 0), (1, 0), (0, 1), (0, 1))),
        ((1, 3, 8, 6), ((0, 0), (1, 1))),
        ((1, 3, 8, 6), ((0, 0), (1, 0), (0, 1), (1, 1), (0, 0))),
    ],
)
def test_what_only_looks_like_focus(
    shape: tuple[int, ...], order: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    s = Style(6, opset=13)
    graph = check_equal(
        s.model(focus(s, s.input(*shape), torchscript, order), checked=False), tmp_path
    )
    assert "SpaceToDepth" not in kinds(graph)


@STEADY
@given(data=st.data())
def test_slices_of_any_steps(data: st.DataObject) -> None:
    """Both signs, along every axis but the batch."""
    shape = data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    s = Style(7, opset=13)
    x = s.input(1, *shape)
    numbers = []
    for size in shape:
        step = data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, size - 1)] * 2)))
        begin, end = (first, last + 1) if step > 0 else (last, first - 1 - size * (first == 0))
        numbers.append((begin, end, step))
    begins, ends, steps = zip(*numbers, strict=True)
    axes = s.ints(*range(1, 1 + len(shape)))
    x = s.node("Slice", x, s.ints(*begins), s.ints(*ends), axes, s.ints(*steps))
    equal(s.model(x, checked=False))
