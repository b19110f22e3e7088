"""Problems of convolutions, and windows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from catalogue.act import Act
from catalogue.numbers import (
    CHANNELS,
    activations,
    linear,
    scaling,
    trained_weights,
    weights,
)
from catalogue.problem import Problem, pose
from deployer.ir.attrs import ConvAttrs, Pads, Window
from deployer.ir.ops import window_output


def conv2d(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Channels take every pair of CHANNELS within 288 cases; one in five has groups."""
    for i in range(count):
        groups = int(rng.choice([2, 3, 4, 8])) if i % 5 == 2 else 1
        depth, per_group = CHANNELS[i % 12], CHANNELS[(i + i // 12) % 12]
        if groups > 1:
            depth, per_group = min(depth, 5), min(per_group, 9)
        window, height, width = any_window(rng, small=depth * per_group > 128)
        plane = height, width, depth
        yield _in_groups(rng, act, window, plane, groups, per_group)


def _in_groups(
    rng: np.random.Generator,
    act: Act,
    window: Window,
    plane: tuple[int, int, int],
    groups: int,
    per_group: int,
) -> Problem:
    """``plane``: height and width of the input, channels of a group."""
    height, width, depth = plane
    w = weights(rng, (groups * per_group, *window.kernel, depth))
    x = activations(rng, act, (1, height, width, groups * depth))
    scale = scaling(rng, act)
    bias, multipliers = linear(rng, act, w.reshape(len(w), -1), scale)
    attrs = ConvAttrs(window, groups)
    return pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def trained(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Weights as training leaves them: most are small, so that several products fit a half of a
    word, except for a few or for many. Inputs of up to 400 values, in whole vectors or not."""
    for i in range(count):
        depth, side = ((32, 1), (16, 3), (100, 1), (5, 3), (48, 3), (9, 2), (71, 1))[i % 7]
        channels, spread = (4, 9, 12, 3)[i % 4], (20.0, 45.0, 80.0)[i // 4 % 3]
        height, width = (int(n) for n in rng.integers(side, side + 4, 2))
        w = trained_weights(rng, (channels, side, side, depth), spread)
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(channels, -1), scale)
        attrs = ConvAttrs(Window((side, side)), 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def grouped(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Two to nine groups, of one input channel to twelve: those that fill words of bytes, those
    that leave one, two or three of them, so many of one output that groups share a block."""
    depths, outputs = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12), (2, 1, 3, 4, 5, 8, 1)
    for i in range(count):
        groups = (2, 3, 5, 8, 4, 9)[i % 6]
        depth, per_group = depths[i % 10], outputs[i % 7]
        window, height, width = any_window(rng, small=i % 2 == 0)
        plane = height, width, depth
        yield _in_groups(rng, act, window, plane, groups, per_group)


def many_groups(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Eight groups or more, so many that they fill vectors or not, of one input channel to eleven
    and one output to five."""
    for i in range(count):
        groups, depth = (8, 11, 16, 9)[i % 4], (1, 2, 3, 4, 8, 5, 11)[i % 7]
        per_group = (1, 3, 2, 1, 4, 5)[i % 6]
        window, height, width = any_window(rng, small=depth > 3)
        plane = height, width, depth
        yield _in_groups(rng, act, window, plane, groups, per_group)


def pointwise(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """1x1 at stride 1 without pads, channels in fours: what special kernels take."""
    for i in range(count):
        depth, channels = (4, 8, 12, 20, 64, 132)[i % 6], CHANNELS[(i + i // 6) % 12]
        height, width = (int(n) for n in rng.integers(1, 8, 2))
        w = weights(rng, (channels, 1, 1, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(len(w), -1), scale)
        attrs = ConvAttrs(Window((1, 1)), 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def padded_points(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """1x1 at stride 1 whose pads make pixels of nothing, on one side or several."""
    for i in range(count):
        depth, channels = (4, 8, 3, 20, 17)[i % 5], CHANNELS[(i + i // 5) % 12]
        height, width = (int(n) for n in rng.integers(1, 8, 2))
        pads = [0, 0, 0, 0]
        for side in rng.permutation(4)[: 1 + i % 3]:
            pads[side] = int(rng.integers(1, 3))
        w = weights(rng, (channels, 1, 1, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(len(w), -1), scale)
        attrs = ConvAttrs(Window((1, 1), pads=Pads(*pads)), 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def conv_3x3(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """At stride 1, channels in fours and not, up to more than 64, pads up to 2, odd and even
    sizes."""
    for i in range(count):
        depth, channels = (4, 8, 5, 12, 4, 20, 10, 68, 7, 63)[i % 10], CHANNELS[(i + i // 10) % 12]
        channels = min(channels, 9 if depth < 68 else 3)
        while True:
            height, width = (int(n) for n in rng.integers(1, 5 if depth > 20 else 12, 2))
            window = Window((3, 3), pads=Pads(*(int(p) for p in rng.integers(0, 3, 4))))
            if min(window_output(window, height, width)) > 0:
                break
        w = weights(rng, (channels, 3, 3, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(len(w), -1), scale)
        attrs = ConvAttrs(window, 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def wide_rows(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Rows of many windows, channels in fours or few: what kernels that take several blocks of a
    row at a time do in one go, between sides that cut others."""
    for i in range(count):
        depth, side = ((3, 3), (8, 3), (1, 5), (4, 3), (3, 7), (12, 3), (8, 1))[i % 7]
        channels, stride = (4, 8, 5, 12)[i % 4], 1 + i // 3 % 2
        pads = Pads(*(int(p) for p in rng.integers(0, side // 2 + 2, 4)))
        window = Window((side, side), (int(rng.integers(1, 3)), stride), pads=pads)
        width = int(rng.integers(12, 24)) * stride + side - stride
        x = activations(rng, act, (1, side + int(rng.integers(0, 3)), width, depth))
        w = weights(rng, (channels, side, side, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(channels, -1), scale)
        attrs = ConvAttrs(window, 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def odd_rows(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """No dilation, channels that fill no words, few of output: windows that a side cuts, strides
    larger than the kernel, rows of less than three outputs and of several times as many."""
    for i in range(count):
        depth, channels = (1, 3, 5, 7, 9, 17, 1)[i % 7], (1, 2, 3, 4, 9)[i % 5]
        while True:
            height, width = int(rng.integers(1, 8)), int(rng.integers(1, 16))
            pads = Pads(*(int(p) for p in rng.integers(0, 4, 4)))
            window = Window(any_pair(rng, [1, 2, 3, 5]), any_pair(rng, [1, 1, 2, 3]), pads=pads)
            if min(window_output(window, height, width)) > 0:
                break
        w = weights(rng, (channels, *window.kernel, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(channels, -1), scale)
        attrs = ConvAttrs(window, 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def columns(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Images of a column or two, of which windows of several rows reach both sides; few groups of
    few channels, strides and dilations to 3."""
    for i in range(count):
        groups, depth, per_group = (1, 2, 3)[i % 3], (2, 1, 5, 3, 8)[i % 5], (1, 2, 5, 3)[i % 4]
        while True:
            height, width = int(rng.integers(8, 30)), 1 + i // 2 % 2
            window = Window(
                any_pair(rng, [2, 3, 5]),
                stride=any_pair(rng, [1, 1, 2, 3]),
                dilation=any_pair(rng, [1, 1, 2, 3]),
                pads=Pads(*(int(p) for p in rng.integers(0, 5, 4))),
            )
            if min(window_output(window, height, width)) > 0:
                break
        yield _in_groups(rng, act, window, (height, width, depth), groups, per_group)


def lines(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Images of one row or one column of many outputs, windows along it, dilated or not, few
    outputs: one tap of channels that fill no words, 1x1 over a plane, strides to 3."""
    depths = (1, 3, 4, 5, 63, 17, 2, 12, 34)
    for i in range(count):
        depth, channels, taps = depths[i % 9], (1, 2, 3, 5)[i % 4], (1, 3, 2, 5)[i // 2 % 4]
        stride, gap = 1 + i // 3 % 3, 1 + i // 5 % 2 if taps > 1 else 1
        before, behind = (int(p) for p in rng.integers(0, taps, 2))
        length = int(rng.integers(8, 22)) * stride + (taps - 1) * gap
        window = Window((taps, 1), (stride, stride), (gap, gap), Pads(before, 0, behind, 0))
        height, width = length, 3 if taps == 1 and i % 4 == 0 else 1
        if i % 3 == 1:
            height, width = width, height
            window = Window((1, taps), (stride, stride), (gap, gap), Pads(0, before, 0, behind))
        w = weights(rng, (channels, *window.kernel, depth))
        x = activations(rng, act, (1, height, width, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(channels, -1), scale)
        attrs = ConvAttrs(window, 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def bands(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Images of which copies of all rows are too many at once, also of one column; few outputs,
    strides and dilations of rows; a small one of many channels."""
    shapes = ((14, 40, 17), (20, 48, 10), (9, 30, 33), (110, 1, 120), (8, 8, 31))
    for i in range(count):
        single, tall = shapes[i % 5][1] == 1, (1, 2, 3)[i % 3]
        stride, gap = (1, 1, 2, 3)[i // 2 % 4], 1 + i // 3 % 2 if tall > 1 else 1
        wide = 1 if single else (1, 3)[i // 10 % 2]
        pads = Pads(*(int(p) for p in rng.integers(0, 2, 4))) if wide > 1 else Pads()
        channels = (1, 2, 3)[i // 4 % 3]
        window = Window((tall, wide), (stride, 1), (gap, 1), pads)
        yield _in_groups(rng, act, window, shapes[i % 5], 1, channels)


def interior(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """No pads left and right, as where zero points lie beside the rows: blocks that end with a row
    and that go on in the next, rows of less than one, several blocks a row."""
    for i in range(count):
        depth, high, wide = ((8, 3, 3), (12, 3, 3), (4, 3, 5), (3, 3, 3), (16, 2, 1), (5, 5, 3))[
            i % 6
        ]
        channels, stride = (4, 12, 8, 20)[i % 4], 1 + i // 4 % 2
        top, bottom = (int(p) for p in rng.integers(0, high, 2))
        window = Window((high, wide), (stride, 1 + i // 3 % 2), pads=Pads(top, 0, bottom, 0))
        columns = int((3, 6, 8, 13, 16, 20)[int(rng.integers(0, 6))])
        width = (columns - 1) * window.stride[1] + wide + int(rng.integers(0, window.stride[1]))
        x = activations(rng, act, (1, high + int(rng.integers(0, 6)), width, depth))
        w = weights(rng, (channels, high, wide, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(channels, -1), scale)
        attrs = ConvAttrs(window, 1)
        yield pose("Conv2d", attrs, [x], {"w": w, "b": bias}, scale, multipliers)


def blocks(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Columns and channels of outputs in fours, no pads left and right: points, rows that are read
    and rows that are copied."""
    for i in range(count):
        depth, high, wide = ((8, 1, 1), (20, 1, 1), (3, 3, 3), (8, 3, 3), (4, 2, 3))[i % 5]
        channels, stride = (4, 12, 8)[i % 3], 1 + i // 5 % 2
        top, bottom = (int(p) for p in rng.integers(0, high, 2))
        window = Window((high, wide), (stride, stride), pads=Pads(top, 0, bottom, 0))
        width = ((4, 8, 12)[i // 10 % 3] - 1) * stride + wide
        x = activations(rng, act, (1, high + int(rng.integers(0, 5)), width, depth))
        w = weights(rng, (channels, high, wide, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w.reshape(channels, -1), scale)
        yield pose("Conv2d", ConvAttrs(window, 1), [x], {"w": w, "b": bias}, scale, multipliers)


def slid(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One output or two of rows of sixteen pixels and more, two to five taps side by side, dilated
    or not, also as many for each remainder of a stride; few channels, in groups or not."""
    for i in range(count):
        across, wide = ((1, 2), (1, 3), (1, 4), (1, 5), (2, 4))[i % 5]
        gap = 1 + i // 5 % 2 if across == 1 else 1
        tall, depth, groups = (1, 2, 3)[i % 3], (1, 2, 3, 5)[i // 2 % 4], 1 + i % 7 // 5
        side = (wide - 1) * gap
        before, behind = (int(p) for p in rng.integers(0, side + 1, 2)) if i % 4 else (0, 0)
        top, bottom = (int(p) for p in rng.integers(0, tall, 2)) if i % 4 else (0, 0)
        window = Window((tall, wide), (1, across), (1, gap), Pads(top, before, bottom, behind))
        width = side + 1 + (15 + int(rng.integers(0, 9))) * across - before - behind
        plane = tall + int(rng.integers(0, 4)), width, depth
        yield _in_groups(rng, act, window, plane, groups, 1 + i // 3 % 2)


def apart(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Several rows of few pixels, more outputs than values: padding is much of a plane."""
    for i in range(count):
        high, wide = ((1, 4), (3, 3), (2, 2), (1, 3), (3, 5))[i % 5]
        stride, gap = 1 + i // 5 % 2, 1 + i // 10 % 2
        depth, groups, per_group = (1, 2, 3)[i % 3], 1 + i % 2, (24, 9, 16, 37)[i % 4]
        spans = (high - 1) * gap, (wide - 1) * gap
        pads = [int(rng.integers(0, span + 1)) if i % 3 else 0 for span in (*spans, *spans)]
        window = Window((high, wide), (stride, stride), (gap, gap), Pads(*pads))
        plane = spans[0] + int(rng.integers(3, 7)), spans[1] + int(rng.integers(2, 7)), depth
        yield _in_groups(rng, act, window, plane, groups, per_group)


def high_images(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """More rows than planes of a core have room for: windows of several, one below the other or
    dilated, strides too; one group to nine, padded or not."""
    for i in range(count):
        high, wide, gap, down = ((9, 1, 2, 1), (3, 3, 1, 1), (3, 2, 2, 2), (5, 1, 3, 1))[i % 4]
        groups, depth = (1, 4, 2, 8, 5)[i % 5], (3, 1, 2)[i % 3]
        per_group = min((1, 3, 2, 5)[i // 2 % 4], max(1, 12 // groups))
        depth, across = min(depth, max(1, 8 // groups)), 1 + i // 4 % 2
        pads = Pads(high // 2, wide // 2, high // 2, 0) if i % 3 else Pads()
        window = Window((high, wide), (down, across), (gap, 1), pads)
        plane = 50 + int(rng.integers(0, 30)), across * int(rng.integers(10, 24)), depth
        yield _in_groups(rng, act, window, plane, groups, per_group)


def lying(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Images of one column, channels that fill no words, windows of several rows."""
    for i in range(count):
        high, stride = (2, 3, 5, 9)[i % 4], 1 + i // 4 % 3
        depth, per_group = (1, 3, 5, 7, 17)[i % 5], (1, 2, 4, 6, 9)[i // 5 % 5]
        top, bottom = (int(rng.integers(0, high)) if i % 3 else 0 for _ in range(2))
        window = Window((high, 1), (stride, 1), pads=Pads(top, 0, bottom, 0))
        plane = high + int(rng.integers(0, 24)), 1, depth
        yield _in_groups(rng, act, window, plane, 1, per_group)


def single_pixels(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """1x1 of an image of one pixel."""
    for i in range(count):
        depth, channels = (1, 3, 4, 5, 17, 24, 64, 70)[i % 8], CHANNELS[(i + i // 8) % 12]
        yield _in_groups(rng, act, Window((1, 1)), (1, 1, depth), 1, channels)


def one_channel(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One channel to one, in rows of less than a block of outputs and of several."""
    for i in range(count):
        high, wide = ((3, 3), (9, 1), (1, 3), (5, 5), (10, 4))[i % 5]
        down, across, gap = 1 + i // 5 % 3, 1 + i // 15 % 2, 1 + i // 10 % 2
        spans = (high - 1) * gap, (wide - 1) * gap
        pads = [int(rng.integers(0, span + 1)) if i % 3 else 0 for span in (*spans, *spans)]
        window = Window((high, wide), (down, across), (gap, gap), Pads(*pads))
        plane = spans[0] + int(rng.integers(1, 12)), spans[1] + int(rng.integers(1, 50)), 1
        yield _in_groups(rng, act, window, plane, 1, 1)


def short_rows(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Windows in a row of images of sixteen rows or more and about as many columns or fewer; one
    group to five, strides and dilations to 2."""
    for i in range(count):
        groups, depth, per_group = (
            (1, 4, 2, 5)[i % 4],
            (1, 5, 3, 2)[i // 2 % 4],
            (2, 1, 5, 4, 9)[i % 5],
        )
        wide, across = (3, 4, 2, 5)[i % 4], (1, 1, 2)[i % 3]
        pads = Pads(0, int(rng.integers(0, wide)), 0, int(rng.integers(0, wide)))
        window = Window((1, wide), (1 + i % 5 // 4, across), (1, 1 + i % 7 // 6), pads)
        plane = int(rng.integers(16, 36)), int(rng.integers(2 * wide, 18)), depth
        yield _in_groups(rng, act, window, plane, groups, per_group)


def few_outputs(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Three outputs to five a group of few channels, rows of sixteen pixels or more: a strip or
    several."""
    for i in range(count):
        groups, depth = (1, 2, 1, 3)[i % 4], (5, 1, 2, 6, 3, 10, 9)[i % 7]
        high, wide = ((1, 1), (1, 3), (3, 3), (2, 1))[i // 2 % 4]
        pads = Pads(*(int(p) for p in rng.integers(0, (high, wide, high, wide))))
        window = Window((high, wide), (1, 1 + i % 5 // 4), pads=pads)
        plane = int(rng.integers(3, 9 if i % 3 else 40)), int(rng.integers(16, 36)), depth
        yield _in_groups(rng, act, window, plane, groups, (5, 4, 3)[i % 3])


def any_window(rng: np.random.Generator, *, small: bool) -> tuple[Window, int, int]:
    """A window and an input it fits: sizes 1 to 9, pads to 4, even where the side is 1."""
    while True:
        height, width = (int(n) for n in rng.integers(1, 6 if small else 10, 2))
        pads = rng.integers(0, 5, 4) if rng.random() < 0.7 else np.zeros(4, dtype=int)
        window = Window(
            kernel=any_pair(rng, [1, 1, 2, 3, 3, 5]),
            stride=any_pair(rng, [1, 1, 2, 3]),
            dilation=any_pair(rng, [1, 1, 1, 2, 3]),
            pads=Pads(*(int(p) for p in pads)),
        )
        if min(window_output(window, height, width)) > 0:
            return window, height, width


def any_pair(rng: np.random.Generator, choices: list[int]) -> tuple[int, int]:
    first, second = rng.choice(choices, 2)
    return int(first), int(second)


# problems with int8 and with int16 activations, by operator
SOURCES = {
    "Conv2d": (conv2d, 300, 150),
}
