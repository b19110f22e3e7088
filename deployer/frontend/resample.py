"""Resize whose outputs are weighted sums of inputs: linear and cubic, to any size.

The places of outputs and the weights are those of ONNX Runtime, in float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.frontend.net import Net, Op
from deployer.frontend.resize import output_places
from deployer.ir import ResizeMode

CUBIC = "cubic"
_CUBIC_A = -0.75


@dataclass(frozen=True, eq=False)
class Taps:
    """Output o of an axis of ``extent`` inputs is the sum of those from ``starts[o]`` on, times
    ``weights[o]``."""

    starts: np.ndarray
    weights: np.ndarray
    extent: int

    @property
    def idle(self) -> bool:
        """Whether each output is the input in its place."""
        alike = np.array_equal(self.starts, np.arange(self.extent))
        return alike and self.weights.shape[1] == 1


def taps_of(net: Net, op: Op) -> tuple[Taps, ...] | None:
    """Those of each spatial axis; None where outputs are other sums."""
    places = output_places(net, op)
    mode = str(op.attrs.get("mode", ResizeMode.NEAREST))
    if places is None or mode not in (ResizeMode.LINEAR, CUBIC):
        return None
    pairs = zip(places, net.shapes[op.first][2:], strict=True)
    return tuple(_along(_neighbours(op, mode, place, extent), extent) for place, extent in pairs)


def _neighbours(op: Op, mode: str, place: np.ndarray, extent: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and weights of each output; inputs beyond an end are that end."""
    if mode == CUBIC:
        return _cubic(op, place, extent)
    inside = np.clip(place, 0, extent - 1)
    first = np.minimum(inside.astype(int), extent - 1)
    rest = (inside - first).astype(np.float64)
    return np.stack([first, np.minimum(first + 1, extent - 1)], 1), np.stack([1 - rest, rest], 1)


def _cubic(op: Op, place: np.ndarray, extent: int) -> tuple[np.ndarray, np.ndarray]:
    a = float(op.attrs.get("cubic_coeff_a", _CUBIC_A))
    first = np.floor(place).astype(int)
    near = np.abs((place - first).astype(np.float64)[:, None] - np.array([-1, 0, 1, 2]))
    inner = ((a + 2) * near - (a + 3)) * near * near + 1
    outer = ((a * near - 5 * a) * near + 8 * a) * near - 4 * a
    weights, inputs = np.where(near <= 1, inner, outer), first[:, None] + np.arange(-1, 3)
    if op.attrs.get("exclude_outside", 0):
        weights = weights * ((inputs >= 0) & (inputs < extent))
        weights /= weights.sum(axis=1, keepdims=True)
    return np.clip(inputs, 0, extent - 1), weights


def _along(neighbours: tuple[np.ndarray, np.ndarray], extent: int) -> Taps:
    """Rows of as many taps as the widest needs, within the input."""
    inputs, weights = neighbours
    least = np.where(weights != 0, inputs, extent).min(axis=1)
    most = np.where(weights != 0, inputs, -1).max(axis=1)
    count = int((most - least).max()) + 1
    starts = np.minimum(least, extent - count)
    rows = np.zeros((len(starts), count))
    at = np.arange(len(starts))[:, None]
    np.add.at(rows, (at, np.where(weights != 0, inputs - starts[:, None], 0)), weights)
    return Taps(starts, rows, extent)
