"""Convolutions and pools of every shape: equal to ONNX Runtime, with the pads ONNX means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from onnx_equal import check_equal, imported

from deployer.errors import ModelError
from deployer.ir.attrs import Clamp, Pads
from models import ModelBuilder

RANDOM = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MODES = st.sampled_from(["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])


def pair(low: int, high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high), min_size=2, max_size=2)


@st.composite
def windows(draw: st.DrawFn, *, largest_pad: int | None = None) -> dict[str, Any]:
    """Attributes common to Conv and pools; pads stay below the kernel unless allowed more."""
    kernel = draw(pair(1, 4))
    mode = draw(MODES)
    attrs = {"kernel_shape": kernel, "strides": draw(pair(1, 3)), "auto_pad": mode}
    if mode == "NOTSET":
        most = [largest_pad if largest_pad is not None else k - 1 for k in kernel] * 2
        attrs["pads"] = [draw(st.integers(0, limit)) for limit in most]
    return attrs


@RANDOM
@given(
    attrs=windows(largest_pad=4),
    dilations=pair(1, 2),
    size=pair(4, 9),
    group=st.sampled_from([(1, 1), (1, 3), (3, 1), (4, 1), (2, 2)]),
    multiple=st.integers(1, 2),
    bias=st.booleans(),
)
def test_random_convolutions(
    attrs: dict[str, Any],
    dilations: list[int],
    size: list[int],
    group: tuple[int, int],
    multiple: int,
    bias: bool,
    tmp_path: Path,
) -> None:
    groups, per_group = group
    if attrs["auto_pad"].startswith("SAME"):
        dilations = [1, 1]  # ONNX leaves the combination open
    spans = [(k - 1) * d + 1 for k, d in zip(attrs["kernel_shape"], dilations, strict=True)]
    top, left, bottom, right = attrs.get("pads", [0, 0, 0, 0])
    padded = [size[0] + top + bottom, size[1] + left + right]
    assume(attrs["auto_pad"].startswith("SAME") or all(map(int.__ge__, padded, spans)))
    s = ModelBuilder(1)
    x = s.input(1, groups * per_group, *size)
    weights = (groups * multiple, per_group, *attrs["kernel_shape"])
    model = s.model(s.conv(x, weights, bias=bias, group=groups, dilations=dilations, **attrs))
    (node,) = check_equal(model, tmp_path).nodes
    depthwise = groups > 1 and per_group == 1
    assert node.op == ("DepthwiseConv2d" if depthwise else "Conv2d")


@RANDOM
@given(
    kind=st.sampled_from(["AveragePool", "MaxPool"]),
    attrs=windows(),
    size=pair(4, 9),
    ceil=st.booleans(),
    include=st.booleans(),
)
def test_random_pools(
    kind: str, attrs: dict[str, Any], size: list[int], ceil: bool, include: bool, tmp_path: Path
) -> None:
    # ONNX Runtime refuses pools whose stride is above the kernel with SAME pads.
    wide = all(map(int.__ge__, attrs["kernel_shape"], attrs["strides"]))
    assume(wide or not attrs["auto_pad"].startswith("SAME"))
    if kind == "AveragePool":
        attrs = {**attrs, "count_include_pad": int(include)}
    attrs = {**attrs, "ceil_mode": int(ceil)}
    s = ModelBuilder(2, opset=22)
    model = s.model(s.node(kind, s.input(1, 3, *size), **attrs))
    mixed = attrs.get("count_include_pad") and ceil and any(attrs.get("pads", []))
    try:
        check_equal(model, tmp_path)
    except ModelError:
        if not mixed:
            raise


def pool(kind: str, shape: tuple[int, ...] = (1, 3, 7, 7), **attrs: Any) -> Any:
    s = ModelBuilder(3, opset=22)
    return s.model(s.node(kind, s.input(*shape), **attrs))


def test_dilated_max_pool(tmp_path: Path) -> None:
    model = pool("MaxPool", kernel_shape=[2, 3], dilations=[2, 2], strides=[1, 2])
    check_equal(model, tmp_path)


def test_a_window_that_lies_in_the_padding_is_refused(tmp_path: Path) -> None:
    model = pool("MaxPool", (1, 2, 1, 9), kernel_shape=[2, 2], dilations=[2, 1], pads=[1, 0, 1, 0])
    with pytest.raises(ModelError, match="a window that lies in the padding"):
        imported(model, tmp_path)


def test_ceil_mode_becomes_pads_below_and_right(tmp_path: Path) -> None:
    model = pool("MaxPool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    (node,) = check_equal(model, tmp_path).nodes
    assert node.attrs.window.pads == Pads(0, 0, 1, 1)


def test_ceil_mode_pads_never_count_in_the_average(tmp_path: Path) -> None:
    attrs = {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1, "count_include_pad": 1}
    (node,) = check_equal(pool("AveragePool", **attrs), tmp_path).nodes
    assert not node.attrs.count_include_pad
    mixed = pool("AveragePool", **attrs | {"kernel_shape": [3, 3], "pads": [1, 1, 0, 0]})
    with pytest.raises(ModelError, match=r"ceil_mode with count_include_pad .* both, with pads"):
        imported(mixed, tmp_path)


@pytest.mark.parametrize("kind", ["GlobalAveragePool", "GlobalMaxPool"])
def test_global_pools_cover_the_image(kind: str, tmp_path: Path) -> None:
    (node,) = check_equal(pool(kind, (1, 3, 5, 4)), tmp_path).nodes
    assert (node.op, node.attrs.window.kernel) == (kind.removeprefix("Global"), (5, 4))


@pytest.mark.parametrize("axes", [[2, 3], [-1, -2], [3], [-2]])
@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("opset", [13, 18])
def test_reduce_mean_is_a_pool(axes: list[int], keep: int, opset: int, tmp_path: Path) -> None:
    """Axes are an attribute before opset 18 and an input from then on."""
    s = ModelBuilder(4, opset=opset)
    x = s.relu(s.conv(s.input(1, 2, 5, 4), (6, 2, 1, 1)))
    if opset < 18:
        y = s.node("ReduceMean", x, axes=axes, keepdims=keep)
    else:
        y = s.node("ReduceMean", x, s.constant(axes), keepdims=keep)
    graph = check_equal(s.model(y), tmp_path)
    assert [node.op for node in graph.nodes][:2] == ["Conv2d", "AveragePool"]


@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("axes", [[1], [1, 2], [1, 3], [-1]])
@pytest.mark.parametrize("shape", [(1, 2, 5, 4), (1, 2, 5)])
def test_reduce_mean_over_other_axes(
    axes: list[int], keep: int, shape: tuple[int, ...], tmp_path: Path
) -> None:
    """NHWC models pool over axes 1 and 2."""
    s = ModelBuilder(4, opset=13)
    if len(axes) > len(shape) - 2:
        return
    graph = check_equal(
        s.model(s.node("ReduceMean", s.input(*shape), axes=axes, keepdims=keep)), tmp_path
    )
    assert "AveragePool" in [node.op for node in graph.nodes]


@pytest.mark.parametrize("kind", ["Conv", "AveragePool", "MaxPool"])
def test_activations_join_the_layer(kind: str, tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = s.input(1, 3, 6, 6)
    y = s.conv(x, (3, 3, 2, 2)) if kind == "Conv" else s.node(kind, x, kernel_shape=[2, 2])
    (node,) = check_equal(s.model(s.relu6(s.relu(y))), tmp_path).nodes
    assert node.attrs.clamp == Clamp(0.0, 6.0)


def border(s: ModelBuilder, x: str, pads: list[int], value: float = 0.0) -> str:
    return s.node("Pad", x, s.constant(np_pads(pads)), s.constant(np.float32(value)))


def np_pads(pads: list[int]) -> list[int]:
    """top, left, bottom, right as ONNX's eight numbers."""
    top, left, bottom, right = pads
    return [0, 0, top, left, 0, 0, bottom, right]


