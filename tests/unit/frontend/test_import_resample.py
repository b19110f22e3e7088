"""Resize to any size: outputs that are sums of neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal, imported
from random_models import STEADY, equal, kinds

from deployer.errors import ModelError
from exporters import Style

WHERE = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def resized(s: Style, x: str, sizes: tuple[int, ...], **attrs: object) -> str:
    return s.node("Resize", x, "", "", s.constant(np.int64(sizes)), **attrs)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("size", [(7, 11), (20, 6), (4, 5), (12, 3)])
def test_to_any_size(mode: str, where: str, size: tuple[int, int], tmp_path: Path) -> None:
    s = Style(1, opset=13)
    x = s.conv(s.input(1, 3, 9, 8), (4, 3, 2, 2))
    attrs = {"mode": mode, "coordinate_transformation_mode": where}
    graph = check_equal(s.model(resized(s, x, (1, 4, *size), **attrs)), tmp_path)
    assert {node.op for node in graph.nodes} <= {"Conv2d", "Resample", "Slice", "Concat", "Resize"}


def test_an_image_is_made_smaller_first(tmp_path: Path) -> None:
    """What is left for the other axis is less."""
    s = Style(2, opset=13)
    x = s.conv(s.input(1, 3, 9, 8), (4, 3, 2, 2))
    attrs = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    graph = check_equal(s.model(resized(s, x, (1, 4, 11, 5), **attrs)), tmp_path)
    assert [node.attrs.axis for node in graph.nodes if node.op == "Resample"] == [2, 1]


def test_an_axis_that_stays_is_not_touched(tmp_path: Path) -> None:
    s = Style(3, opset=13)
    x = s.conv(s.input(1, 3, 9, 8), (4, 3, 2, 2))
    graph = check_equal(s.model(resized(s, x, (1, 4, 8, 10), mode="linear")), tmp_path)
    assert [node.attrs.axis for node in graph.nodes if node.op == "Resample"] == [2]


def test_of_a_sequence(tmp_path: Path) -> None:
    s = Style(4, opset=13)
    x = s.node("Tanh", s.input(1, 4, 9))
    graph = check_equal(s.model(resized(s, x, (1, 4, 13), mode="linear")), tmp_path)
    assert [node.attrs.axis for node in graph.nodes if node.op == "Resample"] == [2]


@pytest.mark.parametrize(
    "attrs", [{"cubic_coeff_a": -0.5}, {"exclude_outside": 1}, {"cubic_coeff_a": -0.6}]
)
def test_other_cubics(attrs: dict, tmp_path: Path) -> None:
    s = Style(5, opset=13)
    x = s.conv(s.input(1, 3, 9, 8), (4, 3, 2, 2))
    check_equal(s.model(resized(s, x, (1, 4, 11, 5), mode="cubic", **attrs)), tmp_path)


@STEADY
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 12),
    st.integers(1, 12),
    st.sampled_from(WHERE),
    st.sampled_from(["linear", "cubic"]),
)
def test_sizes_of_all_kinds(
    height: int, width: int, tall: int, wide: int, where: str, mode: str
) -> None:
    s = Style(6, opset=13)
    attrs = {"mode": mode, "coordinate_transformation_mode": where}
    model = s.model(resized(s, s.input(1, 2, height, width), (1, 2, tall, wide), **attrs))
    assert set(kinds(equal(model))) <= {"Resample", "Resize", "Slice", "Concat", "AveragePool"}


def test_smoothing_is_refused_with_words(tmp_path: Path) -> None:
    s = Style(7, opset=18)
    x = s.conv(s.input(1, 3, 9, 8), (4, 3, 2, 2))
    with pytest.raises(ModelError) as refusal:
        imported(s.model(resized(s, x, (1, 4, 5, 5), mode="linear", antialias=1)), tmp_path)
    assert "antialias=1" in str(refusal.value)
