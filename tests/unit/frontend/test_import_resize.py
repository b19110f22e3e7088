"""Resize and Upsample: what is magnification by whole factors, and what is refused."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper
from onnx_equal import check_equal, imported
from random_models import STEADY, equal, kinds

from deployer.errors import ModelError
from models import ModelBuilder

NEAREST = [
    ("asymmetric", "floor"),
    ("asymmetric", "ceil"),
    ("asymmetric", "round_prefer_floor"),
    ("asymmetric", "round_prefer_ceil"),
    ("half_pixel", "floor"),
    ("half_pixel", "ceil"),
    ("half_pixel", "round_prefer_floor"),
    ("half_pixel", "round_prefer_ceil"),
    ("pytorch_half_pixel", "round_prefer_floor"),
    ("tf_half_pixel_for_nn", "floor"),
]


def resized(s: ModelBuilder, *, factors: tuple[int, ...], by: str = "scales", **attrs: Any) -> str:
    """A Resize of a 4x3 image, or of a sequence of 4."""
    shape = (1, 2, *(4, 3)[: len(factors)])
    x = s.input(*shape)
    none = s.constant(np.float32([])) if s.opset < 13 else ""  # opset 11 has no empty names
    if by == "scales":
        return s.node("Resize", x, none, s.constant(np.float32([1, 1, *factors])), **attrs)
    sizes = [1, 2, *(n * f for n, f in zip(shape[2:], factors, strict=True))]
    return s.node("Resize", x, none, none, s.constant(np.int64(sizes)), **attrs)


@pytest.mark.parametrize("opset", [11, 13, 18, 19, 23])
@pytest.mark.parametrize("by", ["scales", "sizes"])
@pytest.mark.parametrize(("where", "rounding"), NEAREST)
@pytest.mark.parametrize("factors", [(2, 2), (3, 1), (4, 2)])
def test_nearest(
    opset: int, by: str, where: str, rounding: str, factors: tuple[int, int], tmp_path: Path
) -> None:
    if where == "tf_half_pixel_for_nn" and opset > 12:
        return  # gone from the standard
    s = ModelBuilder(1, opset=opset)
    x = resized(
        s, factors=factors, by=by, coordinate_transformation_mode=where, nearest_mode=rounding
    )
    graph = check_equal(s.model(x), tmp_path)
    assert [(n.op, n.attrs.factors, n.attrs.mode) for n in graph.nodes] == [
        ("Resize", factors, "nearest")
    ]


@pytest.mark.parametrize("opset", [11, 13, 19])
@pytest.mark.parametrize("where", ["half_pixel", "pytorch_half_pixel", "asymmetric"])
@pytest.mark.parametrize("factors", [(2, 2), (4, 1), (8, 2)])
def test_linear(opset: int, where: str, factors: tuple[int, int], tmp_path: Path) -> None:
    s = ModelBuilder(2, opset=opset)
    x = resized(s, factors=factors, mode="linear", coordinate_transformation_mode=where)
    graph = check_equal(s.model(x), tmp_path)
    attrs = graph.nodes[0].attrs
    assert (attrs.mode, attrs.half_pixel) == ("linear", where != "asymmetric")


@STEADY
@given(
    factor=st.integers(1, 8),
    where=st.sampled_from(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]),
    rounding=st.sampled_from(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]),
    mode=st.sampled_from(["nearest", "linear", "cubic"]),
)
def test_what_is_accepted_is_right(factor: int, where: str, rounding: str, mode: str) -> None:
    s = ModelBuilder(3)
    attrs = {"coordinate_transformation_mode": where, "nearest_mode": rounding, "mode": mode}
    model = s.model(resized(s, factors=(factor, factor), **attrs))
    with contextlib.suppress(ModelError):  # but never a wrong result
        equal(model)


def test_a_single_pixel_is_repeated_in_any_mode(tmp_path: Path) -> None:
    """Image pooling of segmentation heads."""
    s = ModelBuilder(4)
    x = s.node("GlobalAveragePool", s.input(1, 3, 5, 5))
    x = s.node(
        "Resize",
        x,
        "",
        "",
        s.constant(np.int64([1, 3, 5, 6])),
        mode="linear",
        coordinate_transformation_mode="align_corners",
    )
    assert kinds(check_equal(s.model(x), tmp_path)) == ["AveragePool", "Resize"]


def test_one_axis(tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = resized(s, factors=(2,), coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    graph = check_equal(s.model(x), tmp_path)
    assert graph.nodes[-1].op == "Transpose"  # an output of rank 3 has the model's order
    assert [node.attrs.factors for node in graph.nodes if node.op == "Resize"] == [(1, 2)]


@pytest.mark.parametrize("opset", [9, 10])
def test_before_opset_11(opset: int, tmp_path: Path) -> None:
    """Upsample of opset 9 and Resize of 10 are converted."""
    s = ModelBuilder(6, opset=opset)
    kind = "Upsample" if opset == 9 else "Resize"
    x = s.node(kind, s.input(1, 2, 4, 3), s.constant(np.float32([1, 1, 2, 2])), mode="nearest")
    graph = check_equal(s.model(s.relu(x)), tmp_path)
    assert "Resize" in kinds(graph)


@pytest.mark.parametrize(
    ("factors", "attrs"),
    [
        ((2, 2), {"mode": "cubic"}),
        ((3, 3), {"mode": "linear"}),
        ((2, 2), {"mode": "linear", "coordinate_transformation_mode": "align_corners"}),
    ],
)
def test_other_modes_are_sums_of_neighbours(
    factors: tuple[int, int], attrs: dict[str, Any], tmp_path: Path
) -> None:
    s = ModelBuilder(7)
    graph = check_equal(s.model(resized(s, factors=factors, **attrs)), tmp_path)
    assert kinds(graph).count("Resample") == 2


@pytest.mark.parametrize("scales", [[1, 1, 0.25, 0.25], [1, 1, 1.5, 2], [1, 1, 2.2, 2]])
def test_other_scales_are_sums_of_neighbours(scales: list[float], tmp_path: Path) -> None:
    """The last makes as many rows as twice the input has, at other places."""
    s = ModelBuilder(8)
    scale = s.constant(np.float32(scales))
    x = s.node("Resize", s.input(1, 2, 4, 4), "", scale, mode="linear")
    assert "Resample" in kinds(check_equal(s.model(x), tmp_path))


def test_more_channels_are_refused(tmp_path: Path) -> None:
    s = ModelBuilder(8)
    scale = s.constant(np.float32([1, 2, 1, 1]))
    x = s.node("Resize", s.input(1, 2, 4, 4), "", scale, mode="linear")
    with pytest.raises(ModelError, match=r"found \[1, 2, 4, 4\] to "):
        imported(s.model(x), tmp_path)


def test_computed_sizes_are_refused(tmp_path: Path) -> None:
    s = ModelBuilder(10)
    sizes = helper.make_tensor_value_info("sizes", 1, [4])
    model = s.model(s.node("Resize", s.input(1, 2, 4, 4), "", "sizes"), checked=False)
    model.graph.input.append(sizes)
    with pytest.raises(ModelError, match="1 of 1 nodes cannot be deployed"):
        imported(model, tmp_path)
