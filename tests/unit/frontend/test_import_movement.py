"""Operators that move elements: Concat, Split, Slice, Pad, blocks, shuffles, transposes."""

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

SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=3)


def drawn_input(data: st.DataObject, seed: int = 0) -> tuple[ModelBuilder, str, list[int]]:
    """A model with an input of rank 2 to 4 behind a layer, so that no rule can drop it."""
    shape = [1, *data.draw(SHAPES)]
    s = ModelBuilder(seed, opset=data.draw(st.sampled_from([13, 18, 21])))
    return s, s.node("Sigmoid", s.input(*shape)), shape


@STEADY
@given(data=st.data())
def test_concat_along_any_axis(data: st.DataObject) -> None:
    s, x, shape = drawn_input(data)
    axis = data.draw(st.integers(1, len(shape) - 1))
    other = list(shape)
    other[axis] = data.draw(st.integers(1, 4))
    y = s.input(*other, name="second")
    parts = data.draw(st.permutations([x, y, x]))
    signed = axis - data.draw(st.sampled_from([0, len(shape)]))
    assert "Concat" in kinds(equal(s.model(s.node("Concat", *parts, axis=signed))))


@STEADY
@given(data=st.data())
def test_split_of_any_kind(data: st.DataObject) -> None:
    s, x, shape = drawn_input(data)
    axis = data.draw(st.integers(1, len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    shape[axis] = sum(sizes)
    s._inputs.clear()
    s.input(*shape)
    outputs = [f"part{i}" for i in range(len(sizes))]
    inputs, attrs = [x, s.constant(np.int64(sizes))], {"axis": axis}
    if s.opset >= 18 and len(set(sizes)) == 1 and data.draw(st.booleans()):
        inputs, attrs = [x], {"axis": axis, "num_outputs": len(sizes)}
    s.node_of("Split", inputs, outputs, **attrs)
    used = data.draw(st.integers(1, len(sizes)))
    graph = equal(s.model(*(s.relu(name) for name in outputs[:used])))
    expected = 0 if len(sizes) == 1 else used
    assert kinds(graph).count("Slice") == expected


@STEADY
@given(data=st.data())
def test_slices(data: st.DataObject) -> None:
    s, x, shape = drawn_input(data)
    axes = data.draw(st.lists(st.integers(1, len(shape) - 1), unique=True, min_size=1))
    starts, ends = [], []
    for axis in axes:
        begin = data.draw(st.integers(0, shape[axis] - 1))
        end = data.draw(st.integers(begin + 1, shape[axis]))
        starts.append(begin - data.draw(st.sampled_from([0, shape[axis]])))
        far = end == shape[axis] and data.draw(st.booleans())
        ends.append(2**62 if far else end)
    signed = [axis - data.draw(st.sampled_from([0, len(shape)])) for axis in axes]
    numbers = [s.constant(np.int64(n)) for n in (starts, ends, signed)]
    equal(s.model(s.node("Slice", x, *numbers)))


@STEADY
@given(data=st.data())
def test_pads_of_any_axis(data: st.DataObject) -> None:
    s, x, shape = drawn_input(data)
    sides = [[0, *(data.draw(st.integers(0, 2)) for _ in shape[1:])] for _ in range(2)]
    value = data.draw(st.sampled_from([None, 0.0, -1.5, 3.0]))
    more = [] if value is None else [s.constant(np.float32(value))]
    y = s.node("Pad", x, s.constant(np.int64(sides[0] + sides[1])), *more)
    graph = equal(s.model(y))
    assert ("Pad" in kinds(graph)) == (sum(map(sum, sides)) > 0)


@STEADY
@given(data=st.data())
def test_blocks(data: st.DataObject) -> None:
    block, channels = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    height, width = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    s = ModelBuilder(0)
    if data.draw(st.booleans()):
        x = s.input(1, channels * block**2, height, width)
        mode = data.draw(st.sampled_from(["DCR", "CRD"]))
        y = s.node("DepthToSpace", x, blocksize=block, mode=mode)
    else:
        x = s.input(1, channels, height * block, width * block)
        y = s.node("SpaceToDepth", x, blocksize=block)
    equal(s.model(s.node("Tanh", y)))


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_channel_shuffle_is_one_transpose(groups: int, tmp_path: Path) -> None:
    s = ModelBuilder(1)
    x = s.relu(s.conv(s.input(1, 3, 6, 5), (12, 3, 1, 1)))
    x = s.node("Reshape", x, s.constant(np.int64([1, groups, 12 // groups, 6, 5])))
    x = s.node("Transpose", x, perm=[0, 2, 1, 3, 4])
    x = s.node("Reshape", x, s.constant(np.int64([1, -1, 6, 5])))
    graph = check_equal(s.model(s.conv(x, (4, 12, 3, 3))), tmp_path)
    assert kinds(graph) == ["Conv2d", "Transpose", "Conv2d"]
    assert any("transposes that remain: 1, moving 360 elements" in note for note in graph.notes)


def test_shuffled_halves_of_a_split(tmp_path: Path) -> None:
    """The unit of ShuffleNet V2."""
    s = ModelBuilder(2)
    x = s.relu(s.conv(s.input(1, 3, 6, 6), (8, 3, 1, 1)))
    s.node_of("Split", [x], ["left", "right"], axis=1)
    y = s.relu(s.conv("right", (4, 4, 1, 1)))
    x = s.node("Concat", "left", y, axis=1)
    x = s.node("Reshape", x, s.constant(np.int64([1, 2, 4, 6, 6])))
    x = s.node("Transpose", x, perm=[0, 2, 1, 3, 4])
    x = s.node("Reshape", x, s.constant(np.int64([1, 8, 6, 6])))
    graph = check_equal(s.model(s.conv(x, (4, 8, 3, 3))), tmp_path)
    assert kinds(graph) == ["Conv2d", "Slice", "Slice", "Conv2d", "Concat", "Transpose", "Conv2d"]


@STEADY
@given(data=st.data())
def test_chains_of_reshapes_and_transposes(data: st.DataObject) -> None:
    """Whatever the chain, the result is right; four axes in disorder are more than a kernel has."""
    factors = data.draw(st.lists(st.sampled_from([2, 3]), min_size=2, max_size=4))
    s = ModelBuilder(3)
    x = s.node("Sigmoid", s.input(1, *factors)) if len(factors) < 4 else s.input(1, *factors)
    count = int(np.prod(factors))
    shape = [1, *factors]
    for _ in range(data.draw(st.integers(1, 3))):
        perm = [0, *data.draw(st.permutations(range(1, len(shape))))]
        x, shape = s.node("Transpose", x, perm=perm), [shape[i] for i in perm]
        first = data.draw(st.sampled_from([n for n in (1, 2, 3, 6) if count % n == 0]))
        shape = [1, first, count // first]
        x = s.node("Reshape", x, s.constant(np.int64(shape)))
    with contextlib.suppress(ModelError):
        equal(s.model(s.node("Tanh", x)))


def test_pads_of_pieces_that_cannot_fold_stay_one_node(tmp_path: Path) -> None:
    s = ModelBuilder(4)
    x = s.conv(s.input(1, 3, 6, 5), (4, 3, 1, 1))
    x = s.node("Pad", x, s.constant(np.int64([0, 2, 0, 0, 0, 2, 0, 0])))
    graph = check_equal(s.model(s.conv(x, (4, 8, 3, 3))), tmp_path)
    assert kinds(graph) == ["Conv2d", "Pad", "Conv2d"]


@pytest.mark.parametrize(
    ("kind", "inputs", "attrs", "found"),
    [
        ("Concat", ["input"], {"axis": 0}, "batch"),
        ("Slice", [[0], [1], [0], [0]], {}, r"steps of 1, the batch whole|does not fit its inputs"),
        ("Slice", [[0, 0], [2, 2], [2, 2]], {}, "does not fit its inputs"),
        ("Pad", [[0, 0, 1, -1, 0, 0, 1, 0]], {"mode": "edge"}, "found mode=edge"),
        ("Pad", [[0, 0, -1, 0, 0, 0, 1, 0]], {}, "all pads negative or none.*found pads="),
    ],
)
def test_refusals(kind: str, inputs: list, attrs: dict, found: str, tmp_path: Path) -> None:
    s = ModelBuilder(5)
    x = s.input(1, 2, 4, 4)
    names = [item if isinstance(item, str) else s.constant(np.asarray(item)) for item in inputs]
    model = s.model(s.node(kind, x, *names, **attrs), checked=False)
    with pytest.raises(ModelError, match=found):
        imported(model, tmp_path)


@pytest.mark.parametrize("attrs", [{"num_outputs": 1}, {"num_outputs": 3}])
def test_a_split_into_other_numbers_of_parts_is_refused(attrs: dict, tmp_path: Path) -> None:
    """Shape inference of the onnx package would end the process."""
    s = ModelBuilder(6, opset=18)
    s.node_of("Split", [s.input(1, 4, 4, 4)], ["a", "b"], axis=1, **attrs)
    nodes, s._nodes = s._nodes, []
    model = s.model("a", "b", checked=False)
    model.graph.node.extend(nodes)
    with pytest.raises(ModelError, match="parts are 2 outputs"):
        imported(model, tmp_path)
