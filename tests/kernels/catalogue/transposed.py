"""Problems of the transposed convolution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, pick, scaling, weights
from catalogue.problem import Problem, Scaling, pose
from deployer.ir.attrs import ConvTransposeAttrs, Pads, Window
from deployer.ir.rules import PRODUCTS
from deployer.numerics.requant import Multipliers


def conv_transpose2d(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Channels as of convolutions; of every three one has kernel = stride, one in five groups,
    one in seven a group for each channel."""
    for i in range(count):
        groups = int(rng.choice([2, 3, 4])) if i % 5 == 2 else 1
        depth, per_group = CHANNELS[i % 12], CHANNELS[(i + i // 12) % 12]
        if groups > 1:
            depth, per_group = min(depth, 5), min(per_group, 9)
        if i % 7 == 3:
            groups, depth, per_group = CHANNELS[i // 7 % 12], 1, 1
        height, width = (int(n) for n in rng.integers(1, 4 if depth * per_group > 128 else 6, 2))
        attrs = _attrs(rng, (height, width), groups, tiles=i % 3 == 1)
        w = weights(rng, (groups * per_group, *attrs.window.kernel, depth))
        x = activations(rng, act, (1, height, width, groups * depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def grouped(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Two to five groups of one to nine input channels, no dilation, no gaps between windows."""
    for i in range(count):
        yield _grouped(
            rng, act, (2, 3, 5)[i % 3], (2, 1, 4, 3, 6, 8, 9)[i % 7], (1, 2, 3, 5)[i % 4]
        )


def many_groups(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """The same of eight groups or more, so many that they fill vectors or not."""
    for i in range(count):
        yield _grouped(
            rng, act, (8, 11, 16)[i % 3], (1, 2, 3, 4, 8, 5, 9)[i % 7], (1, 3, 2, 5)[i % 4]
        )


def columns(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """The same of images of a column or two, of which windows reach both sides; few groups."""
    for i in range(count):
        shape = int(rng.integers(5, 20)), 1 + i // 2 % 2
        groups, depth, per_group = (1, 2, 3)[i % 3], (2, 1, 5, 3, 8, 17)[i % 6], (1, 2, 5, 3)[i % 4]
        yield _grouped(rng, act, groups, depth, per_group, shape)


def _grouped(
    rng: np.random.Generator,
    act: Act,
    groups: int,
    depth: int,
    per_group: int,
    shape: tuple[int, int] | None = None,
) -> Problem:
    """``shape``: height and width, small ones where None."""
    height, width = shape or tuple(int(n) for n in rng.integers(1, 6, 2))
    stride = _pair(rng, [1, 2, 2, 3])
    kernel = tuple(s + int(rng.integers(0, 3)) for s in stride)
    most = [k - s for k, s in zip(kernel, stride, strict=True)]
    top, left = (int(rng.integers(0, n + 1)) for n in most)
    window = Window((kernel[0], kernel[1]), stride, pads=Pads(top, left, 0, 0))
    output = (height * stride[0] + most[0] - top, width * stride[1] + most[1] - left)
    w = weights(rng, (groups * per_group, *window.kernel, depth))
    x = activations(rng, act, (1, height, width, groups * depth))
    scale = scaling(rng, act)
    bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
    attrs = ConvTransposeAttrs(window, output, groups)
    return pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def strides_of_columns(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Rows of strides, of which every other begins with a whole one, and pads cut others at either
    end; groups of one output to nine, images of a column too."""
    for i in range(count):
        groups, depth = (1, 2, 1, 5)[i % 4], (1, 3, 10, 4, 17)[i % 5]
        per_group = (1, 2, 9, 1, 3, 4)[i % 6]
        down, across = 1 + i % 3, 2 + i // 2 % 2
        height, width = int(rng.integers(1, 9)), (1, 3, 7, 12)[i // 3 % 4]
        left = across * (i // 7 % 2) + i % 2 * (i // 3 % across)
        more = int(rng.integers(0, 3))
        kernel = (down + int(rng.integers(0, 3)), across + left + more)
        top = int(rng.integers(0, kernel[0] - down + 1))
        window = Window(kernel, (down, across), pads=Pads(top, left, 0, 0))
        output = (height * down + kernel[0] - down - top, width * across - i // 5 % across)
        w = weights(rng, (groups * per_group, *kernel, depth))
        x = activations(rng, act, (1, height, width, groups * depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        attrs = ConvTransposeAttrs(window, output, groups)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def common(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """No dilation or groups, nothing cropped but what neighbouring windows share."""
    for i in range(count):
        depth, channels = (1, 3, 4, 8, 17, 20, 33)[i % 7], (1, 3, 4, 5)[i // 7 % 4]
        height, width = (int(n) for n in rng.integers(1, 6, 2))
        stride = _pair(rng, [1, 2, 2, 3])
        kernel = tuple(s + int(rng.integers(0, 3)) for s in stride)
        most = [k - s for k, s in zip(kernel, stride, strict=True)]
        top, left, bottom, right = (int(rng.integers(0, n + 1)) for n in (*most, *most))
        output = tuple(n * s + m for n, s, m in zip((height, width), stride, most, strict=True))
        output = (output[0] - top - bottom, output[1] - left - right)
        if min(output) < 1 or height * stride[0] > top + output[0]:
            bottom = right = 0
            output = (height * stride[0] + most[0] - top, width * stride[1] + most[1] - left)
        window = Window((kernel[0], kernel[1]), stride, pads=Pads(top, left, bottom, right))
        w = weights(rng, (channels, *window.kernel, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        attrs = ConvTransposeAttrs(window, output, 1)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def few_channels(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One to five channels at a horizontal stride of two or three, in rows that begin or end at any
    remainder of it; every fourth with kernel = stride."""
    for i in range(count):
        depth, channels = (1, 3, 4, 5, 8, 9)[i % 6], (1, 2, 3, 5)[i // 6 % 4]
        height, width = int(rng.integers(1, 5)), int(rng.integers(1, 10))
        stride = int(rng.integers(1, 4)), int(rng.integers(2, 4))
        more = (0, 0) if i % 4 == 3 else tuple(int(n) for n in rng.integers(0, 3, 2))
        kernel = stride[0] + more[0], stride[1] + more[1]
        crops = [int(rng.integers(0, n + 1)) for n in (*more, *more)]
        crops[2] = min(crops[2], height * stride[0] + more[0] - crops[0] - 1)
        output = (
            height * stride[0] + more[0] - crops[0] - crops[2],
            width * stride[1] + more[1] - crops[1] - crops[3],
        )
        window = Window(kernel, stride, pads=Pads(*crops))
        w = weights(rng, (channels, *kernel, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        attrs = ConvTransposeAttrs(window, output, 1)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def wide(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Rows of several blocks of four outputs of a remainder, and outputs behind the last window."""
    for i in range(count):
        depth, channels = (4, 8, 12, 16, 6)[i % 5], (4, 8, 5)[i // 5 % 3]
        height, width = int(rng.integers(1, 4)), int(rng.integers(8, 14))
        attrs = _attrs(rng, (height, width), 1, tiles=i % 2 == 0)
        w = weights(rng, (channels, *attrs.window.kernel, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def scaled(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Outputs that are their inputs' size times the stride, in rows of up to 36."""
    for i in range(count):
        groups, depth, per_group = (1, 2, 3)[i % 3], (1, 2, 3, 5)[i // 3 % 4], (1, 2, 3, 5)[i % 4]
        height, width = int(rng.integers(1, 5)), int(rng.integers(3, 13))
        stride = (1, 2, 2, 3)[i % 4], (2, 2, 3, 3)[i // 2 % 4]
        more = tuple(int(n) for n in rng.integers(0, 3, 2))
        kernel = stride[0] + more[0], stride[1] + more[1]
        top, left = (int(rng.integers(0, n + 1)) for n in more)
        window = Window(kernel, stride, pads=Pads(top, left, more[0] - top, more[1] - left))
        output = height * stride[0], width * stride[1]
        w = weights(rng, (groups * per_group, *kernel, depth))
        x = activations(rng, act, (1, height, width, groups * depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        attrs = ConvTransposeAttrs(window, output, groups)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def in_bands(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Images that kernels take in calls of several rows; of every six one with so many channels
    that not all rows are copied at a time."""
    for i in range(count):
        groups, depth, per_group = (
            (1, 2, 2, 3)[i % 4],
            (4, 2, 6, 3, 8)[i % 5],
            (1, 2, 3)[i // 2 % 3],
        )
        kernel, stride = (((5, 3), (3, 1)), ((3, 5), (1, 2)))[i % 2]
        if deep := i % 6 == 5:
            groups, depth, per_group, kernel, stride = 40, 8, 1, (4, 4), (2, 2)
        height, width = (int(n) for n in rng.integers(3, 5 if deep else 13, 2))
        crops = [int(n) for n in rng.integers(0, 2, 4)]
        more = [k - s for k, s in zip(kernel, stride, strict=True)]
        output = (
            height * stride[0] + more[0] - crops[0] - crops[2],
            width * stride[1] + more[1] - crops[1] - crops[3],
        )
        window = Window(kernel, stride, pads=Pads(*crops))
        w = weights(rng, (groups * per_group, *kernel, depth))
        x = activations(rng, act, (1, height, width, groups * depth))
        scale = scaling(rng, act)
        bias, multipliers = _linear(rng, act, w.reshape(len(w), -1).astype(np.int64), scale)
        attrs = ConvTransposeAttrs(window, output, groups)
        yield pose("ConvTranspose2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def _linear(
    rng: np.random.Generator, act: Act, w: np.ndarray, scale: Scaling
) -> tuple[np.ndarray, Multipliers]:
    """Bias and requantization for the case that every tap meets an input."""
    spread = np.sqrt((w**2).sum(axis=1) + 1.0) * (74 * (act.high // 127) + abs(scale.zero_in) / 2)
    bias = (rng.normal(size=len(w)) * spread).astype(np.int64)
    farthest = max(act.low - scale.zero_in, act.high - scale.zero_in, key=abs)
    # the sums themselves fit int32, which the definition checks
    bound = np.minimum(np.abs(bias) + np.abs(w).sum(axis=1) * abs(farthest), 2**31 - 1)
    real = rng.uniform(0.2, 2, len(w)) * 60 * (act.high // 127) / spread
    return bias.astype(np.int32), pick(str(rng.choice(PRODUCTS)), real, bound, scale.zero_out)


def _attrs(
    rng: np.random.Generator, extents: tuple[int, int], groups: int, *, tiles: bool
) -> ConvTransposeAttrs:
    """Kernels 1 to 5, strides and dilations 1 to 3, crops to 4, outputs longer than the window
    gives; ``tiles``: windows side by side."""
    while True:
        kernel = _pair(rng, [1, 2, 3, 3, 4, 5])
        stride = kernel if tiles else _pair(rng, [1, 2, 2, 3])
        dilation = (1, 1) if tiles else _pair(rng, [1, 1, 1, 2, 3])
        crops = [0, 0, 0, 0] if tiles and rng.random() < 0.5 else rng.integers(0, 5, 4).tolist()
        extra = rng.integers(0, np.maximum(stride, dilation)).tolist()
        rows = zip(extents, kernel, stride, dilation, crops[:2], crops[2:], extra, strict=True)
        output = [(n - 1) * s + (k - 1) * d + 1 - b - e + o for n, k, s, d, b, e, o in rows]
        if min(output) > 0:
            window = Window(kernel, stride, dilation, Pads(*crops))
            return ConvTransposeAttrs(window, (output[0], output[1]), groups)


def _pair(rng: np.random.Generator, choices: list[int]) -> tuple[int, int]:
    first, second = rng.choice(choices, 2)
    return int(first), int(second)


# problems with int8 and with int16 activations, by operator
SOURCES = {"ConvTranspose2d": (conv_transpose2d, 300, 120)}
