"""The tiler without heuristics: the largest tiles that fit, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deployer.ir.tiling import Tiling
from deployer.tile.dory import dory_tiling, size_tiling
from deployer.tile.layer import Layer
from deployer.tile.search import best_tiling, overlap_offset_for
from deployer.tile.sizes import is_safe
from unit.tile.layers import add, conv, room

KIB = 1024
LAYERS = [conv(32, 16, 32, 64), conv(24, 24, 32, 32, kernel=1), conv(20, 20, 16, 40, stride=2)]


def tensors(layer: Layer, tiling: Tiling) -> int:
    """L1_x + L1_y + L1_w of the largest tile."""
    rows, columns, channels = tiling.rows, tiling.columns, tiling.channels
    entered = rows.most_inputs * columns.most_inputs * layer.case.in_channels
    written = rows.tile * columns.tile * channels.tile
    return entered + written + layer.weight_bytes(channels.tile)


@pytest.mark.parametrize("layer", LAYERS)
def test_no_tiles_of_dory_s_are_larger(layer: Layer) -> None:
    largest, theirs = size_tiling(layer, room(30 * KIB)), dory_tiling(layer, room(30 * KIB))
    assert largest is not None
    assert theirs is not None
    assert tensors(layer, largest) >= tensors(layer, theirs)


@pytest.mark.parametrize("layer", [*LAYERS, add(16, 16, 32)])
def test_ours_is_never_estimated_slower(layer: Layer) -> None:
    ours, largest = best_tiling(layer, room(30 * KIB)), size_tiling(layer, room(30 * KIB))
    assert ours is not None
    assert largest is not None
    assert ours.costs.cycles <= largest.costs.cycles
    assert largest.bytes <= 30 * KIB


@pytest.mark.parametrize("size", [60 * KIB, 30 * KIB])
def test_tiles_are_safe_where_the_output_takes_the_bytes_of_the_input(size: int) -> None:
    """All places of some channels first would overwrite what other channels need."""
    layer = replace(conv(16, 16, 32, 64), overlap_offset=0)
    offset = overlap_offset_for(layer, room(size))
    assert offset is not None
    for tiler in (dory_tiling, size_tiling):
        found = tiler(replace(layer, overlap_offset=offset), room(size))
        assert found is not None
        axes = found.rows, found.columns, found.channels
        assert is_safe(
            replace(layer, overlap_offset=offset), axes, channels_inner=found.channels_inner
        )


def test_none_where_nothing_fits() -> None:
    assert size_tiling(conv(8, 8, 64, 64), room(1 * KIB)) is None
