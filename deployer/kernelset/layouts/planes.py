"""Convolution in planes on NEON: of every value up to eight output channels, widened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from deployer.kernelset.blocking.neon import GROUP_LANES, GROUPS_IN_PAIRS, PLANE_CHANNELS
from deployer.kernelset.layouts.neon_tables import channel_tables, groups_of
from deployer.kernelset.layouts.parameters import Parameters
from deployer.kernelset.layouts.remainders import convolutions, folded

_VECTOR_BYTES = 16
_HALF = PLANE_CHANNELS // 2  # channels of a vector of 64 bits


def planes(given: Parameters) -> np.ndarray:
    """OHWI to, for each group, pieces of up to eight output channels: of every value int16 of each
    channel, filled up to four or eight, all of them to whole vectors; then of each channel bias,
    multiplier, rounding and negative shift as int32. Pieces differ by one channel at most, the
    larger ones first."""
    return np.concatenate([piece for part in groups_of(given) for piece in _pieces(part)])


def planes_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``planes``, the zero point folded into the biases."""
    return np.concatenate([planes(part) for part in convolutions(given)])


def planes_wide(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each remainder of the rows' stride, the rows that meet
    it, reversed, as ``planes`` whose outputs of a group are those of each column that the others'
    stride covers, one after the other; columns that the kernel lacks are zero."""
    down = given.stride[0]
    return np.concatenate([planes(part) for part in map(_wide_rows(given), range(down))])


def _wide_rows(given: Parameters) -> Callable[[int], Parameters]:
    """The convolution of a remainder of the rows."""
    (down, across), groups = given.stride, given.groups
    outputs, _, wide, depth = given.weights.shape
    taps = -(-wide // across)
    full = np.pad(given.weights, ((0, 0), (0, 0), (0, taps * across - wide), (0, 0)))

    def apart(table: np.ndarray) -> np.ndarray:
        """Of every output of a group for each column."""
        if len(table) <= 1:
            return table
        return np.tile(table.reshape(groups, 1, -1), (1, across, 1)).reshape(-1)

    def rows(y: int) -> Parameters:
        own = full[:, y::down][:, ::-1]
        split = own.reshape(groups, outputs // groups, -1, taps, across, depth)[:, :, :, ::-1]
        weights = split.transpose(0, 4, 1, 2, 3, 5).reshape(outputs * across, -1, taps, depth)
        spread = replace(
            given,
            weights=weights,
            bias=apart(np.broadcast_to(given.bias, outputs)),
            multiplier=apart(given.multiplier),
            rounding=apart(given.rounding),
            shift=apart(given.shift),
        )
        return replace(spread, bias=folded(spread, weights))

    return rows


def planes_depthwise(given: Parameters) -> np.ndarray:
    """HWC, where an input channel has several outputs, as ``planes`` of a group a channel."""
    return planes(replace(given, weights=given.weights.transpose(2, 0, 1)[..., None]))


def lanes_of_groups(given: Parameters) -> np.ndarray:
    """OHWI to, for each eight groups, the last ones overlapping those before, and each output of a
    group: of every value int16 of each group, then of each group biases, multipliers, roundings and
    negative shifts as int32. Of less than eight groups for each four of them, twice."""
    return np.concatenate(list(_of_groups(given)))


def lanes_of_groups_remainders(given: Parameters) -> np.ndarray:
    """OHWI of a transposed convolution: for each pair of remainders of its strides, the taps that
    meet them, reversed, as ``lanes_of_groups``, the zero point folded into the biases."""
    return np.concatenate([lanes_of_groups(part) for part in convolutions(given)])


def outputs_in_lanes(given: Parameters) -> np.ndarray:
    """OHWI to, for each group, pieces of eight output channels and of those that are left: of every
    value int16 of each channel, filled up to four or eight, all of them to whole vectors; then of
    eight channels biases, multipliers, roundings and negative shifts as int32."""
    return np.concatenate([piece for part in groups_of(given) for piece in _eights(part)])


def _eights(given: Parameters) -> Iterator[np.ndarray]:
    flat = given.weights.reshape(len(given.weights), -1)
    tables = channel_tables(given)
    for first in range(0, len(flat), PLANE_CHANNELS):
        rows = slice(first, first + PLANE_CHANNELS)
        yield _values(flat[rows])
        kinds = np.zeros((tables.shape[1], PLANE_CHANNELS), "<i4")
        kinds[:, : len(tables[rows])] = tables[rows].T
        yield kinds.reshape(-1).view(np.int8)


def _values(rows: np.ndarray) -> np.ndarray:
    """Of every value int16 of each channel, filled up to four or eight, all to whole vectors."""
    step = PLANE_CHANNELS if len(rows) > _HALF else _HALF
    values = np.zeros((rows.shape[1], step), "<i2")
    values[:, : len(rows)] = rows.T
    whole = values.reshape(-1).view(np.int8)
    return np.pad(whole, (0, -len(whole) % _VECTOR_BYTES))


def _pieces(given: Parameters) -> Iterator[np.ndarray]:
    flat = given.weights.reshape(len(given.weights), -1)
    tables = channel_tables(given)
    for rows in np.array_split(np.arange(len(flat)), -(-len(flat) // PLANE_CHANNELS)):
        yield _values(flat[rows])
        yield tables[rows].reshape(-1).view(np.int8)


def _of_groups(given: Parameters) -> Iterator[np.ndarray]:
    outputs = len(given.weights) // given.groups
    weights = given.weights.reshape(given.groups, outputs, -1).astype("<i2")
    tables = channel_tables(given).reshape(given.groups, outputs, -1)
    few = min(GROUPS_IN_PAIRS, given.groups)
    count = GROUP_LANES if given.groups >= GROUP_LANES else few
    last = given.groups - count
    for first in range(0, given.groups, count):
        own = min(first, last) + np.arange(GROUP_LANES) % count
        for n in range(outputs):
            for part in (weights[own, n], tables[own, n]):
                yield np.ascontiguousarray(part.T).reshape(-1).view(np.int8)
