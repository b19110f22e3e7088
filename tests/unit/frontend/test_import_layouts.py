"""Sequences, rank 2, several inputs and outputs, and layers reached through transposes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_equal import check_equal
from random_models import STEADY, equal, kinds

from models import ModelBuilder


def test_a_sequence_network_has_no_transpose(tmp_path: Path) -> None:
    """Conv1D with stride, dilation, depthwise; pools; residual; the host turns the input."""
    s = ModelBuilder(1)
    x = s.relu(s.batch_norm(s.conv(s.input(1, 3, 32), (8, 3, 5), strides=[2], pads=[2, 2]), 8))
    y = s.conv(x, (8, 1, 3), group=8, dilations=[2], pads=[2, 2])
    x = s.relu(s.node("Add", s.conv(y, (8, 8, 1)), x))
    x = s.node("MaxPool", x, kernel_shape=[2], strides=[2])
    x = s.node("Concat", x, s.node("AveragePool", x, kernel_shape=[3], pads=[1, 1]), axis=1)
    x = s.node("Flatten", s.node("GlobalAveragePool", x))
    graph = check_equal(s.model(s.gemm(x, 16, 4)), tmp_path)
    assert kinds(graph) == [
        *("Conv2d", "DepthwiseConv2d", "Conv2d", "Add", "MaxPool", "AveragePool", "Concat"),
        *("AveragePool", "FullyConnected"),
    ]
    assert graph.meta["model_layout/input"] == "NCL"
    assert graph.values["input"].shape == (1, 32, 3)


def test_a_sequence_out(tmp_path: Path) -> None:
    s = ModelBuilder(2)
    x = s.node("ConvTranspose", s.input(1, 4, 8), s.weight(4, 2, 4), strides=[2], pads=[1, 1])
    graph = check_equal(s.model(s.node("Tanh", x)), tmp_path)
    assert graph.values["output"].shape == (1, 2, 16)
    assert kinds(graph) == ["ConvTranspose2d", "Table", "Transpose"]


def test_a_sequence_with_a_unit_axis(tmp_path: Path) -> None:
    s = ModelBuilder(3)
    x = s.node("Unsqueeze", s.input(1, 3, 20), s.constant(np.int64([2])))
    x = s.relu(s.conv(x, (6, 3, 1, 3), strides=[1, 2]))
    x = s.node("Squeeze", x, s.constant(np.int64([2])))
    x = s.conv(x, (4, 6, 3))
    graph = check_equal(s.model(s.gemm(s.node("Flatten", x), 28, 5)), tmp_path)
    assert kinds(graph) == ["Conv2d", "Conv2d", "FullyConnected"]


def test_frames_turned_into_an_image(tmp_path: Path) -> None:
    """(1, time, features) seen as an image of one channel moves nothing."""
    s = ModelBuilder(4)
    x = s.node("Unsqueeze", s.input(1, 10, 7), s.constant(np.int64([1])))
    graph = check_equal(s.model(s.conv(x, (3, 1, 3, 3))), tmp_path)
    assert kinds(graph) == ["Conv2d"]
    assert "model_layout/input" not in graph.meta
    assert graph.values["input"].shape == (1, 10, 7)


def test_a_channels_last_sequence_goes_in_as_it_is(tmp_path: Path) -> None:
    """Keras Conv1D: NLC in the model, NLC on the device."""
    s = ModelBuilder(5)
    x = s.node("Transpose", s.input(1, 20, 3), perm=[0, 2, 1])
    x = s.node("Transpose", s.conv(x, (4, 3, 3)), perm=[0, 2, 1])
    graph = check_equal(s.model(s.relu(x)), tmp_path)
    assert kinds(graph) == ["Conv2d"]
    assert graph.values["input"].shape == (1, 20, 3)
    assert graph.values["output"].shape == (1, 18, 4)


def test_several_inputs_and_outputs(tmp_path: Path) -> None:
    s = ModelBuilder(6)
    image, signal = s.input(1, 3, 8, 8, name="image"), s.input(1, 2, 16, name="signal")
    numbers = s.input(1, 5, name="numbers")
    x = s.relu(s.conv(image, (4, 3, 3, 3)))
    y = s.relu(s.conv(signal, (4, 2, 3)))
    joined = [s.node("Flatten", s.node("GlobalAveragePool", z)) for z in (x, y)]
    z = s.gemm(s.node("Concat", *joined, numbers, axis=1), 13, 6)
    graph = check_equal(s.model(z, x, s.node("Sigmoid", z)), tmp_path)
    assert graph.inputs == ("image", "signal", "numbers")
    assert len(graph.outputs) == 3


def test_an_input_read_in_two_layouts_keeps_its_own(tmp_path: Path) -> None:
    s = ModelBuilder(7)
    x = s.input(1, 6, 6, 3)
    y = s.conv(s.node("Transpose", x, perm=[0, 3, 1, 2]), (4, 3, 3, 3))
    z = s.conv(x, (2, 6, 3, 1))
    graph = check_equal(s.model(y, z), tmp_path)
    assert "model_layout/input" not in graph.meta
    assert kinds(graph).count("Transpose") == 1


def test_two_layers_behind_one_nhwc_input(tmp_path: Path) -> None:
    s = ModelBuilder(8)
    x = s.input(1, 6, 6, 3)
    left, right = (s.node("Transpose", x, perm=[0, 3, 1, 2]) for _ in range(2))
    x = s.node("Add", s.conv(left, (4, 3, 3, 3)), s.conv(right, (4, 3, 3, 3)))
    graph = check_equal(s.model(s.node("Add", x, x)), tmp_path)
    assert graph.meta["model_layout/input"] == "NHWC"
    assert kinds(graph) == ["Conv2d", "Conv2d", "Add", "Add"]


class Nhwc(ModelBuilder):
    """Steps of a network whose values are NHWC, four channels wide."""

    height = 8

    def number(self, value: float) -> str:
        return self.constant(np.float32(value))

    def turn(self, x: str) -> str:
        y = self.node("Transpose", x, perm=[0, 3, 1, 2])
        return self.node("Transpose", y, perm=[0, 2, 3, 1])

    def layer(self, x: str) -> str:
        y = self.node("Transpose", x, perm=[0, 3, 1, 2])
        y = self.conv(y, (4, 4, 3, 3), pads=[1, 1, 1, 1])
        return self.node("Transpose", y, perm=[0, 2, 3, 1])

    def table(self, x: str) -> str:
        return self.node("Tanh", x)

    def clip(self, x: str) -> str:
        return self.node("Clip", x, self.number(-1), self.number(0.5))

    def scale(self, x: str) -> str:
        return self.node("Mul", x, self.number(0.5))

    def shift(self, x: str) -> str:
        return self.node("Add", x, self.weight(4))

    def border(self, x: str) -> str:
        self.height += 1
        return self.node("Pad", x, self.constant([0, 1, 0, 0, 0, 0, 0, 0]))

    def crop(self, x: str) -> str:
        self.height -= 1
        ends = self.constant([self.height])
        return self.node("Slice", x, self.constant([0]), ends, self.constant([1]))

    def gate(self, x: str) -> str:
        return self.node("Mul", x, self.node("Sigmoid", self.node("ReduceMean", x, axes=[1, 2])))

    def residual(self, x: str) -> str:
        return self.node("Add", x, self.node("Mul", x, self.node("Sigmoid", x)))


KINDS = (
    *("layer", "table", "clip", "scale", "shift"),
    *("border", "crop", "gate", "residual", "turn"),
)


@STEADY
@given(steps=st.lists(st.sampled_from(KINDS), max_size=7), seed=st.integers(0, 99))
def test_random_nhwc_networks(steps: list[str], seed: int) -> None:
    """Whatever stands between the transposes, and wherever they fork, the result is right."""
    s = Nhwc(seed)
    x = s.input(1, 8, 8, 4)
    for step in steps:
        x = getattr(s, step)(x)
    equal(s.model(s.node("Elu", x) if not steps else x))


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_a_scalar_for_all(rank: int, tmp_path: Path) -> None:
    s = ModelBuilder(9)
    x = s.node("Tanh", s.input(*(1, 4, 3, 2)[:rank]))
    x = s.node("Sub", s.constant(np.float32(1)), s.node("Div", x, s.constant(np.float32([[2]]))))
    assert "Transpose" not in kinds(check_equal(s.model(x), tmp_path)) or rank == 3
