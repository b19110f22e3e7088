"""Small rooms with known depth: a seeded generator for training and judging depth networks.

    python make_data.py -o train.npz --samples 3000 --seed 0

Each sample is a pinhole camera's view of a floor, a back wall, boxes and balls, all textured,
shaded by one light and fading into haze with distance. The file holds ``image`` (uint8 RGB, N x 3
x size x size) and ``inverse`` (float32, N x 1 x size x size): one over the distance along the
camera's axis, in 1/m, between 1 / FAR and 1 / NEAR.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NEAR, FAR = 1.0, 10.0
_FIELD = 0.6  # tangent of half the field of view
_FINE = 2  # rays a pixel's side for the image; depth is taken at one of them
_NOTHING = 1e9


@dataclass(frozen=True, eq=False)
class Hit:
    """Per ray: the distance along the axis (_NOTHING for a miss), the surface's normal and two
    coordinates on it that carry the texture."""

    depth: np.ndarray
    normal: np.ndarray
    place: np.ndarray


def rays(size: int) -> np.ndarray:
    """(size, size, 3): directions with z = 1, x to the right, y down."""
    at = ((np.arange(size) + 0.5) / size * 2 - 1) * _FIELD
    y, x = np.meshgrid(at, at, indexing="ij")
    return np.stack([x, y, np.ones_like(x)], axis=-1)


def plane(directions: np.ndarray, axis: int, offset: float) -> Hit:
    """All points whose coordinate ``axis`` is ``offset``."""
    along = directions[..., axis]
    depth = np.where(np.abs(along) > 1e-6, offset / np.where(along == 0, 1e-6, along), _NOTHING)
    depth = np.where(depth > 0, depth, _NOTHING)
    normal = np.zeros_like(directions)
    normal[..., axis] = -np.sign(offset)
    return Hit(depth, normal, np.delete(directions * depth[..., None], axis, axis=-1))


def ball(directions: np.ndarray, centre: np.ndarray, radius: float) -> Hit:
    a = np.square(directions).sum(axis=-1)
    b = directions @ centre
    root = b**2 - a * (centre @ centre - radius**2)
    depth = np.where(root > 0, (b - np.sqrt(np.maximum(root, 0))) / a, _NOTHING)
    normal = (directions * depth[..., None] - centre) / radius
    angles = [np.arctan2(normal[..., 0], -normal[..., 2]), normal[..., 1]]
    return Hit(depth, normal, np.stack(angles, axis=-1) * radius)


def box(directions: np.ndarray, low: np.ndarray, high: np.ndarray) -> Hit:
    """Sides along the axes; the camera is outside."""
    safe = np.where(np.abs(directions) < 1e-6, 1e-6, directions)
    first, second = low / safe, high / safe
    enter, leave = np.minimum(first, second), np.maximum(first, second)
    axis = enter.argmax(axis=-1)
    depth = enter.max(axis=-1)
    seen = (depth < leave.min(axis=-1)) & (depth > 0)
    depth = np.where(seen, depth, _NOTHING)
    normal = np.eye(3)[axis] * -np.sign(directions)
    points = directions * depth[..., None]
    sideways = np.where(axis == 0, points[..., 2], points[..., 0])
    upward = np.where(axis == 1, points[..., 2], points[..., 1])
    return Hit(depth, normal, np.stack([sideways, upward], axis=-1))


def surfaces(random: np.random.Generator, directions: np.ndarray) -> list[Hit]:
    """What one room holds, the floor and the back wall first."""
    floor = random.uniform(0.6, 1.4)
    found = [plane(directions, 1, floor), plane(directions, 2, random.uniform(5, FAR))]
    for _ in range(random.integers(1, 5)):
        z = random.uniform(1.6, 6)
        x, size = random.uniform(-0.6, 0.6) * z, random.uniform(0.2, 0.7)
        if random.random() < 0.5:
            found.append(ball(directions, np.array([x, floor - size, z]), size))
        else:
            tall, deep = random.uniform(0.3, 1.6), random.uniform(0.2, 0.6)
            low = np.array([x - size, floor - tall, z])
            found.append(box(directions, low, np.array([x + size, floor, z + deep])))
    return found


def texture(random: np.random.Generator, place: np.ndarray) -> np.ndarray:
    """RGB of a surface in [0, 1]: a checker, stripes or waves of two colours."""
    colours = random.uniform(0.1, 0.9, (2, 3))
    u, v = np.moveaxis(place * random.uniform(1.5, 5), -1, 0)
    pattern = random.integers(3)
    if pattern == 0:
        share = (np.floor(u) + np.floor(v)) % 2
    elif pattern == 1:
        share = np.floor(u if random.random() < 0.5 else v) % 2
    else:
        share = 0.5 + 0.5 * np.sin(2 * u) * np.sin(2 * v)
    return colours[0] + share[..., None] * (colours[1] - colours[0])


def room(random: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """One image, uint8 (3, size, size), and its inverse depth, float32 (1, size, size)."""
    directions = rays(size * _FINE)
    hits = surfaces(random, directions)
    depths = np.stack([hit.depth for hit in hits])
    nearest = depths.argmin(axis=0)
    depth = np.clip(depths.min(axis=0), NEAR, FAR)
    light = random.normal(0, 1, 3) * [1, 0.3, 0.5] + [0, -1.5, -1]
    light /= np.linalg.norm(light)
    image = np.zeros_like(directions)
    for number, hit in enumerate(hits):
        bright = 0.45 + 0.55 * np.clip(hit.normal @ light, 0, 1)
        shown = texture(random, hit.place) * bright[..., None]
        image = np.where((nearest == number)[..., None], shown, image)
    haze = np.exp(-depth / 12)[..., None]
    image = image * haze + random.uniform(0.5, 0.8, 3) * (1 - haze)
    image = image.reshape(size, _FINE, size, _FINE, 3).mean(axis=(1, 3))
    image = np.clip(image + random.normal(0, 0.01, image.shape), 0, 1)
    inverse = 1 / depth[::_FINE, ::_FINE]
    return np.rint(image * 255).astype(np.uint8).transpose(2, 0, 1), inverse.astype(np.float32)[
        None
    ]


def make(samples: int, size: int, seed: int) -> dict[str, np.ndarray]:
    """The arrays of a file. Sample i depends on the seed and i alone."""
    rooms = [room(np.random.default_rng([seed, i]), size) for i in range(samples)]
    images, inverses = zip(*rooms, strict=True)
    return {"image": np.stack(images), "inverse": np.stack(inverses)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make rooms with known depth.")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    np.savez_compressed(given.output, **make(given.samples, given.size, given.seed))


if __name__ == "__main__":
    main()
