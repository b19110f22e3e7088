"""More training samples from few: changed and mixed copies, which the float network can teach too.

No labels are needed, so a copy need not keep its class; it only has to look like an input.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

CHANGES = ("flip", "crop", "shift", "level", "mix", "noise")
_MIN_CROP_SHARE = 0.6  # of each side
_FARTHEST = 8  # a shift is at most this part of a side
_GAIN, _OFFSET, _NOISE = 0.4, 0.15, 0.03  # the last two of the sample range


def augmented(
    arrays: Mapping[str, np.ndarray], count: int, changes: tuple[str, ...], seed: int
) -> dict[str, np.ndarray]:
    """``arrays`` (NHWC or NC) with ``count`` made samples behind them, within the range they had.

    ``changes`` are of CHANGES; flip mirrors left and right, and with crop and shift concerns
    images only. All inputs of a made sample come from the same samples, changed alike.
    """
    return {
        name: np.concatenate([x, _made(x, count, changes, seed)]) if count else x
        for name, x in arrays.items()
    }


def _made(x: np.ndarray, count: int, changes: tuple[str, ...], seed: int) -> np.ndarray:
    low, high = float(x.min()), float(x.max())
    result = np.empty((count, *x.shape[1:]), dtype=x.dtype)
    for number in range(count):
        random = np.random.default_rng([seed, number])
        made = _changed(x[random.integers(len(x))], changes, high - low, random)
        if "mix" in changes and random.random() < 0.5:
            share = random.uniform(0, 0.5)
            other = _changed(x[random.integers(len(x))], changes, high - low, random)
            made = (1 - share) * made + share * other
        if "noise" in changes:
            made = made + random.normal(0, random.uniform(0, _NOISE) * (high - low), made.shape)
        result[number] = np.clip(made, low, high)
    return result


def _changed(
    sample: np.ndarray, changes: tuple[str, ...], extent: float, random: np.random.Generator
) -> np.ndarray:
    if sample.ndim == 3:
        sample = _moved(sample, changes, random)
    if "level" not in changes:
        return sample
    mean = sample.mean()
    gain, offset = random.uniform(1 - _GAIN, 1 + _GAIN), random.uniform(-_OFFSET, _OFFSET)
    return np.asarray((sample - mean) * gain + mean + offset * extent)


def _moved(image: np.ndarray, changes: tuple[str, ...], random: np.random.Generator) -> np.ndarray:
    """Height, width, channels; edges are repeated where a shift uncovers them."""
    tall, wide, _ = image.shape
    if "flip" in changes and random.random() < 0.5:
        image = image[:, ::-1]
    if "crop" in changes:
        side = random.uniform(_MIN_CROP_SHARE, 1)
        image = _along(_along(image, 0, side, random), 1, side, random)
    if "shift" in changes:
        down, right = (random.integers(-(n // _FARTHEST), n // _FARTHEST + 1) for n in (tall, wide))
        rows = np.clip(np.arange(tall) + down, 0, tall - 1)
        image = image[rows][:, np.clip(np.arange(wide) + right, 0, wide - 1)]
    return image


def _along(image: np.ndarray, axis: int, side: float, random: np.random.Generator) -> np.ndarray:
    """A random part of one axis, linearly stretched to its whole length."""
    extent = image.shape[axis]
    first = random.uniform(0, (1 - side) * (extent - 1))
    at = first + np.arange(extent) * side
    below = at.astype(int)
    above = np.minimum(below + 1, extent - 1)
    weight = (at - below).reshape([-1 if a == axis else 1 for a in range(image.ndim)])
    return np.asarray(image.take(below, axis) * (1 - weight) + image.take(above, axis) * weight)
