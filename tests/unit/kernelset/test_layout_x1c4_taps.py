"""A channel at a time: words of windows times words of weights are the sums of groups."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deployer.kernelset.layouts import Parameters, WeightLayout, packed
from deployer.kernelset.layouts.x1c4_taps import entries_of_tap, words_of_bytes

GROUPS = st.integers(2, 9)


@given(GROUPS, st.integers(1, 40), st.integers(1, 3), st.integers(1, 4), st.integers(0, 99))
def test_words_of_a_window_times_words_of_weights_are_the_sums_of_groups(
    groups: int, depth: int, channels: int, taps: int, seed: int
) -> None:
    """What a group's channels lie in begins at a word and ends within the pixel."""
    while groups * depth % 4:
        groups += 1
    rng = np.random.default_rng(seed)
    weights = rng.integers(-127, 128, (groups * channels, taps, 1, depth)).astype(np.int8)
    x = rng.integers(-128, 128, (taps, groups * depth))
    none = np.zeros(groups * channels, np.int32)
    found = packed(WeightLayout.X1C4_TAPS, Parameters(weights, none, none, groups=groups))
    words = words_of_bytes(depth)
    rows = found.reshape(groups * channels, taps, 4 * words).astype(np.int64)
    for channel, row in enumerate(rows):
        begin = channel // channels * depth
        first = min(begin // 4 * 4, groups * depth - 4 * words)
        assert first >= 0
        read = x[:, first : first + 4 * words]
        expected = (weights[channel, :, 0].astype(np.int64) * x[:, begin : begin + depth]).sum()
        assert (row * read).sum() == expected


def test_long_taps_are_equal_entries() -> None:
    for depth in range(1, 200):
        words, entries = words_of_bytes(depth), entries_of_tap(depth)
        assert words % entries == 0
        assert words // entries <= 4
        assert 4 * words >= depth
