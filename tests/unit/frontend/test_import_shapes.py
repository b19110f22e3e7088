"""Reshapes and transposes keep the meaning of ONNX's NCHW, and vanish where they can."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx_equal import check_equal, imported

from deployer.errors import ModelError
from deployer.ir.graph import Graph
from models import ModelBuilder


def moving(graph: Graph) -> list[str]:
    """Nodes that move bytes without computing."""
    return [node.name for node in graph.nodes if node.op == "Transpose"]


def image(s: ModelBuilder) -> str:
    return s.relu(s.conv(s.input(1, 2, 5, 4), (3, 2, 2, 2)))  # 1x3x4x3


def flattened(s: ModelBuilder, x: str, form: str) -> str:
    if form == "Flatten":
        return s.node("Flatten", x)
    if form == "Reshape":
        return s.node("Reshape", x, s.constant([0, -1]))
    if form == "Reshape1":
        return s.node("Reshape", x, s.constant([1, 36]))
    swapped = s.node("Transpose", x, perm=[0, 3, 1, 2])
    return s.node("Reshape", swapped, s.constant([1, 36]))


@pytest.mark.parametrize("form", ["Flatten", "Reshape", "Reshape1", "Transpose"])
def test_a_flattened_image_costs_nothing_before_a_dense_layer(form: str, tmp_path: Path) -> None:
    """The dense layer's weight columns are put in NHWC order."""
    s = ModelBuilder(1)
    graph = check_equal(s.model(s.gemm(flattened(s, image(s), form), 36, 5)), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "Reshape", "FullyConnected"]


