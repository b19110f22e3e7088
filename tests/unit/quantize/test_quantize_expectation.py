"""Mean inputs of taps against the mean over every window, tap by tap."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import Draft, noise

from deployer.ir.attrs import ConvTransposeAttrs, Pads, Window
from deployer.numerics.windows import taps
from deployer.quantize.expectation import expected_inputs
from deployer.quantize.linear_layers import tap_phases, weight_rows

WINDOW = Window((3, 2), (2, 1), pads=Pads(2, 0, 1, 1))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_convolution(groups: int) -> None:
    """For inputs that are constant per channel the means are exact, padding included."""
    draft = Draft(1, 6, 5, 4)
    draft.conv("x", 8, WINDOW, groups=groups)
    graph = draft.graph(draft.nodes[0].output)
    node, mean = graph.nodes[0], np.array([1.0, -2.0, 3.0, 0.5])
    x = np.broadcast_to(mean, (1, 6, 5, 4))
    by_tap = taps(x, WINDOW, 0).mean(axis=(0, 1, 2))  # (channels, kh, kw)
    found = expected_inputs(graph, node, mean)
    for out in range(8):
        first = out * groups // 8 * (4 // groups)
        expected = by_tap[first : first + 4 // groups].transpose(1, 2, 0).ravel()
        np.testing.assert_allclose(found[out], expected)


@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(multiplier: int) -> None:
    draft = Draft(1, 6, 5, 2)
    draft.depthwise("x", WINDOW, multiplier=multiplier)
    graph = draft.graph(draft.nodes[0].output)
    mean = np.array([4.0, -1.0])
    by_tap = taps(np.broadcast_to(mean, (1, 6, 5, 2)), WINDOW, 0).mean(axis=(0, 1, 2))
    found = expected_inputs(graph, graph.nodes[0], mean)
    for out in range(2 * multiplier):
        np.testing.assert_allclose(found[out], by_tap[out // multiplier].ravel())


def test_dense_rows_all_see_the_same_means() -> None:
    draft = Draft(1, 7)
    draft.dense("x", 3)
    graph = draft.graph(draft.nodes[0].output)
    mean = noise(graph).arrays["x"].mean(axis=0)
    found = expected_inputs(graph, graph.nodes[0], mean)
    assert np.array_equal(found, np.stack([mean] * 3))


def test_shapes_match_the_weight_rows() -> None:
    draft = Draft(1, 6, 5, 4)
    draft.depthwise(draft.conv("x", 8, WINDOW, groups=2), Window((2, 2)), multiplier=2)
    graph = draft.graph(draft.nodes[-1].output)
    for node in graph.nodes:
        rows = weight_rows(graph.constants[node.inputs[1]], graph.values[node.inputs[1]].layout)
        channels = graph.values[node.inputs[0]].shape[-1]
        assert expected_inputs(graph, node, np.ones(channels)).shape == rows.shape


@pytest.mark.parametrize("stride", [(1, 1), (2, 3), (3, 2), (1, 4), (3, 3)])
@pytest.mark.parametrize("dilation", [(1, 1), (2, 1), (2, 3)])
def test_taps_of_one_phase_are_those_that_can_meet_in_one_output(
    stride: tuple[int, int], dilation: tuple[int, int]
) -> None:
    attrs = ConvTransposeAttrs(Window((4, 5), stride, dilation), (30, 30))
    found = tap_phases(attrs, (2, 4, 5, 3)).reshape(4, 5, 3)
    for y, x, other_y, other_x in np.ndindex(4, 5, 4, 5):
        meet = (y - other_y) * dilation[0] % stride[0] == 0
        meet &= (x - other_x) * dilation[1] % stride[1] == 0
        assert (found[y, x, 0] == found[other_y, other_x, 2]) == meet
