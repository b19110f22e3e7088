"""Images too large for one copy of their windows: the same sums, a band of rows at a time."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from deployer.ir.attrs import Pads, Window

sums = import_module("deployer.numerics.convolve")

WINDOW = Window((3, 2), (2, 1), (1, 2), Pads(1, 1, 1, 1))


@pytest.mark.parametrize("elements", [1, 500, 3000])
def test_bands_of_rows_give_the_same_integers(
    elements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-128, 128, (3, 11, 9, 4)).astype(np.float64)
    weights = rng.integers(-128, 128, (6, 3, 2, 2)).astype(np.float64)
    whole = sums.convolve(x, weights, WINDOW, groups=2, fill=-3.0)
    monkeypatch.setattr(sums, "_BAND_ELEMENTS", elements)
    assert len(list(sums.bands(11, 60))) == max(1, -(-11 // max(1, elements // 60)))
    np.testing.assert_array_equal(sums.convolve(x, weights, WINDOW, groups=2, fill=-3.0), whole)


def test_a_window_as_large_as_the_image_is_one_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(2).integers(-128, 128, (2, 7, 5, 3)).astype(np.int64)
    window = Window((7, 5))
    expected = sums.window_sum(x, window), sums.window_max(x, window, -128)
    monkeypatch.setattr(sums, "_MAX_TAPS", 1)
    monkeypatch.setattr(sums, "tap_rows", None)  # not one tap after the other
    np.testing.assert_array_equal(sums.window_sum(x, window), expected[0])
    np.testing.assert_array_equal(sums.window_max(x, window, -128), expected[1])
    assert expected[0].shape == (2, 1, 1, 3)


@pytest.mark.parametrize(
    ("count", "elements", "lengths"),
    [
        (5, 2**17, [2, 2, 1]),
        (4, 2**17 + 1, [1, 1, 1, 1]),
        (3, 2**40, [1, 1, 1]),
        (3, 0, [3]),
        (0, 7, []),
    ],
)
def test_samples_are_worked_on_in_blocks_that_fit_a_cache(
    count: int, elements: int, lengths: list[int]
) -> None:
    """2^18 elements, or one sample."""
    found = [range(count)[part] for part in sums.blocks(count, elements)]
    assert [len(part) for part in found] == lengths
    assert [n for part in found for n in part] == list(range(count))


@pytest.mark.parametrize(
    ("tall", "elements", "lengths"),
    [(5, 2**24, [2, 2, 1]), (3, 2**24 + 1, [1, 1, 1]), (3, 2**40, [1, 1, 1]), (3, 0, [3])],
)
def test_images_are_worked_on_in_bands_of_as_much_as_an_activation(
    tall: int, elements: int, lengths: list[int]
) -> None:
    """2^25 elements, or one row."""
    found = list(sums.bands(tall, elements))
    assert [part.stop - part.start for part in found] == lengths
    assert [n for part in found for n in range(tall)[part]] == list(range(tall))
