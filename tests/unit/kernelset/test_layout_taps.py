"""Weights of windows that are read where they lie: every piece's words give the sums of two output
channels, whichever channel a group begins at."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed

COUNTS = st.integers(1, 5)


def _values(words: np.ndarray) -> np.ndarray:
    """[pair, word, channel, value]: a word has two values of the first channel in bytes 0 and 2, of
    the second in 1 and 3."""
    return words.view(np.int8).reshape(len(words), -1, 2, 2).transpose(0, 1, 3, 2)


def _tap(pixel: np.ndarray, first: int, words: int) -> np.ndarray:
    """So many words from the one in which channel ``first`` lies; what is behind the pixel is not
    to count."""
    behind = np.full(2 * words, 9999)
    begin = first - first % 2
    return np.concatenate([pixel, behind])[begin : begin + 2 * words]


@given(st.integers(1, 5), st.integers(1, 21), COUNTS, COUNTS, st.integers(0, 99))
def test_words_from_an_even_channel_on_times_a_piece_are_the_sums_of_a_group(
    groups: int, depth: int, channels: int, taps: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.integers(-127, 128, (groups * channels, taps, 1, depth)).astype(np.int8)
    bias, multiplier = (rng.integers(-999, 999, groups * channels, np.int32) for _ in range(2))
    x = rng.integers(-128, 128, (taps, groups * depth))
    given_ = Parameters(weights, bias, multiplier, groups=groups)
    found = packed(WeightLayout.X2C4_TAPS_ORDERED, given_)[:-8].view("<i4")
    pairs = groups * -(-channels // 2)
    pieces = found.reshape(pairs, -1)
    words = pieces.shape[1] - 4
    of_tap = words // taps
    values = _values(np.ascontiguousarray(pieces[:, 2:-2]))
    split = weights.reshape(groups, channels, taps, depth).astype(np.int64)
    expected = np.einsum("gotd,tgd->go", split, x.reshape(taps, groups, depth))
    expected += bias.reshape(groups, channels)
    for i, piece in enumerate(pieces):
        group, pair = divmod(i, -(-channels // 2))
        read = np.stack([_tap(pixel, group * depth, of_tap) for pixel in x]).reshape(-1)
        read = np.pad(read, (0, 2 * words - len(read)))
        for n in range(min(2, channels - 2 * pair)):
            total = piece[n] + values[i, :, n].reshape(-1).astype(np.int64) @ read
            assert total == expected[group, 2 * pair + n]
            assert piece[-2 + n] == multiplier[group * channels + 2 * pair + n]


def test_transposed_convolutions_have_the_pieces_of_their_remainders() -> None:
    rng = np.random.default_rng(5)
    weights = rng.integers(-127, 128, (4, 3, 2, 3)).astype(np.int8)
    bias, multiplier = (rng.integers(-999, 999, 4, np.int32) for _ in range(2))
    whole = Parameters(weights, bias, multiplier, (2, 1), zero=7, groups=2)
    parts = []
    for taps in (weights[:, ::2][:, ::-1, ::-1], weights[:, 1::2][:, ::-1, ::-1]):
        folded = bias - 7 * taps.astype(np.int32).sum(axis=(1, 2, 3), dtype=np.int32)
        each = Parameters(np.ascontiguousarray(taps), folded, multiplier, groups=2)
        parts.append(packed(WeightLayout.X2C4_TAPS_ORDERED, each)[:-8])
    found = packed(WeightLayout.X2C4_TAPS_REMAINDERS_ORDERED, whole)
    assert np.array_equal(found, np.concatenate([*parts, np.zeros(8, np.int8)]))
