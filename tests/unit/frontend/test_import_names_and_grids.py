"""Names of nodes that many share, and scales of weights that can stay what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx_equal import imported

from deployer.frontend.grids import channel_scales
from models import ModelBuilder


def test_nodes_of_one_name_are_numbered_from_two_on(tmp_path: Path) -> None:
    s = ModelBuilder(1)
    x = s.input(1, 3, 6, 6)
    for _ in range(4):
        x = s.conv(x, (3, 3, 1, 1))
    model = s.model(x)
    for node, name in zip(model.graph.node, ("same", "same_3", "same", "same"), strict=True):
        node.name = name
    graph = imported(model, tmp_path)
    assert [node.name for node in graph.nodes] == ["same", "same_3", "same_2", "same_4"]


def grid(*scales: tuple[float, ...]) -> np.ndarray:
    return np.array(scales)


@pytest.mark.parametrize("lowest", [-127, -128])
def test_integers_within_int8_on_one_scale_a_row_keep_it(lowest: int) -> None:
    scales = grid((0.5, 0.5), (0.25, 0.25))
    steps = np.array([[lowest, 127], [3, -7]])
    found, moved = channel_scales(steps * scales, scales)
    assert found is not None
    assert found.tolist() == [0.5, 0.25]
    assert moved == 0.0


@pytest.mark.parametrize(
    ("steps", "scales"),
    [
        ([[-129, 3]], [(0.5, 0.5)]),
        ([[128, 3]], [(0.5, 0.5)]),
        ([[1, 2], [3, 4]], [(0.5, 0.5), (0.25, 0.5)]),  # one row has two scales
    ],
)
def test_others_get_a_symmetric_grid_of_their_own(
    steps: list[list[int]], scales: list[tuple[float, ...]]
) -> None:
    """How far a weight moves then is told in steps of the grid it was on."""
    real = np.array(steps) * np.array(scales)
    found, moved = channel_scales(real, np.array(scales))
    assert found is None
    own = np.abs(real).max(axis=1, keepdims=True) / 127
    nearest = np.floor(real / own + 0.5) * own
    assert moved == pytest.approx((np.abs(nearest - real) / np.array(scales)).max(), abs=1e-9)
    assert 0 < moved < 1
