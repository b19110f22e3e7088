"""Nodes among more axes than the device has, as exporters write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx_equal import check_equal, imported
from random_models import kinds

from deployer.errors import ModelError
from exporters import Style


@pytest.mark.parametrize("unbind", ["split", "gather"])
def test_queries_keys_and_values_of_one_product(unbind: str, tmp_path: Path) -> None:
    """timm and PyTorch: reshape (1, T, 3, H, D), permute (2, 0, 3, 1, 4), unbind."""
    s = Style(1, opset=17)
    rows, heads, depth = 9, 4, 8
    x = s.node("MatMul", s.input(1, rows, 32), s.weight(32, 3 * heads * depth))
    x = s.node("Reshape", x, s.ints(1, rows, 3, heads, depth))
    x = s.node("Transpose", x, perm=[2, 0, 3, 1, 4])
    if unbind == "split":
        parts = ["queries", "keys", "values"]
        s.node_of("Split", [x, s.ints(1, 1, 1)], parts, axis=0)
        q, k, v = (s.node("Squeeze", part, s.ints(0)) for part in parts)
    else:
        q, k, v = (s.node("Gather", x, s.constant(np.int64(i)), axis=0) for i in range(3))
    scores = s.node("MatMul", q, s.node("Transpose", k, perm=[0, 1, 3, 2]))
    scores = s.node("Mul", scores, s.constant(np.float32(depth**-0.5)))
    mixed = s.node("MatMul", s.node("Softmax", scores, axis=-1), v)
    mixed = s.node("Transpose", mixed, perm=[0, 2, 1, 3])
    graph = check_equal(s.model(s.node("Reshape", mixed, s.ints(1, rows, 32))), tmp_path)
    made = kinds(graph)
    assert (made.count("MatMul"), made.count("Slice"), made.count("Softmax")) == (2, 3, 1)
    assert max(len(graph.values[node.output].shape) for node in graph.nodes) <= 4


def test_paddle_pads_an_image_among_five_axes(tmp_path: Path) -> None:
    s = Style(2, opset=17)
    x = s.conv(s.input(1, 3, 6, 5), (4, 3, 3, 3))
    x = s.node("Unsqueeze", x, s.ints(2))
    x = s.node("Pad", x, s.ints(0, 0, 0, 2, 1, 0, 0, 0, 1, 2), s.constant(np.float32(0)))
    x = s.node("Squeeze", x, s.ints(2))
    graph = check_equal(s.model(s.conv(x, (2, 4, 3, 3))), tmp_path)
    assert [kind for kind in kinds(graph) if kind != "Pad"] == ["Conv2d", "Conv2d"]


def test_five_axes_that_are_all_padded_are_refused(tmp_path: Path) -> None:
    s = Style(3, opset=17)
    x = s.node("Reshape", s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)), s.ints(1, 2, 2, 4, 4))
    x = s.node("Pad", x, s.ints(0, 1, 1, 1, 1, 0, 1, 1, 1, 1), s.constant(np.float32(0)))
    with pytest.raises(ModelError, match="more than 4 axes"):
        imported(s.model(x), tmp_path)


def test_attention_with_its_steps_before_the_batch(tmp_path: Path) -> None:
    """torch's dynamo exporter of nn.MultiheadAttention: (T, 1, C) from the first Transpose on."""
    s = Style(4, opset=18)
    rows, heads, depth = 9, 4, 8
    width = heads * depth
    x = s.node("Transpose", s.input(1, rows, width), perm=[1, 0, 2])
    x = s.node("Add", s.node("MatMul", x, s.weight(width, 3 * width)), s.weight(3 * width))
    x = s.node("Unsqueeze", s.node("Reshape", x, s.ints(rows, 1, 3, width)), s.ints(0))
    x = s.node("Squeeze", s.node("Transpose", x, perm=[3, 1, 2, 0, 4]), s.ints(3))
    parts = [s.node("Gather", x, s.constant(np.int64(i)), axis=0) for i in range(3)]
    parts = [s.node("Reshape", part, s.ints(rows, heads, depth)) for part in parts]
    q, k, v = (s.node("Transpose", part, perm=[1, 0, 2]) for part in parts)
    q, v = (s.node("Reshape", each, s.ints(1, heads, rows, depth)) for each in (q, v))
    k = s.node("Reshape", s.node("Transpose", k, perm=[0, 2, 1]), s.ints(1, heads, depth, rows))
    mixed = s.node("MatMul", s.node("Softmax", s.node("MatMul", q, k), axis=-1), v)
    mixed = s.node("Transpose", mixed, perm=[2, 0, 1, 3])
    out = s.gemm(s.node("Reshape", mixed, s.ints(rows, width)), width, width)
    out = s.node("Transpose", s.node("Reshape", out, s.ints(rows, 1, width)), perm=[1, 0, 2])
    graph = check_equal(s.model(out), tmp_path)
    assert kinds(graph).count("MatMul") == 2
    assert all(graph.values[node.output].shape[0] == 1 for node in graph.nodes)


