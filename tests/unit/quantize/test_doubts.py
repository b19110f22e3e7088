"""Samples and labels that look wrong are told, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.quantize.doubts import classes_of, label_doubts, sample_doubts
from deployer.quantize.samples import SYNTHETIC_NOTE, Samples


def doubts(array: np.ndarray, *, synthetic: bool = False) -> tuple[str, ...]:
    return sample_doubts(Samples({"x": array.astype(np.float32)}, "s.npz", None, synthetic))


VARIED = np.random.default_rng(0).normal(size=(4, 3, 3))


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((4, 3)), "every value of 'x' in s.npz is zero"),
        (np.full((4, 3), 2.5), "every value of 'x' in s.npz is the constant 2.5"),
        (np.tile(VARIED[:1], (4, 1, 1)), "all 4 samples of 'x' in s.npz are alike"),
        (VARIED[:1], "s.npz holds one sample"),
    ],
)
def test_samples_that_say_nothing_are_told(array: np.ndarray, words: str) -> None:
    (told,) = doubts(array)
    assert told.startswith(words)


def test_one_sample_of_zeros_is_two_doubts_and_noise_is_one() -> None:
    assert len(doubts(np.zeros((1, 3)))) == 2
    assert doubts(np.zeros((1, 3)), synthetic=True) == (SYNTHETIC_NOTE,)


def test_ordinary_samples_are_not_doubted() -> None:
    assert doubts(VARIED) == ()


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 3, 12], "1 of 3 labels in d.npz are none of the 10 classes, 0 to 9"),
        ([1, 5, 10], "they count from 0"),
        ([-1, -2], "no label in d.npz is known"),
        ([4, 4, 4, -1], "every label in d.npz is 4"),
    ],
)
def test_labels_that_cannot_be_right_are_told(labels: list[int], words: str) -> None:
    (told,) = label_doubts(np.array(labels), 10, "d.npz")
    assert words in told


@pytest.mark.parametrize("labels", [[0, 9], [3], [0, -1, 5]])
def test_ordinary_labels_are_not_doubted(labels: list[int]) -> None:
    assert label_doubts(np.array(labels), 10, "d.npz") == ()
    assert label_doubts(None, 10, "d.npz") == ()


def test_classes_are_the_elements_of_the_first_output() -> None:
    assert classes_of({"a": np.zeros((5, 2, 3)), "b": np.zeros((5, 9))}) == 6
