"""Problems of depthwise convolutions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, linear, scaling, weights
from catalogue.problem import Problem, pose
from catalogue.windowed import any_pair, any_window
from deployer.ir import AFFINE
from deployer.ir.attrs import ConvAttrs, Pads, Window
from deployer.ir.ops import window_output

_MOST_WEIGHTS = 8_000  # of a layer; the driver of GAP8 has 40 KiB of room


def depthwise_3x3(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """At stride 1 and 2, pads up to 2; channels in fours, also more of these than a core has at a
    time, and three more."""
    for i in range(count):
        channels, stride = (4, 12, 36, 67)[i % 4], (1, 2)[i // 4 % 2]
        while True:
            height, width = (int(n) for n in rng.integers(1, (12, 19)))
            pads = Pads(*(int(p) for p in rng.integers(0, 3, 4)))
            window = Window((3, 3), stride=(stride, stride), pads=pads)
            if min(window_output(window, height, width)) > 0:
                break
        w = weights(rng, (3, 3, channels))
        x = activations(rng, act, (1, height, width, channels))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(-1, channels).T, scale)
        attrs = ConvAttrs(window, channels)
        yield pose("DepthwiseConv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def depthwise_sizes(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Multiplier 1, no dilation: from one tap to 7x7, rows and columns to 15, strides to (3, 2)."""
    sizes = [(5, 5), (3, 3), (1, 7), (15, 1), (7, 7), (3, 5), (10, 1), (2, 4), (4, 9), (1, 1)]
    strides = [(1, 1), (2, 2), (1, 1), (2, 1), (3, 2)]
    for i in range(count):
        kernel, stride = sizes[i % len(sizes)], strides[i // len(sizes) % len(strides)]
        while True:
            height, width = (int(n) for n in rng.integers(1, 20, 2))
            width = 1 if kernel[1] == 1 and i % 3 else width
            pads = Pads(*(int(p) for p in rng.integers(0, 4, 4)))
            window = Window(kernel, stride=stride, pads=pads)
            if min(window_output(window, height, width)) > 0:
                break
        channels = (1, 4, 3, 6, 8, 13, 2)[i % 7]
        w = weights(rng, (*kernel, channels))
        x = activations(rng, act, (1, height, width, channels))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(-1, channels).T, scale)
        attrs = ConvAttrs(window, channels)
        yield pose("DepthwiseConv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def depthwise(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Multipliers 1 (twice as often), 2, 3."""
    for i in range(count):
        channels, multiplier = CHANNELS[i % 12], (1, 2, 1, 3)[i // 12 % 4]
        window, height, width = any_window(rng, small=False)
        w = weights(rng, (*window.kernel, channels * multiplier))
        x = activations(rng, act, (1, height, width, channels))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(-1, w.shape[2]).T, scale)
        attrs = ConvAttrs(window, channels)
        yield pose("DepthwiseConv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def depthwise_high(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """The high-word rule between the type's bounds, of wide types every third from zero on: strides
    to 4, dilations to 3, multipliers to 4, planes to 24 columns, any number of channels."""
    for i in range(count):
        channels, multiplier = (1, 4, 7, 3, 16, 10, 2, 33)[i % 8], (1, 1, 1, 2, 4, 3)[i // 8 % 6]
        low = 0 if act.low < -128 and i // 3 % 3 == 1 else act.low
        while True:
            height, width = (int(n) for n in rng.integers(1, (8, 25)[i % 2], 2))
            window = Window(
                kernel=((3, 3), (3, 3), any_pair(rng, [1, 2, 3, 4, 5, 7]))[i % 3],
                stride=any_pair(rng, [1, 1, 2, 3, 4]),
                dilation=any_pair(rng, [1, 1, 1, 2, 3]),
                pads=Pads(*(int(p) for p in rng.integers(0, 4, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        yield _high(rng, act, (1, height, width, channels), window, multiplier, low=low)


def depthwise_points(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One tap without padding, strides to 3, multipliers to 3; every third by the high-word rule
    between the type's bounds."""
    for i in range(count):
        height, width = (int(n) for n in rng.integers(1, 14, 2))
        channels, multiplier = (1, 4, 7, 3, 16, 10, 2, 33)[i % 8], (1, 1, 2, 3)[i // 8 % 4]
        window = Window((1, 1), stride=any_pair(rng, [1, 1, 1, 2, 3]))
        shape = 1, height, width, channels
        yield (_high if i % 3 == 0 else _by_any_rule)(rng, act, shape, window, multiplier)


def depthwise_neighbours(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One tap without padding, strides to 3, of few pixels: many outputs of a channel, by the rules
    q32, i32 and shift, between the type's bounds or others."""
    for i in range(count):
        height, width = (int(n) for n in rng.integers(1, 18, 2))
        channels, multiplier = (1, 2, 3)[i % 3], (8, 9, 15, 20, 31, 7)[i // 3 % 6]
        window = Window((1, 1), stride=any_pair(rng, [1, 1, 2, 3]))
        shape = 1, height, width, channels
        low = (None, act.low // 2, 0)[i // 2 % 3]
        if i % 4 == 0:
            yield _affine(rng, act, shape, window, multiplier)
        else:
            yield _high(rng, act, shape, window, multiplier, low=low)


def depthwise_long(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Nine taps in a line, dilations to 4, strides to 3, multipliers to 4; every third by the
    high-word rule between the type's bounds."""
    for i in range(count):
        kernel = ((9, 1), (1, 9))[i % 2]
        channels, multiplier = (5, 1, 4, 3, 8, 9, 2)[i % 7], (1, 4, 2, 3)[i // 2 % 4]
        while True:
            height, width = (int(n) for n in rng.integers(1, 20, 2))
            window = Window(
                kernel,
                stride=any_pair(rng, [1, 1, 2, 3]),
                dilation=any_pair(rng, [1, 1, 2, 4]),
                pads=Pads(*(int(p) for p in rng.integers(0, 9, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        shape = 1, height, width, channels
        yield (_high if i % 3 == 0 else _by_any_rule)(rng, act, shape, window, multiplier)


def depthwise_multiplied(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """From 4 channels on, also more than a chunk has, with 2 to 8 outputs each, or at a stride one
    output; strides and dilations to 3. By turns the high-word rule between the type's bounds,
    the same from zero on where the type is wide, and any rule."""
    kernels = [(3, 3), (5, 5), (9, 1), (1, 3), (10, 4), (2, 2), (3, 5)]
    for i in range(count):
        channels = (4, 5, 6, 7, 8, 17, 63, 70)[i % 8]
        multiplier, kernel = (4, 2, 1, 8, 7)[i // 8 % 5], kernels[i % len(kernels)]
        if channels * multiplier * math.prod(kernel) > _MOST_WEIGHTS:
            multiplier = 1
        while True:
            height, width = (int(n) for n in rng.integers(1, 13 if channels < 63 else 8, 2))
            strides = [3, 3, 4] if multiplier == 1 else [1, 2, 3, 3]
            window = Window(
                kernel,
                stride=any_pair(rng, strides),
                dilation=any_pair(rng, [1, 1, 2, 3]),
                pads=Pads(*(int(p) for p in rng.integers(0, 4, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        shape = 1, height, width, channels
        if i % 3 == 2:
            yield _by_any_rule(rng, act, shape, window, multiplier)
        else:
            low = 0 if act.low < -128 and i % 3 else act.low
            yield _high(rng, act, shape, window, multiplier, low=low)


def depthwise_small(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One to four pixels of up to three channels, windows at all sides."""
    for i in range(count):
        kernel, channels = ((3, 3), (2, 2), (1, 3), (3, 2), (2, 1))[i % 5], 1 + i // 5 % 3
        stride, steps = 1 + i % 3, any_pair(rng, [1, 1, 1, 2])
        pads = Pads(*(int(p) for p in rng.integers(0, 3, 4)))
        reach = [(k - 1) * s + 1 for k, s in zip(kernel, steps, strict=True)]
        height = max(1, reach[0] - pads.top - pads.bottom + stride * int(rng.integers(0, 2)))
        width = max(1, reach[1] - pads.left - pads.right + stride * int(rng.integers(0, 2)))
        window = Window(kernel, stride=(stride, stride), dilation=steps, pads=pads)
        yield _by_any_rule(rng, act, (1, height, width, channels), window, 1)


def depthwise_side_by_side(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Rows that are long enough for several blocks of pixels side by side: few channels, strides
    and dilations to 3, multipliers to 5; two of three by the high-word rule between the type's
    bounds."""
    for i in range(count):
        channels, multiplier = (
            (1, 2, 3, 5, 7, 10, 12, 17, 8, 16)[i % 10],
            (1, 2, 4, 1, 5)[i // 2 % 5],
        )
        kernel = ((3, 3), (5, 5), (2, 4), (9, 1))[i % 4]
        while True:
            height, width = int(rng.integers(1, 6)), int(rng.integers(20, 90))
            window = Window(
                kernel,
                stride=any_pair(rng, [1, 1, 2, 3]),
                dilation=any_pair(rng, [1, 1, 2, 3]),
                pads=Pads(*(int(p) for p in rng.integers(0, 5, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        shape = 1, height, width, channels
        yield (_by_any_rule if i % 3 == 0 else _high)(rng, act, shape, window, multiplier)


def depthwise_strips(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """3x3 at stride 1 in strips of four rows and what is left, columns dilated to 3, from one
    channel to more than a core has at a time; three of four by the high-word rule, every other of
    these between narrower bounds."""
    for i in range(count):
        channels = (1, 2, 5, 6, 8, 10, 17, 24, 30, 63, 3)[i % 11]
        while True:
            height, width = (
                int(rng.integers(2, 15)),
                int(rng.integers(1, 30 if channels < 63 else 16)),
            )
            dilation = 1, (1, 1, 2, 3)[i // 2 % 4]
            pads = Pads(*(int(p) for p in rng.integers(0, 4, 4)))
            window = Window((3, 3), dilation=dilation, pads=pads)
            if (
                window_output(window, height, width)[0] > 3
                and min(window_output(window, height, width)) > 0
            ):
                break
        shape = 1, height, width, channels
        if i % 4 == 0:
            yield _by_any_rule(rng, act, shape, window, 1)
        else:
            yield _high(rng, act, shape, window, 1, low=act.low // 2 if i % 2 else None)


def depthwise_phases(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """3x3 and columns of three taps or more at stride 1 whose rows are dilated to 3, in tall
    planes; every third column has two outputs a channel; three of four by the high-word rule."""
    for i in range(count):
        channels = (8, 17, 1, 24, 5, 63, 30)[i % 7]
        kernel = ((3, 3), (9, 1), (3, 1), (5, 1))[i // 2 % 4]
        multiplier = 2 if kernel[1] == 1 and i % 3 == 0 else 1
        while True:
            height, width = (
                int(rng.integers(3, 33 if channels < 63 else 17)),
                int(rng.integers(1, 11)),
            )
            window = Window(
                kernel,
                dilation=((2, 1), (1, 1), (3, 2), (2, 2))[i % 4],
                pads=Pads(*(int(p) for p in rng.integers(0, 6, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        shape = 1, height, width, channels
        if i % 4 == 0:
            yield _by_any_rule(rng, act, shape, window, multiplier)
        else:
            yield _high(rng, act, shape, window, multiplier)


def depthwise_columns(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Columns of taps, mostly of few channels, whose rows are whole groups of pixels or not;
    strides of rows to 2, dilations to 3; three of four by the high-word rule."""
    for i in range(count):
        channels, group = (
            *((17, 2), (10, 2), (5, 3), (2, 4), (1, 8), (3, 5), (7, 1)),
            *((12, 4), (8, 4), (20, 1), (63, 2), (40, 1)),
        )[i % 12]
        kernel = ((9, 1), (3, 1), (7, 1), (6, 1))[i // 2 % 4]
        window = Window(
            kernel,
            stride=((1, 1), (1, 1), (2, 1))[i % 3],
            dilation=((1, 1), (2, 1), (1, 1), (3, 1))[i // 3 % 4],
            pads=Pads(int(rng.integers(0, 5)), 0, int(rng.integers(0, 5)), 0),
        )
        height = (kernel[0] - 1) * window.dilation[0] + 1 + int(rng.integers(0, 10))
        width = group * int(rng.integers(1, 6)) + (i % 5 == 4)
        shape = 1, height, width, channels
        yield (_by_any_rule if i % 4 == 0 else _high)(rng, act, shape, window, 1)


def depthwise_bands(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Tall images of which a core takes several bands of rows: strides and vertical dilations
    without a common divisor or with one; every third by any rule, others from zero on or between
    the type's bounds."""
    for i in range(count):
        channels, multiplier = (1, 2, 3, 5, 9)[i % 5], 1 + i // 4 % 2
        kernel, stride = ((10, 4), (3, 3), (5, 5), (4, 3))[i % 4], ((3, 3), (3, 2), (2, 3))[i % 3]
        dilation = 2 + i // 2 % 2, 1 + i // 3 % 2
        pads = Pads(*(int(p) for p in rng.integers(0, 5, 4)))
        window = Window(kernel, stride=stride, dilation=dilation, pads=pads)
        height, width = int(rng.integers(32, 48)), int(rng.integers(9, 15))
        shape = 1, height, width, channels
        if i % 3 == 0:
            yield _by_any_rule(rng, act, shape, window, multiplier)
        else:
            yield _high(rng, act, shape, window, multiplier, low=0 if i % 3 == 1 else None)


def depthwise_strided(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Padded windows at strides, of as few channels as rows are copied of or a few more; one of
    three by any rule."""
    for i in range(count):
        channels, multiplier = (8, 16, 11, 17)[i % 4], (1, 2, 3)[i // 2 % 3]
        kernel, stride = ((5, 5), (3, 3), (10, 4))[i % 3], ((3, 3), (2, 2), (2, 3))[i // 3 % 3]
        pads = Pads(*(int(p) for p in rng.integers(0, 5, 4)))
        window = Window(kernel, stride=stride, dilation=(1 + i % 2, 1 + i // 2 % 2), pads=pads)
        shape = 1, int(rng.integers(18, 32)), int(rng.integers(9, 32)), channels
        yield (_by_any_rule if i % 3 == 0 else _high)(rng, act, shape, window, multiplier)


def depthwise_scales(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One tap at stride 1, of any channels, by the rules i32 and shift."""
    for i in range(count):
        channels = (1, 4, 7, 3, 16, 10, 2, 33, 40, 5, 63)[i % 11]
        height, width = (int(n) for n in rng.integers(1, 14 if channels < 33 else 8, 2))
        shape = 1, height, width, channels
        yield _affine(rng, act, shape, Window((1, 1)), 1)


def depthwise_pairs(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Windows of few taps a row, strides and dilations to 4, multipliers to 4, by the rules i32 and
    shift: planes of a column, more lines than a piece has, less than four channels left, one to
    three of them, as many fours as cores or a few less."""
    kernels = ((3, 3), (9, 1), (5, 5), (1, 3), (2, 2), (7, 1), (3, 2))
    for i in range(count):
        channels, multiplier = (8, 1, 13, 2, 30, 7, 3, 116)[i % 8], (1, 2, 1, 4, 3)[i // 3 % 5]
        kernel = kernels[i % len(kernels)]
        if channels * multiplier * math.prod(kernel) > _MOST_WEIGHTS // 4:
            multiplier, kernel = 1, (3, 3)
        most = (6, 6) if channels > 30 else ((14, 14), (70, 2), (4, 60))[i // 2 % 3]
        while True:
            height, width = (int(rng.integers(1, n)) for n in most)
            window = Window(
                kernel,
                stride=any_pair(rng, [1, 2, 3, 4]),
                dilation=any_pair(rng, [1, 1, 2, 3, 4]),
                pads=Pads(*(int(p) for p in rng.integers(0, 5, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        yield _affine(rng, act, (1, height, width, channels), window, multiplier)


def depthwise_3x3_multiplied(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """3x3 at strides 1 and 2 with two to four outputs a channel, by the rules i32 and shift."""
    for i in range(count):
        channels, stride = (4, 8, 3, 13, 1, 36)[i % 6], 1 + i // 3 % 2
        while True:
            height, width = (int(n) for n in rng.integers(1, (12, 19)))
            pads = Pads(*(int(p) for p in rng.integers(0, 3, 4)))
            window = Window((3, 3), stride=(stride, stride), pads=pads)
            if min(window_output(window, height, width)) > 0:
                break
        yield _affine(rng, act, (1, height, width, channels), window, 2 + i % 3)


def depthwise_blocks(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """3x3 of columns and channels in fours, as many columns of outputs as the stride makes of them,
    which a pad of one column on the left or the right allows; rules i32 and shift."""
    for i in range(count):
        stride, left, right = ((1, 1, 1), (2, 1, 0), (2, 0, 1))[i % 3]
        channels, width = (4, 8, 12, 36)[i // 3 % 4], (4, 8, 12, 20)[i // 12 % 4]
        while True:
            height, top = int(rng.integers(1, 12)), int(rng.integers(0, 2))
            pads = Pads(top, left, int(rng.integers(0, 2)), right)
            window = Window((3, 3), stride=(stride, stride), pads=pads)
            if min(window_output(window, height, width)) > 0:
                break
        yield _affine(rng, act, (1, height, width, channels), window, 1)


def _affine(
    rng: np.random.Generator,
    act: Act,
    shape: tuple[int, ...],
    window: Window,
    multiplier: int,
) -> Problem:
    while True:
        problem = _by_any_rule(rng, act, shape, window, multiplier)
        if problem.node.rq.rule in AFFINE:
            return problem


def _high(
    rng: np.random.Generator,
    act: Act,
    shape: tuple[int, ...],
    window: Window,
    multiplier: int,
    *,
    low: int | None = None,
) -> Problem:
    """``low``: the type's where None."""
    scale = replace(scaling(rng, act), low=act.low if low is None else low, high=act.high)
    w = weights(rng, (*window.kernel, shape[3] * multiplier))
    rule = ""
    while rule != "q32":
        bias, multipliers = linear(rng, act, w.reshape(-1, w.shape[2]).T, scale)
        rule = multipliers.rule
    x = activations(rng, act, shape)
    attrs = ConvAttrs(window, shape[3])
    return pose("DepthwiseConv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def _by_any_rule(
    rng: np.random.Generator,
    act: Act,
    shape: tuple[int, ...],
    window: Window,
    multiplier: int,
) -> Problem:
    scale = scaling(rng, act)
    w = weights(rng, (*window.kernel, shape[3] * multiplier))
    bias, multipliers = linear(rng, act, w.reshape(-1, w.shape[2]).T, scale)
    x = activations(rng, act, shape)
    attrs = ConvAttrs(window, shape[3])
    return pose("DepthwiseConv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


SOURCES = {
    "DepthwiseConv2d": (depthwise, 300, 150),
}