@pytest.mark.parametrize(
    ("kind", "attrs"),
    [
        ("Conv", {"pads": [1, 0, 0, 1], "strides": [2, 2]}),
        ("AveragePool", {}),
        ("AveragePool", {"pads": [1, 0, 1, 1], "count_include_pad": 1}),
        ("MaxPool", {}),
    ],
)
def test_a_pad_joins_the_window_behind_it(kind: str, attrs: dict[str, Any], tmp_path: Path) -> None:
    s = ModelBuilder(6)
    x = border(s, s.relu(s.conv(s.input(1, 3, 6, 6), (4, 3, 1, 1))), [1, 2, 0, 1])
    if kind == "Conv":
        y = s.conv(x, (2, 4, 3, 3), **attrs)
    else:
        y = s.node(kind, x, kernel_shape=[3, 3], **attrs)
    assert len(check_equal(s.model(y), tmp_path).nodes) == 2


@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool", "Relu"])
def test_a_pad_that_cannot_join_stays_exact(kind: str, tmp_path: Path) -> None:
    """Zeros may win a maximum over negatives; padding may not count in an average."""
    s = ModelBuilder(7)
    x = border(s, s.conv(s.input(1, 3, 6, 6), (4, 3, 1, 1)), [1, 2, 0, 1])
    attrs = {} if kind == "Relu" else {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    y = s.node(kind, x, **attrs)
    graph = check_equal(s.model(y), tmp_path)
    assert graph.nodes[1].op == "Pad"
