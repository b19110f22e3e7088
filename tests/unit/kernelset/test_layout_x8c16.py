"""What the dense layers of NEON take their weights from, read as the kernel reads it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed

STEP, CHANNELS, LANES = 16, 8, 8


@dataclass
class Piece:
    """``weights`` [channel, value] without corrections, ``lanes``: magnitudes added up in each."""

    weights: np.ndarray
    lanes: list[int]
    tables: np.ndarray
    corrections: range
    quads: int


class Reader:
    def __init__(self, data: np.ndarray) -> None:
        self.data, self.at = data, 0

    def take(self, count: int, kind: str) -> np.ndarray:
        first, self.at = self.at, self.at + count * np.dtype(kind).itemsize
        return self.data[first : self.at].view(kind)


def parameters(weights: np.ndarray) -> Parameters:
    ids = np.arange(len(weights), dtype=np.int32)
    return Parameters(
        weights, ids, 1000 + ids, rule="q31", rounding=-ids, shift=ids.astype(np.uint8)
    )


def bell(seed: int, shape: tuple[int, int], spread: float) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(0.0, spread, shape)
    return np.clip(np.rint(drawn), -128, 127).astype(np.int8)


def pieces_of(weights: np.ndarray) -> tuple[list[Piece], np.ndarray]:
    """And the weights that they stand for, with corrections added."""
    count, values = weights.shape
    reader, steps = Reader(packed(WeightLayout.X8C16, parameters(weights))), -(-values // STEP)
    whole, left = divmod(count, CHANNELS)
    sizes = [CHANNELS] * whole + ([] if not left else [4] if left <= 4 else [8])
    pieces = [_piece(reader, channels, steps) for channels in sizes]
    full = np.concatenate([_corrected(piece, reader) for piece in pieces])
    assert reader.at == len(reader.data)
    return pieces, full


def _piece(reader: Reader, channels: int, steps: int) -> Piece:
    first, count, quads, pairs = reader.take(4, "<i4")
    places = reader.take(-(-(steps + 1) // 8) * 8, "<u2").astype(int) * 8
    assert 2 * quads + pairs == steps
    assert not places[steps:].any()
    limited = reader.take(steps * channels * STEP, "i1").reshape(steps, channels, STEP).astype(int)
    weights = np.zeros((channels, steps * STEP), int)
    for place, one in zip(places, limited, strict=False):
        weights[:, place : place + STEP] += one
    tables = reader.take(4 * channels, "<i4").reshape(-1, 4, 4).transpose(1, 0, 2).reshape(4, -1)
    fours, twos = limited[: 2 * quads], limited[2 * quads :]
    lanes = [*_lanes(fours.reshape(quads, 2, channels, STEP)), *_lanes(twos[:, None])]
    return Piece(weights, lanes, tables, range(first, first + count), int(quads))


def _lanes(together: np.ndarray) -> list[int]:
    """[sum, step, channel, value]"""
    lanes = np.abs(together).reshape(*together.shape[:3], 2, LANES).sum(axis=(1, 3))
    found: list[int] = lanes.reshape(-1).tolist()
    return found


def _corrected(piece: Piece, reader: Reader) -> np.ndarray:
    full = piece.weights.copy()
    for _ in piece.corrections:
        excess = reader.take(8, "<i2")
        at, _ = reader.take(2, "<i4")
        full[:, at] += excess[: len(full)]
        assert not excess[len(full) :].any()
    return full


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 21), st.integers(1, 150), st.sampled_from([8, 40, 90]))
def test_weights_and_corrections_add_up(
    seed: int, channels: int, values: int, spread: float
) -> None:
    weights = bell(seed, (channels, values), spread)
    pieces, full = pieces_of(weights)
    assert (full[:channels, :values] == weights).all()
    assert not full[channels:].any()
    assert not full[:, values:].any()
    assert max(max(piece.lanes) for piece in pieces) <= 255


def test_corrections_follow_one_another() -> None:
    pieces, _ = pieces_of(bell(5, (20, 256), 45.0))
    bounds = [(piece.corrections.start, piece.corrections.stop) for piece in pieces]
    assert bounds[0][0] == 0
    assert bounds[-1][1] > 0
    assert all(stop == start for (_, stop), (start, _) in pairwise(bounds))


@pytest.mark.parametrize(("channels", "last"), [(8, 8), (12, 4), (13, 8), (3, 4)])
def test_a_last_piece_of_few_channels_is_half_as_wide(channels: int, last: int) -> None:
    pieces, _ = pieces_of(bell(1, (channels, 32), 20.0))
    assert len(pieces[-1].weights) == last
    assert pieces[-1].quads == 1


def test_tables_are_those_of_the_channels() -> None:
    pieces, _ = pieces_of(bell(2, (11, 16), 20.0))
    tables, ids = np.concatenate([piece.tables for piece in pieces], axis=1), np.arange(11)
    assert (tables[:, :11] == [ids, 1000 + ids, -ids, -ids]).all()
    assert not tables[:, 11:].any()
