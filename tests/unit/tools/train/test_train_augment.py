"""Samples made of samples: as many as asked for, like them, and reproducible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from training import imported, sloped, tune

from deployer.errors import UsageError
from deployer.quantize.samples import synthetic_samples
from deployer.tools.train.augment import CHANGES, _along, augmented
from deployer.tools.train.options import TrainOptions, check_options

pytestmark = pytest.mark.usefixtures("torch_installed")

RNG = np.random.default_rng(2)
IMAGES = {"x": RNG.uniform(3, 9, (5, 12, 10, 3)).astype(np.float32)}


@pytest.mark.parametrize("changes", [CHANGES, *((change,) for change in CHANGES)])
def test_made_samples_follow_the_given_ones_and_stay_in_their_range(
    changes: tuple[str, ...],
) -> None:
    found = augmented(IMAGES, 20, changes, 1)["x"]
    assert found.shape == (25, 12, 10, 3)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[:5], IMAGES["x"])
    assert found.min() == IMAGES["x"].min()
    assert found.max() == IMAGES["x"].max()
    same = [any(np.array_equal(made, x) for x in IMAGES["x"]) for made in found[5:]]
    assert not all(same)
    np.testing.assert_array_equal(found, augmented(IMAGES, 20, changes, 1)["x"])
    assert not np.array_equal(found, augmented(IMAGES, 20, changes, 2)["x"])


def test_a_flip_is_a_mirror_image() -> None:
    for made in augmented(IMAGES, 20, ("flip",), 0)["x"][5:]:
        assert any(np.array_equal(made, x) or np.array_equal(made, x[:, ::-1]) for x in IMAGES["x"])


def test_inputs_of_one_sample_stay_together() -> None:
    x = RNG.normal(size=(6, 8, 8, 1)).astype(np.float32)
    found = augmented({"a": x, "b": x + 100}, 30, ("flip", "shift", "mix"), 4)
    np.testing.assert_allclose(found["a"] + 100, found["b"], rtol=1e-4)


def test_vectors_are_mixed_and_levelled_but_not_moved() -> None:
    x = {"v": RNG.normal(size=(4, 16)).astype(np.float32)}
    assert augmented(x, 3, CHANGES, 0)["v"].shape == (7, 16)
    moved = augmented(x, 9, ("flip", "crop", "shift"), 0)["v"]
    assert all(any(np.array_equal(row, y) for y in x["v"]) for row in moved)


def test_training_counts_them_but_never_holds_them_out(tmp_path: Path) -> None:
    graph = imported(sloped(), tmp_path)
    samples = synthetic_samples(graph, count=10)
    tuned = tune(graph, tmp_path, samples=samples, epochs=1, augment=30)
    assert tuned.facts["trained_on"] == 38
    assert tuned.facts["held_out"]["samples"] == 2


def test_impossible_augmentation_is_named() -> None:
    with pytest.raises(UsageError, match="cannot work") as caught:
        check_options(TrainOptions(augment=-1, augment_with=("spin",)), 10)
    assert "augment -1" in str(caught.value)
    assert "spin" in str(caught.value)


def test_a_part_as_large_as_an_axis_is_that_axis() -> None:
    rng = np.random.default_rng(0)
    for axis in (0, 1):
        np.testing.assert_array_equal(_along(IMAGES["x"][0], axis, 1.0, rng), IMAGES["x"][0])
