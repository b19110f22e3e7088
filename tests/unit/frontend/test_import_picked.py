"""Borders of the image's own elements, and images whose every element is one of the source's."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal, imported
from random_models import STEADY, equal, kinds

from deployer.errors import ModelError
from models import ModelBuilder

MOVES = {"Slice", "Concat", "MaxPool", "Resize", "Transpose"}


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
@pytest.mark.parametrize("pads", [(1, 1, 1, 1), (2, 0, 0, 3), (0, 3, 0, 0), (-1, 0, 0, -1)])
def test_a_border_of_the_images_own(mode: str, pads: tuple[int, ...], tmp_path: Path) -> None:
    s = ModelBuilder(1, opset=19)
    above, left, below, right = pads
    sides = s.constant(np.int64([0, 0, above, left, 0, 0, below, right]))
    x = s.node("Pad", s.conv(s.input(1, 3, 8, 7), (4, 3, 3, 3)), sides, mode=mode)
    graph = check_equal(s.model(s.conv(x, (2, 4, 1, 1))), tmp_path)
    assert set(kinds(graph)) - {"Conv2d"} <= MOVES


def test_a_border_of_some_axes(tmp_path: Path) -> None:
    s = ModelBuilder(2, opset=18)
    x, axes = s.input(1, 3, 6, 5), s.constant(np.int64([-1]))
    x = s.node("Pad", x, s.constant(np.int64([2, 1])), "", axes, mode="reflect")
    check_equal(s.model(s.conv(x, (2, 3, 3, 3))), tmp_path)


def test_negative_pads_crop(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    x = s.node("Pad", s.input(1, 3, 6, 5), s.constant(np.int64([0, 0, -1, 0, 0, 0, 0, -2])))
    graph = check_equal(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)
    assert "Pad" not in kinds(graph)


@pytest.mark.parametrize("where", ["asymmetric", "half_pixel", "align_corners"])
@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize("size", [(3, 3), (4, 2), (9, 7), (8, 12), (5, 6)])
def test_nearest_to_any_size(
    where: str, rounding: str, size: tuple[int, int], tmp_path: Path
) -> None:
    s = ModelBuilder(4)
    sizes = s.constant(np.int64([1, 3, *size]))
    attrs = {"coordinate_transformation_mode": where, "nearest_mode": rounding}
    x = s.node("Resize", s.input(1, 3, 6, 6), "", "", sizes, mode="nearest", **attrs)
    graph = check_equal(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)
    assert set(kinds(graph)) - {"Conv2d"} <= MOVES


@STEADY
@given(
    size=st.integers(2, 12),
    scale=st.one_of(st.sampled_from([0.2, 0.3, 0.4, 0.6, 0.7, 1.2, 1.4, 2.5]), st.floats(0.2, 2.9)),
    where=st.sampled_from(["asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners"]),
    rounding=st.sampled_from(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]),
)
def test_nearest_by_any_scale(size: int, scale: float, where: str, rounding: str) -> None:
    """As ONNX Runtime has it, or refused where other arithmetic would choose others."""
    if int(size * scale) == 0:
        return
    s = ModelBuilder(5)
    scales = s.constant(np.float32([1, 1, scale, scale]))
    attrs = {"coordinate_transformation_mode": where, "nearest_mode": rounding}
    x = s.node("Resize", s.input(1, 2, size, size), "", scales, mode="nearest", **attrs)
    with contextlib.suppress(ModelError):
        equal(s.model(s.conv(x, (2, 2, 1, 1))))


@STEADY
@given(
    size=st.integers(1, 40),
    target=st.integers(1, 40),
    where=st.sampled_from(["asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners"]),
    rounding=st.sampled_from(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]),
)
def test_nearest_to_drawn_sizes(size: int, target: int, where: str, rounding: str) -> None:
    s = ModelBuilder(10)
    sizes = s.constant(np.int64([1, 2, 3, target]))
    attrs = {"coordinate_transformation_mode": where, "nearest_mode": rounding}
    x = s.node("Resize", s.input(1, 2, 3, size), "", "", sizes, mode="nearest", **attrs)
    with contextlib.suppress(ModelError):  # more pieces than are made
        equal(s.model(s.conv(x, (2, 2, 1, 1))))


def test_what_rounding_decides_is_refused(tmp_path: Path) -> None:
    """Output 9 lies at 7.5 by a scale of 1.2, which is no float."""
    s = ModelBuilder(9)
    scales = s.constant(np.float32([1, 1, 1.2, 1]))
    where = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "round_prefer_ceil"}
    x = s.node("Resize", s.input(1, 3, 10, 4), "", scales, mode="nearest", **where)
    with pytest.raises(ModelError, match="Resize needs"):
        imported(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)


@pytest.mark.parametrize(
    ("where", "factor"), [("asymmetric", 2), ("asymmetric", 3), ("half_pixel", 3)]
)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_samples_that_lie_on_elements(where: str, factor: int, mode: str, tmp_path: Path) -> None:
    s = ModelBuilder(6)
    sizes = s.constant(np.int64([1, 3, 12 // factor, 12 // factor]))
    x = s.input(1, 3, 12, 12)
    x = s.node("Resize", x, "", "", sizes, mode=mode, coordinate_transformation_mode=where)
    check_equal(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)


@pytest.mark.parametrize("size", [(4, 6), (4, 5), (5, 8)])
@pytest.mark.parametrize("where", ["half_pixel", "pytorch_half_pixel"])
def test_linear_to_half_is_a_mean(size: tuple[int, int], where: str, tmp_path: Path) -> None:
    s = ModelBuilder(8)
    scales = s.constant(np.float32([1, 1, 0.5, 0.5 if size[1] < 8 else 1]))
    x = s.input(1, 3, *size)
    x = s.node("Resize", x, "", scales, mode="linear", coordinate_transformation_mode=where)
    graph = check_equal(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)
    assert kinds(graph)[0] == "AveragePool"


@pytest.mark.parametrize("kind", ["Pad", "Resize"])
def test_what_is_too_large_takes_no_memory(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(11)
    x, far = s.input(1, 3, 6, 6), 1 << 40
    if kind == "Pad":
        x = s.node("Pad", x, s.constant(np.int64([0, 0, far, 0, 0, 0, 0, far])), mode="edge")
    else:
        x = s.node("Resize", x, "", "", s.constant(np.int64([1, 3, far, 7])), mode="nearest")
    with pytest.raises(ModelError):
        imported(s.model(s.node("Relu", x), checked=False), tmp_path)