@pytest.mark.parametrize("joined", [True, False])
def test_steps_that_are_unrolled_behind_one_dense_layer(joined: bool, tmp_path: Path) -> None:
    """torch's dynamo exporter of nn.RNN with ``batch_first``."""
    s = Style(5, opset=18)
    steps, hidden = 5, 6
    x = s.node("Transpose", s.input(1, steps, 4), perm=[1, 0, 2])
    x = s.node("MatMul", x, s.weight(4, hidden))
    state, states = s.constant(np.zeros((1, 1, hidden), np.float32)), []
    weights, bias = s.weight(hidden, hidden), s.weight(hidden)
    for step in range(steps):
        now = s.node("Slice", x, s.ints(step), s.ints(step + 1), s.ints(0))
        now = s.node("Squeeze", now, s.ints(0))
        before = s.node("Add", s.node("MatMul", state, weights), bias) if step else bias
        state = (
            s.node("Tanh", s.node("Add", before, now))
            if step
            else s.node("Unsqueeze", s.node("Tanh", s.node("Add", now, before)), s.ints(0))
        )
        states.append(state)
    if joined:
        every = s.node("Transpose", s.node("Concat", *states, axis=0), perm=[1, 0, 2])
        graph = check_equal(s.model(every), tmp_path)
    else:
        graph = check_equal(s.model(s.node("Squeeze", states[-1], s.ints(0))), tmp_path)
    assert kinds(graph).count("Table") == steps


@pytest.mark.parametrize("constant", [(1,), (1, 1, 4, 5, 1), (1, 3, 1, 1, 2), (4, 5, 2), (2,)])
def test_arithmetic_on_five_axes_has_them_joined(constant: tuple[int, ...], tmp_path: Path) -> None:
    """Boxes of anchors: what one reads on the way has its five axes still."""
    s = Style(6, opset=17)
    x = s.conv(s.input(1, 3, 6, 7), (18, 3, 3, 3))
    x = s.node("Transpose", s.node("Reshape", x, s.ints(1, 3, 6, 4, 5)), perm=[0, 1, 3, 4, 2])
    x = s.node("Sigmoid", x)
    near = s.node("Slice", x, s.ints(0), s.ints(2), s.ints(-1))
    rest = s.node("Slice", x, s.ints(2), s.ints(6), s.ints(4))
    near = s.node("Add", s.node("Mul", near, s.weight(*constant)), near)
    joined = s.node("Concat", near, rest, axis=-1)
    flat = s.node("Reshape", joined, s.ints(1, 60, 6))
    other = s.node("Reshape", s.node("Transpose", near, perm=[0, 4, 1, 2, 3]), s.ints(1, 2, 60))
    graph = check_equal(s.model(flat, other), tmp_path)
    assert max(len(graph.values[node.output].shape) for node in graph.nodes) <= 4


def test_five_axes_that_are_all_worked_along_are_refused(tmp_path: Path) -> None:
    s = Style(7, opset=17)
    x = s.node("Reshape", s.conv(s.input(1, 3, 6, 6), (4, 3, 3, 3)), s.ints(1, 2, 2, 4, 4))
    for axis in (1, 2, 3, 4):
        x = s.node("Concat", x, x, axis=axis)
    with pytest.raises(ModelError, match="more than 4 axes"):
        imported(s.model(s.node("Relu", x)), tmp_path)
