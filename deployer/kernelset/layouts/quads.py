"""Which steps of sixteen values share lanes of 16 bits on NEON, and what weights have too much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.kernelset.blocking.neon import MAX_MAGNITUDES, STEP_VALUES

_LANES = 8  # of 16 bits in a vector
_SEARCHED_STEPS = 32  # even, so that only the last stretch leaves a step over


@dataclass(frozen=True)
class StepCosts:
    """Cycles of a kernel's block: a step of products by pairs, two steps as a quad, a
    correction."""

    pair: int
    quad: int
    correction: int

    @property
    def most_corrections(self) -> int:
        """With which a quad is no slower than two pairs."""
        return (2 * self.pair - self.quad) // self.correction


BLOCK_COSTS = StepCosts(pair=72, quad=112, correction=12)  # four pixels by four channels
ROW_COSTS = StepCosts(pair=42, quad=66, correction=9)  # one row by eight channels


@dataclass(frozen=True, eq=False)
class Steps:
    """``weights`` [piece, step, channel, value] in the order in which a kernel takes them, ``at``
    [piece, step] the step of the window: first two of each of the piece's ``quads``, then pairs.
    ``excess`` is what lanes would not hold of ``weights``, which have it no more."""

    weights: np.ndarray
    at: np.ndarray
    quads: np.ndarray
    excess: np.ndarray


def steps_of(pieces: np.ndarray, costs: StepCosts = BLOCK_COSTS) -> Steps:
    """``pieces``: [piece, channel, step, value]."""
    given = pieces.astype(np.int32).transpose(0, 2, 1, 3)
    at, quads = _order(given, costs.most_corrections)
    ordered = np.take_along_axis(given, at[:, :, None, None], axis=1)
    limited = _limited(ordered, quads)
    return Steps(limited.astype(np.int8), at, quads, ordered - limited)


def _order(given: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Within each stretch of steps, so that long windows take no longer a step."""
    loads = np.abs(given).reshape(*given.shape[:3], 2, _LANES).sum(axis=3)
    loads = loads.reshape(*loads.shape[:2], -1)  # [piece, step, lane of a channel]
    stretches = range(0, loads.shape[1], _SEARCHED_STEPS)
    parts = [_paired(loads[:, first : first + _SEARCHED_STEPS]) for first in stretches]
    chosen = [part + first for (part, _, _), first in zip(parts, stretches, strict=True)]
    over = np.concatenate([part for _, part, _ in parts], axis=1)
    free = np.concatenate([part for _, _, part in parts], axis=1)
    return _quads_first(np.concatenate(chosen, axis=1), over <= most, free)


def _paired(loads: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each piece the heaviest step that is left takes the one with which fewest lanes exceed
    their limit, of these the heaviest: both, how many lanes exceed it, and what is left."""
    blocks, steps, _ = loads.shape
    weight = (loads.astype(np.int64) ** 2).sum(axis=2)
    free, rows = np.ones((blocks, steps), bool), np.arange(blocks)
    chosen, over = np.empty((blocks, steps // 2, 2), np.int64), np.empty((blocks, steps // 2), int)
    for i in range(steps // 2):
        first = np.where(free, weight, -1).argmax(axis=1)
        free[rows, first] = False
        exceeding = (loads + loads[rows, first][:, None] > MAX_MAGNITUDES).sum(axis=2)
        best = np.where(free, -exceeding * (weight.max() + 1) + weight, np.iinfo(np.int64).min)
        last = best.argmax(axis=1)
        free[rows, last] = False
        chosen[:, i, 0], chosen[:, i, 1], over[:, i] = first, last, exceeding[rows, last]
    return chosen, over, free


def _quads_first(
    chosen: np.ndarray, fit: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(~fit, axis=1, kind="stable")
    sorted_quads = np.take_along_axis(chosen, order[:, :, None], axis=1).reshape(len(free), -1)
    left = np.nonzero(free)[1].reshape(len(free), -1)
    return np.concatenate([sorted_quads, left], axis=1), fit.sum(axis=1)


def _limited(ordered: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """``ordered`` whose magnitudes in a lane are at most 255 in sum."""
    blocks, steps, channels, _ = ordered.shape
    limited = _cut(ordered.reshape(blocks, steps, channels, 2, _LANES)).reshape(ordered.shape)
    twos = ordered[:, : steps // 2 * 2].reshape(blocks, -1, 2, channels, 2, _LANES)
    lanes = twos.transpose(0, 1, 3, 2, 4, 5)  # of a quad and channel: its four products
    cut = _cut(lanes.reshape(*lanes.shape[:3], 4, _LANES)).reshape(lanes.shape)
    fours = cut.transpose(0, 1, 3, 2, 4, 5).reshape(blocks, -1, channels, STEP_VALUES)
    is_quad = np.arange(fours.shape[1]) < 2 * quads[:, None]
    limited[:, : fours.shape[1]][is_quad] = fours[is_quad]
    return limited


def _cut(lanes: np.ndarray) -> np.ndarray:
    """[..., product, lane], the largest cut first."""
    cut = lanes.copy()
    for _ in range(lanes.shape[-2]):
        over = np.maximum(np.abs(cut).sum(axis=-2, keepdims=True) - MAX_MAGNITUDES, 0)
        if not over.any():
            break
        largest = np.abs(cut).argmax(axis=-2, keepdims=True)
        value = np.take_along_axis(cut, largest, axis=-2)
        less = np.sign(value) * np.minimum(np.abs(value), over)
        np.put_along_axis(cut, largest, value - less, axis=-2)
    return cut
