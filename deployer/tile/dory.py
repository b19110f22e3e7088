"""Tiles by the objective of paper 004, to compare with: equation (7) with its four heuristics.

max 0.5 * (L1_x + L1_y + L1_w) + 1e2 * H_i2c + 1e6 * (H_par + H_mm_w + H_mm_ch), where twice the
tiles and the kernel's scratch fit L1 (sections 4.2 and 6). Channels are the outer loop (listing 1).
Without the heuristics, all betas 0, only the size of the tiles counts (section 6.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from deployer.ir import Tiling, hwc
from deployer.kernelset import GROUP_CHANNELS as GROUP
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes, buffers_of, bytes_of
from deployer.tile.search import MAX_KEPT_LAYERS, Room, best_tiling, tiling_of
from deployer.tile.sizes import is_safe

ALPHA, BETA_IM2COL, BETA = 0.5, 1e2, 1e6
WIDE_PIXELS = 2  # pixels go in pairs


@lru_cache(maxsize=MAX_KEPT_LAYERS)
def dory_tiling(layer: Layer, room: Room) -> Tiling | None:
    """The feasible tiles of highest objective; None when none fit.

    Every size of every axis is tried, so this is the optimum a constraint solver would find.
    """
    return _highest(layer, room, beta_im2col=BETA_IM2COL, beta=BETA)


@lru_cache(maxsize=MAX_KEPT_LAYERS)
def size_tiling(layer: Layer, room: Room) -> Tiling | None:
    """The largest tiles that fit, of no heuristic; None when none fit."""
    return _highest(layer, room, beta_im2col=0.0, beta=0.0)


def _highest(layer: Layer, room: Room, *, beta_im2col: float, beta: float) -> Tiling | None:
    """Channels are inside where an output in its input's bytes forbids the other order; ours where
    it forbids all of these tiles."""
    orders = dict.fromkeys((layer.sliced, True))
    found = _by_objective(layer, room, beta_im2col=beta_im2col, beta=beta)
    for axes, inner in ((axes, inner) for axes in found for inner in orders):
        fits = bytes_of(buffers_of(layer, axes, channels_inner=inner)) <= room.size
        if fits and is_safe(layer, axes, channels_inner=inner):
            line = Timeline(layer, axes, inner, room.engine)
            return tiling_of(layer, room, axes, inner, line.costs)
    return best_tiling(layer, room) if layer.overlap_offset is not None else None


def _by_objective(layer: Layer, room: Room, *, beta_im2col: float, beta: float) -> Iterator[Axes]:
    """Sizes whose tensors alone fit twice, best first; cores share rows."""
    rows, columns, _ = layer.extents
    grid = np.array(
        np.meshgrid(range(1, rows + 1), range(1, columns + 1), layer.depths, indexing="ij")
    )
    tall, wide, deep = grid.reshape(3, -1)
    used = _tensors(layer, tall, wide, deep)
    able = np.flatnonzero(layer.sides * used <= room.size)
    heuristics = (tall - 1) % room.cores + (wide - 1) % WIDE_PIXELS + (deep - 1) % GROUP
    value = ALPHA * used + beta_im2col * deep + beta * heuristics
    for index in able[np.argsort(-value[able], kind="stable")]:
        sizes = int(tall[index]), int(wide[index]), int(deep[index])
        yield layer.rows(sizes[0]), layer.columns(sizes[1]), layer.channels(sizes[2])


def _tensors(layer: Layer, tall: np.ndarray, wide: np.ndarray, deep: np.ndarray) -> np.ndarray:
    """L1_x + L1_y + L1_w of each size."""
    height, width, _ = hwc(layer.case.image)
    rows, columns = layer.rows(1), layer.columns(1)
    entered = np.minimum((tall - 1) * rows.stride + rows.taps, height)
    across = np.minimum((wide - 1) * columns.stride + columns.taps, width)
    inputs = entered * across * layer.inner(deep) * layer.images
    tensors = (inputs + tall * wide * deep) * layer.case.element_bytes
    total: np.ndarray = tensors + layer.weight_bytes(deep)
    return total