def test_two_dense_layers_and_an_output_share_a_flattened_image(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.node("Flatten", image(s))
    graph = check_equal(s.model(s.gemm(x, 36, 5), s.gemm(x, 36, 2), x), tmp_path)
    assert len(moving(graph)) == 1  # for the output, which the user sees in ONNX order
    assert any(note.startswith("transposes that remain: 1") for note in graph.notes)


def test_an_activation_behind_flatten_still_joins_the_convolution(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    x = s.conv(s.input(1, 2, 5, 4), (3, 2, 2, 2))
    graph = check_equal(s.model(s.gemm(s.relu6(s.node("Flatten", x)), 36, 5)), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "Reshape", "FullyConnected"]


def test_a_dense_layer_that_makes_an_image_costs_nothing(tmp_path: Path) -> None:
    """The dense layer's rows are put in NHWC order."""
    s = ModelBuilder(4)
    x = s.relu(s.gemm(s.input(1, 6), 6, 24))
    x = s.node("Reshape", x, s.constant([1, 2, 4, 3]))
    graph = check_equal(s.model(s.conv(x, (3, 2, 2, 2))), tmp_path)
    assert [node.op for node in graph.nodes] == ["FullyConnected", "Reshape", "Conv2d"]


def test_squeezed_axes_of_pooled_features_are_aliases(tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = s.node("GlobalAveragePool", image(s))
    x = s.node("Squeeze", x, s.constant([2, 3]))
    x = s.node("Unsqueeze", x, s.constant([2, 3]))
    x = s.node("Squeeze", s.conv(x, (4, 3, 1, 1)), s.constant([-1, -2]))
    graph = check_equal(s.model(s.gemm(x, 4, 2)), tmp_path)
    assert not moving(graph)


def test_squeeze_axes_were_an_attribute_before_opset_13(tmp_path: Path) -> None:
    s = ModelBuilder(6, opset=11)
    x = s.node("GlobalAveragePool", image(s))
    graph = check_equal(s.model(s.gemm(s.node("Squeeze", x, axes=[2, 3]), 3, 2)), tmp_path)
    assert not moving(graph)


def test_reshape_with_allowzero_and_copied_axes(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    x = s.node("Reshape", image(s), s.constant([0, 0, -1, 1]))
    x = s.node("Reshape", s.relu(x), s.constant([1, 3, 4, 3]), allowzero=1)
    graph = check_equal(s.model(s.conv(x, (2, 3, 2, 2))), tmp_path)
    assert not moving(graph)


def test_identity_dropout_and_cast_leave_no_node(tmp_path: Path) -> None:
    s = ModelBuilder(8)
    x = s.node("Identity", image(s))
    x = s.node("Dropout", x, s.constant(np.float32(0.5)))
    x = s.node("Cast", x, to=1)
    graph = check_equal(s.model(s.node("Identity", x)), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d"]


def test_a_value_that_is_two_outputs_keeps_both_names(tmp_path: Path) -> None:
    s = ModelBuilder(9)
    x = image(s)
    y = s.node("Identity", x)
    graph = check_equal(s.model(x, y), tmp_path)
    assert graph.outputs == (x, y)


def test_an_input_that_is_an_output_keeps_both_names(tmp_path: Path) -> None:
    s = ModelBuilder(10)
    check_equal(s.model(s.node("Identity", s.input(1, 3, 2, 2))), tmp_path)


def test_transposes_that_cancel_are_removed(tmp_path: Path) -> None:
    s = ModelBuilder(11)
    x = s.node("Transpose", image(s), perm=[0, 2, 3, 1])
    x = s.relu(s.node("Identity", x))
    x = s.node("Transpose", x, perm=[0, 3, 1, 2])
    graph = check_equal(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)
    assert [node.op for node in graph.nodes] == ["Conv2d", "Conv2d"]


def test_a_transpose_of_axes_of_one_is_an_alias(tmp_path: Path) -> None:
    s = ModelBuilder(12)
    x = s.node("Transpose", s.node("GlobalMaxPool", image(s)), perm=[0, 3, 1, 2])
    assert not moving(check_equal(s.model(s.node("Flatten", x)), tmp_path))


def test_a_real_transpose_survives_and_is_counted(tmp_path: Path) -> None:
    s = ModelBuilder(13)
    x = s.node("Transpose", image(s), perm=[0, 1, 3, 2])
    graph = check_equal(s.model(s.conv(x, (2, 3, 1, 1))), tmp_path)
    assert len(moving(graph)) == 1
    assert "transposes that remain: 1, moving 36 elements (transpose_2/transpose)" in graph.notes


def test_channel_shuffle_runs_on_transposes_of_four_axes(tmp_path: Path) -> None:
    s = ModelBuilder(14)
    x = s.relu(s.conv(s.input(1, 2, 5, 4), (6, 2, 2, 2)))
    x = s.node("Reshape", x, s.constant([1, 2, 3, 4, 3]))
    x = s.node("Transpose", x, perm=[0, 2, 1, 3, 4])
    x = s.node("Reshape", x, s.constant([1, 6, 4, 3]))
    graph = check_equal(s.model(s.conv(x, (2, 6, 1, 1))), tmp_path)
    assert max(len(graph.values[node.output].shape) for node in graph.nodes) == 4


def test_five_axes_are_several_transposes(tmp_path: Path) -> None:
    s = ModelBuilder(15)
    x = s.node("Reshape", s.input(1, 64), s.constant([1, 2, 2, 2, 8]))
    x = s.node("Transpose", x, perm=[0, 4, 3, 2, 1])
    graph = check_equal(s.model(s.node("Reshape", x, s.constant([1, 64]))), tmp_path)
    assert max(len(graph.values[node.output].shape) for node in graph.nodes) == 4


def test_layers_along_all_of_five_axes_are_refused(tmp_path: Path) -> None:
    s = ModelBuilder(15)
    x = s.node("Reshape", s.input(1, 64), s.constant([1, 2, 2, 2, 8]))
    x = s.node("Transpose", x, perm=[0, 4, 3, 2, 1])
    for axis, end in enumerate((6, 1, 1, 1), 1):
        bounds = (s.constant([number]) for number in (0, end, axis))
        x = s.node("Slice", s.node("Concat", x, x, axis=axis), *bounds)
    with pytest.raises(ModelError, match="more than 4 axes"):
        imported(s.model(s.node("Reshape", x, s.constant([1, 6]))), tmp_path)


def test_an_input_in_nhwc_order(tmp_path: Path) -> None:
    """What tf2onnx writes: the device takes the input as the model does."""
    s = ModelBuilder(16)
    x = s.node("Transpose", s.input(1, 6, 5, 3), perm=[0, 3, 1, 2])
    x = s.node("Transpose", s.conv(x, (4, 3, 2, 2)), perm=[0, 2, 3, 1])
    graph = check_equal(s.model(x), tmp_path)
    assert graph.values["input"].shape == (1, 6, 5, 3)
    assert graph.meta["model_layout/input"] == "NHWC"
    assert [node.op for node in graph.nodes] == ["Conv2d", "Transpose"]


def test_a_target_shape_for_another_input_is_refused(tmp_path: Path) -> None:
    """Shape inference does not count elements."""
    s = ModelBuilder(17)
    model = s.model(s.node("Reshape", s.input(1, 4, 2, 2), s.constant([1, 4, 8])), checked=False)
    with pytest.raises(ModelError, match=r"found \[1, 4, 2, 2\] to \[1, 4, 8\]|does not fit"):
        imported(model, tmp_path)


def test_an_axis_twice_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(17)
    model = s.model(s.node("Transpose", s.input(1, 4, 4, 4), perm=[0, 1, 1, 3]), checked=False)
    with pytest.raises(ModelError, match=r"perm=\[0, 1, 1, 3\]|does not fit"):
        imported(model, tmp_path)


def test_moving_the_batch_is_refused(tmp_path: Path) -> None:
    s = ModelBuilder(17)
    with pytest.raises(ModelError, match=r"batch of 1 in axis 0.*has shape \[5, 1\]"):
        imported(s.model(s.node("Transpose", s.input(1, 5), perm=[1, 0])), tmp_path)
    s = ModelBuilder(17)
    with pytest.raises(ModelError, match=r"batch of 1 in axis 0.*has shape \[3, 4\]"):
        imported(s.model(s.node("Reshape", s.input(1, 12), s.constant([3, 4]))), tmp_path)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(st.integers(0, 10_000), min_size=1, max_size=6), head=st.booleans())
def test_random_chains_of_shape_operators(steps: list[int], head: bool, tmp_path: Path) -> None:
    """Each number picks the next reshape, transpose, activation, pool or batch norm."""
    s = ModelBuilder(18)
    x, shape = s.conv(s.input(1, 2, 5, 4), (4, 2, 2, 2)), (1, 4, 4, 3)
    for step in steps:
        x, shape = random_step(s, x, shape, step)
    if head:
        x = s.gemm(s.node("Reshape", x, s.constant([1, -1])), int(np.prod(shape)), 3)
    check_equal(s.model(x), tmp_path)


def random_step(
    s: ModelBuilder, x: str, shape: tuple[int, ...], number: int
) -> tuple[str, tuple[int, ...]]:
    kind, choice = number % 5, number // 5
    if kind == 0:
        return s.relu6(x), shape
    if kind == 1:
        rank = len(shape)
        perm = [0, *(1 + (i + choice) % (rank - 1) for i in range(rank - 1))]
        return s.node("Transpose", x, perm=perm), tuple(shape[axis] for axis in perm)
    if kind == 2 and len(shape) == 4:
        return s.node("AveragePool", x, kernel_shape=[1, 1]), shape
    if kind == 3:
        return s.batch_norm(x, shape[1]), shape
    total = int(np.prod(shape))
    forms = [(1, a, b, total // a // b) for a in (1, 2, 3, 4) for b in (1, 2, 6, 12)]
    forms = [form for form in forms if np.prod(form) == total] + [(1, total), (1, 4, total // 4)]
    form = forms[choice % len(forms)]
    return s.node("Reshape", x, s.constant(list(form))), form
