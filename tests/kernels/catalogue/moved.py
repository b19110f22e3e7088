"""Problems of the operators that move elements: concat, slice, pad, resize, blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, pick, scaling, whole_range
from catalogue.problem import Problem, Scaling, pose
from deployer.ir.attrs import (
    BlockAttrs,
    ConcatAttrs,
    PadAttrs,
    ResampleAttrs,
    ResizeAttrs,
    ResizeMode,
    SliceAttrs,
)
from deployer.ir.rules import PRODUCTS
from deployer.numerics.ops.resample import RESAMPLE_BITS
from deployer.numerics.requant import Multipliers


def concat(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One to four parts along channels, rows or columns; some have the output's scale, cut or
    not."""
    for i in range(count):
        parts, axis = 1 + i % 4, (3, 1, 2)[i // 4 % 3]
        shape = _shape(rng, CHANNELS[i % 12])
        if i % 7 == 3:
            shape, axis = (1, shape[3]), 1
        inputs = []
        for _ in range(parts):
            extent = int(rng.integers(1, 10))
            inputs.append(activations(rng, act, (*shape[:axis], extent, *shape[axis + 1 :])))
        cut = Scaling(
            low=int(rng.choice([act.low, -90])), high=int(rng.choice([act.high, 90])), act=act
        )
        scale = scaling(rng, act) if rng.random() < 0.4 else cut
        multipliers = _to_one_scale(rng, act, parts, scale)
        yield pose("Concat", ConcatAttrs(axis), inputs, {}, scale, multipliers)


def _to_one_scale(rng: np.random.Generator, act: Act, parts: int, scale: Scaling) -> Multipliers:
    rule = str(rng.choice(PRODUCTS if act.symmetric else ["i32", "i32", "shift"]))
    zeros = act.zeros(rng, [-128, -3, 0, 0, 5, 127], parts)
    real = rng.uniform(0.1, 1.5, parts)
    found = pick(rule, real, np.full(parts, -act.low), scale.zero_out, zeros)
    kept = (rng.random(parts) < 0.4) & (rule != "q31")  # which has no shift by 0
    found.multiplier[kept], found.rounding[kept], found.shift[kept] = 1, 0, 0
    return found


def slices(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Any window of any tensor; of every three one along channels only, one of whole pixels."""
    for i in range(count):
        shape = _shape(rng, CHANNELS[i % 12]) if i % 5 else (1, CHANNELS[i % 12])
        ends = [sorted(rng.integers(0, n + 1, 2).tolist()) for n in shape[1:]]
        cut = [(b, e) if b < e else (0, n) for (b, e), n in zip(ends, shape[1:], strict=True)]
        if i % 3 == 1:
            cut[:-1] = [(0, n) for n in shape[1:-1]]
        elif i % 3 == 2:
            cut[-1] = (0, shape[-1])
        begin, end = zip((0, 1), *cut, strict=True)
        yield pose(
            "Slice",
            SliceAttrs(begin, end),
            [activations(rng, act, shape)],
            {},
            whole_range(act),
        )


def pad(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Borders, channels or both, with any value, some beyond the type."""
    for i in range(count):
        shape = _shape(rng, CHANNELS[i % 12]) if i % 6 else (1, CHANNELS[i % 12])
        before, after = rng.integers(0, 4, (2, len(shape)))
        before[0] = after[0] = 0
        if i % 3 == 0:
            before[-1] = after[-1] = 0
        elif i % 3 == 1:
            before[:-1] = after[:-1] = 0
        value = float(rng.choice([0, rng.integers(-200, 200)])) * 0.25 * (act.high // 127)
        attrs = PadAttrs(tuple(before.tolist()), tuple(after.tolist()), value)
        zero = int(act.zeros(rng, [-128, 0, 7], 1)[0])
        scale = Scaling(zero, zero, out_scale=0.25, act=act)
        yield pose("Pad", attrs, [activations(rng, act, shape)], {}, scale)


def resize(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Every pair of factors 1, 2, 4 (nearest: and 3), linear with both kinds of samples, nearest
    from any start."""
    for i in range(count):
        linear = i % 2 == 0
        choices = (1, 2, 4) if linear else (1, 2, 3, 4)
        high, wide = (choices[n % len(choices)] for n in (i // 4, i // 12))
        mode, half_pixel = "linear" if linear else "nearest", i // 2 % 2 == 0
        attrs = ResizeAttrs((high, wide), ResizeMode(mode), half_pixel)
        if i % 4 == 3:
            high, wide = (int(rng.integers(-factor, factor + 1)) for factor in attrs.factors)
            attrs = replace(attrs, start=(high, wide))
        height, width = (int(n) for n in rng.integers(1, 6, 2))
        channels = min(CHANNELS[int(rng.integers(0, 12))], 17)
        x = activations(rng, act, (1, height, width, channels))
        yield pose("Resize", attrs, [x], {}, whole_range(act))


def resized_columns(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One column of long pixels, whose rows stay as they are or do not."""
    for i in range(count):
        linear = i % 2 == 0
        factors = (1, 2)[i // 8 % 2], (2, 4)[i // 2 % 2]
        attrs = ResizeAttrs(factors, ResizeMode("linear" if linear else "nearest"), i // 4 % 2 == 0)
        x = activations(rng, act, (1, int(rng.integers(1, 7)), 1, (17, 33, 40, 5)[i % 4]))
        yield pose("Resize", attrs, [x], {}, whole_range(act))


def depth_to_space(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    def shape(height: int, width: int, channels: int, block: int) -> tuple[int, ...]:
        return (1, height, width, channels * block**2)

    return _blocks(rng, count, act, "DepthToSpace", shape)


def space_to_depth(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    def shape(height: int, width: int, channels: int, block: int) -> tuple[int, ...]:
        return (1, height * block, width * block, channels)

    return _blocks(rng, count, act, "SpaceToDepth", shape)


def _blocks(
    rng: np.random.Generator,
    count: int,
    act: Act,
    op: str,
    shape: Callable[[int, int, int, int], tuple],
) -> Iterator[Problem]:
    """Blocks 1 to 4 in both orders of channels."""
    for i in range(count):
        attrs = BlockAttrs((2, 3, 4, 2, 1)[i % 5], column_first=i // 5 % 2 == 1)
        height, width = (int(n) for n in rng.integers(1, 5, 2))
        channels = min(CHANNELS[int(rng.integers(0, 12))], 9)
        x = activations(rng, act, shape(height, width, channels, attrs.block))
        yield pose(op, attrs, [x], {}, whole_range(act))


def resample(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One to five taps along either axis, forwards and backwards; weights that cancel, too."""
    for i in range(count):
        axis, taps, outputs = 1 + i % 2, 1 + i % 5, int(rng.integers(1, 10))
        shape = list(_shape(rng, CHANNELS[i % 12]))
        shape[axis] += taps
        weights = rng.integers(-4000, 8000, (outputs, taps))
        weights[:, 0] += (1 << RESAMPLE_BITS) - weights.sum(axis=1)
        starts = rng.integers(0, shape[axis] - taps + 1, outputs)
        constants = {"h": weights.astype(np.int16), "i": starts.astype(np.int32)}
        x = activations(rng, act, tuple(shape))
        yield pose("Resample", ResampleAttrs(axis), [x], constants, whole_range(act))


def _shape(rng: np.random.Generator, channels: int) -> tuple[int, ...]:
    height, width = (int(n) for n in rng.integers(1, 8, 2))
    return (1, height, width, channels)


# problems with int8 and with int16 activations, by operator
SOURCES = {
    "Concat": (concat, 240, 120),
    "Slice": (slices, 240, 120),
    "Pad": (pad, 200, 120),
    "Resize": (resize, 288, 200),
    "Resample": (resample, 150, 120),
    "DepthToSpace": (depth_to_space, 180, 100),
    "SpaceToDepth": (space_to_depth, 180, 100),
}
