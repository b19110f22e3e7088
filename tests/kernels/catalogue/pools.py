"""Problems of pools."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, pick, scaling
from catalogue.problem import Problem, Scaling, pose
from catalogue.windowed import any_pair, any_window
from deployer.ir.attrs import Pads, PoolAttrs, Window
from deployer.ir.ops import window_output
from deployer.ir.rules import PRODUCTS, RequantRule
from deployer.numerics.requant import Multipliers, mean_of
from deployer.numerics.windows import taps_inside

Source = Callable[[np.random.Generator, int, Act], Iterator[Problem]]
Windows = Callable[[np.random.Generator, int], tuple[Window, tuple[int, ...]]]  # with input shapes
_SAME = Multipliers("shift", *(np.zeros(1, dtype=t) for t in ("int32", "int32", "uint8")), 0.0)


def average_pool(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    for i in range(count):
        window, height, width = _pool_window(rng)
        x = activations(rng, act, (1, height, width, CHANNELS[i % 12]))
        scale, counted = scaling(rng, act), bool(rng.integers(0, 2))
        multipliers = _average(rng, act, window, scale, counted=counted)
        attrs = PoolAttrs(window, counted)
        yield pose("AveragePool", attrs, [x], {}, scale, multipliers)


def large_average_pool(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Windows of more than 256 taps, whose sums leave a halfword, and more than 64 channels."""
    for i in range(count):
        kernel, channels = ((17, 16), (20, 20), (3, 130), (2, 256), (3, 2), (2, 2))[i % 6], 4 + i
        if kernel[1] == 2:
            channels = (64, 83, 132)[i % 3]
        window = Window(kernel, pads=Pads(*(int(p) for p in rng.integers(0, 2, 4))))
        height, width = (extent + int(rng.integers(0, 2)) for extent in kernel)
        x, scale = activations(rng, act, (1, height, width, channels)), scaling(rng, act)
        counted = bool(rng.integers(0, 2))
        multipliers = _average(rng, act, window, scale, counted=counted)
        yield pose("AveragePool", PoolAttrs(window, counted), [x], {}, scale, multipliers)


def whole_average_pool(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """One output pixel, of few channels and of up to more than a strip holds."""
    for i in range(count):
        kernel = ((1, 1), (2, 3), (7, 7), (16, 16), (1, 256))[i % 5]
        channels = (515, 130, 67, 31, 16, 1, 5, 10, 3, 8)[i % 10]
        x, scale = activations(rng, act, (1, *kernel, channels)), scaling(rng, act)
        window = Window(kernel)
        multipliers = _average(rng, act, window, scale, counted=False)
        yield pose("AveragePool", PoolAttrs(window), [x], {}, scale, multipliers)


def strided_average_pool(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Windows that hardly meet the next ones, of wide pixels."""
    for i in range(count):
        stride, channels = 2 + i % 2, (16, 48, 50, 64, 67, 102)[i % 6]
        tall, wide = int(rng.choice([1, 2, 3, 9])), int(rng.integers(1, stride + 2))
        height, width = tall + int(rng.integers(0, 3)), wide + stride + int(rng.integers(0, 4))
        sides = (int(rng.integers(0, side)) for side in (tall, wide, tall, wide))
        window = Window((tall, wide), stride=(1 + i % 3, stride), pads=Pads(*sides))
        x, scale = activations(rng, act, (1, height, width, channels)), scaling(rng, act)
        counted = bool(rng.integers(0, 2))
        multipliers = _average(rng, act, window, scale, counted=counted)
        yield pose("AveragePool", PoolAttrs(window, counted), [x], {}, scale, multipliers)


def few_taps_average_pool(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Rows of windows of two to six taps, of few and of odd channels."""
    for i in range(count):
        tall, wide = ((1, 3), (2, 2), (3, 1), (1, 2), (2, 3), (1, 5))[i % 6]
        channels = (1, 2, 3, 5, 8, 17, 63)[i % 7]
        pads = Pads(*(int(rng.integers(0, side)) for side in (tall, wide, tall, wide)))
        window = Window((tall, wide), pads=pads)
        height, width = tall + int(rng.integers(0, 3)), wide + int(rng.integers(8, 20))
        x, scale = activations(rng, act, (1, height, width, channels)), scaling(rng, act)
        counted = bool(rng.integers(0, 2))
        multipliers = _average(rng, act, window, scale, counted=counted)
        yield pose("AveragePool", PoolAttrs(window, counted), [x], {}, scale, multipliers)


def _few_taps(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    tall, wide = ((1, 3), (3, 1), (2, 2), (5, 1), (1, 2))[i % 5]
    stride, channels = 1 + i % 3, (8, 16, 17, 63, 33, 32, 24)[i % 7]
    sides = (int(rng.integers(0, side)) for side in (tall, wide, tall, wide))
    window = Window((tall, wide), stride=(stride, stride), pads=Pads(*sides))
    height, width = stride * int(rng.integers(9, 20)), wide + int(rng.integers(0, 3))
    return window, (1, tall + height, width, channels)


def _near(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Windows of two to four taps, rows and columns of few channels, some of one output each."""
    tall, wide = ((1, 3), (2, 2), (3, 1), (1, 4), (4, 1), (1, 2))[i % 6]
    stride, channels = 1 + i // 6 % 3, (1, 2, 3, 4, 5, 10)[i // 18 % 6]
    sides = (int(rng.integers(0, side)) * (i % 2) for side in (tall, wide, tall, wide))
    height, width = tall + int(rng.integers(0, 24)), wide + int(rng.integers(0, 12)) * (i % 4 < 3)
    window = Window((tall, wide), stride=(stride, stride), pads=Pads(*sides))
    return window, (1, height, width, channels)


def _small(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Few outputs: mostly one to four pixels of up to eight channels, some of them at sides."""
    tall, wide = ((2, 2), (3, 3), (1, 3), (3, 2), (1, 1), (5, 5), (2, 1))[i % 7]
    stride, channels = 1 + i % 3, 1 + i // 7 % 8
    sides = (int(rng.integers(0, side)) * (i % 2) for side in (tall, wide, tall, wide))
    height, width = (side + stride * int(rng.integers(0, 2)) for side in (tall, wide))
    window = Window((tall, wide), stride=(stride, stride), pads=Pads(*sides))
    return window, (1, height, width + (i % 5 == 0), channels)


def _tiny(_: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Two or three outputs, of two or three channels."""
    (tall, wide), channels = ((2, 1), (1, 2), (2, 2), (3, 1), (1, 3))[i % 5], 2 + i // 5 % 2
    down, across = ((1, 2), (2, 1), (1, 3), (3, 1))[i // 10 % 4]
    stride = 1 + i // 40
    height, width = tall + stride * (down - 1), wide + stride * (across - 1)
    return Window((tall, wide), stride=(stride, stride)), (1, height, width, channels)


def _nine(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Nine taps at strides and dilations, of few channels: every fourth of one column of outputs,
    others of up to fifteen, every other with pads."""
    tall, wide = ((3, 3), (9, 1), (1, 9))[i % 3]
    stride, dilation, channels = 1 + i // 3 % 3, 1 + i // 9 % 2, 1 + i // 18 % 5
    sides = (int(rng.integers(0, side)) * (i % 2) for side in (tall, wide, tall, wide))
    rows, columns = int(rng.integers(1, 16)), int(rng.integers(1, 16)) if i % 4 else 1
    height = (tall - 1) * dilation + 1 + stride * (rows - 1)
    width = (wide - 1) * dilation + 1 + stride * (columns - 1)
    pads = Pads(*sides) if columns > 1 else Pads(top=next(sides))
    window = Window((tall, wide), (stride, stride), (dilation, dilation), pads)
    return window, (1, height, width, channels)


def _columns(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Rows of one column, mostly nine, up to three rows apart, of more outputs than are listed at
    once or fewer, every other with pads at both ends."""
    tall = (9, 5, 9, 16, 9, 7, 9, 12)[i // 2 % 8]
    stride, channels = (2, 3, 1)[i % 3], (1, 2, 3, 4, 5, 8)[i // 2 % 6]
    rows = (33, 65, 3, 32)[i // 4 % 4] + int(rng.integers(0, 3))
    top, bottom = (int(rng.integers(0, tall)) * (i % 2) for _ in range(2))
    window = Window((tall, 1), (stride, 1 + i // 3 % 2), pads=Pads(top=top, bottom=bottom))
    height = tall + stride * (rows - 1) - (top + bottom) * (rows < 9)
    return window, (1, max(height, 1), 1 + int(rng.integers(0, 4)), channels)


def _strided(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Three by three taps at strides, of rows of three outputs and more: pixels of words, of which
    some are longer than a row has outputs, and others; rows at words and between them."""
    stride, dilation, channels = (
        2 + i % 2,
        1 + i // 11 % 4 // 3,
        (1, 2, 3, 4, 5, 8, 10, 17, 33)[i % 9],
    )
    channels = 64 if i % 22 == 21 else channels
    pads = Pads(*(int(n) for n in rng.integers(0, 3, 4))) if i % 3 else Pads()
    height, width = int(rng.integers(7, 16)), int(rng.integers(11, 24))
    window = Window((3, 3), (stride, stride), (dilation, dilation), pads)
    return window, (1, height, width, channels)


def _averages(windows: Windows) -> Source:
    """Means of ``windows``."""

    def problems(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
        for i in range(count):
            window, shape = windows(rng, i)
            x, scale, counted = activations(rng, act, shape), scaling(rng, act), bool(i % 2)
            multipliers = _average(rng, act, window, scale, counted=counted)
            yield pose("AveragePool", PoolAttrs(window, counted), [x], {}, scale, multipliers)

    return problems


def _picked(op: str, windows: Windows) -> Source:
    """Of a pool that gives one of the integers in its window."""

    def problems(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
        for i in range(count):
            window, shape = windows(rng, i)
            x = activations(rng, act, shape)
            yield pose(op, PoolAttrs(window), [x], {}, scaling(rng, act), _SAME)

    return problems


def few_taps_pool(op: str) -> Source:
    """Windows of few taps that hardly meet, or of one column, of many rows, some of which begin
    between words."""
    return _picked(op, _few_taps)


def near_pool(op: str) -> Source:
    """Windows of two to four taps."""
    return _picked(op, _near)


def strided_pool(op: str) -> Source:
    """Three by three taps at strides."""
    return _picked(op, _strided)


def column_pool(op: str) -> Source:
    """Rows of one column."""
    return _picked(op, _columns)


def small_pool(op: str) -> Source:
    """Few outputs."""
    return _picked(op, _small)


def tiny_pool(op: str) -> Source:
    """Two or three outputs."""
    return _picked(op, _tiny)


def long_pool(op: str) -> Source:
    """Windows along a line of pixels, or down many rows."""
    return _picked(op, _long_window)


def means(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Plain means in the input's quantization, as common networks have them."""
    for i in range(count):
        window, height, width = _common_window(rng)
        x = activations(rng, act, (1, height, width, CHANNELS[i % 12]))
        scale, counts = scaling(rng, act), np.arange(1, window.taps + 1)
        yield pose("AveragePool", PoolAttrs(window), [x], {}, scale, mean_of(counts))


def common_pool(op: str) -> Source:
    """Windows that common networks have, of a pool that gives one of the integers in it."""

    def problems(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
        for i in range(count):
            window, height, width = _common_window(rng)
            x = activations(rng, act, (1, height, width, CHANNELS[i % 12]))
            yield pose(op, PoolAttrs(window), [x], {}, scaling(rng, act), _SAME)

    return problems


def whole_pool(op: str) -> Source:
    """One output pixel of the whole plane, of a pool that gives one of the integers in it."""

    def problems(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
        for i in range(count):
            kernel = ((33, 17), (8, 8), (1, 96), (23, 3), (12, 11))[i % 5]
            x = activations(rng, act, (1, *kernel, CHANNELS[i % 12]))
            yield pose(op, PoolAttrs(Window(kernel)), [x], {}, scaling(rng, act), _SAME)

    return problems


def selecting_pool(op: str) -> Source:
    """Of a pool that gives one of the integers of its window."""

    def problems(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
        for i in range(count):
            window, height, width = _pool_window(rng)
            x = activations(rng, act, (1, height, width, CHANNELS[i % 12]))
            yield pose(op, PoolAttrs(window), [x], {}, scaling(rng, act), _SAME)

    return problems


def _average(
    rng: np.random.Generator, act: Act, window: Window, scale: Scaling, *, counted: bool
) -> Multipliers:
    taps = np.arange(1, window.taps + 1)
    divisor = np.full(len(taps), window.taps) if counted else taps
    real = rng.uniform(0.3, 1.5) / divisor
    means = [RequantRule.MEAN, RequantRule.MEAN_EVEN]
    rule = str(rng.choice([*means, *(PRODUCTS if act.symmetric else ["i32", "shift"])]))
    if rule in means:
        return mean_of(taps, scale.zero_in if rule == RequantRule.MEAN_EVEN else None)
    return pick(rule, real, taps * -act.low, scale.zero_out, taps * scale.zero_in)


def _pool_window(rng: np.random.Generator) -> tuple[Window, int, int]:
    """As for convolutions, but every window has a tap inside."""
    while True:
        window, height, width = any_window(rng, small=False)
        if taps_inside(window, height, width).min() > 0:
            return window, height, width


def _long_window(rng: np.random.Generator, i: int) -> tuple[Window, tuple[int, ...]]:
    """Pixels one below the other or in few rows, many rows of more than half a strip, and pixels of
    which a strip holds some channels only."""
    long, few = int(rng.integers(10, 40)), int(rng.integers(1, 4))
    size, stride = int(rng.integers(2, 10)), (1, 1, 2, 3)[i // 4 % 4]
    height, width, kernel, channels = (
        (long, 1, (size, 1), CHANNELS[i // 4 % 12]),
        (few, long, (1, size), CHANNELS[i // 4 % 12]),
        (size + 4, 17 + few, (size, few), 32 + i % 5),
        (size + 3, 4, (size, few), 250 + i % 3),
    )[i % 4]
    tall, wide = (int(rng.integers(0, (side + 1) // 2)) for side in kernel)
    window = Window(kernel, stride=(stride, stride), pads=Pads(tall, wide, tall, wide))
    return window, (1, height, width, channels)


def _common_window(rng: np.random.Generator) -> tuple[Window, int, int]:
    """No dilation, pads smaller than the window: every window meets the input."""
    while True:
        height, width = (int(n) for n in rng.integers(1, 12, 2))
        tall, wide = kernel = any_pair(rng, [1, 2, 3, 3, 5])
        sides = (int(rng.integers(0, side)) for side in (tall, wide, tall, wide))
        window = Window(kernel, stride=any_pair(rng, [1, 2, 2, 3]), pads=Pads(*sides))
        if min(window_output(window, height, width)) > 0:
            return window, height, width


tall_average_pool = _averages(_few_taps)
near_average_pool = _averages(_near)
small_average_pool = _averages(_small)
nine_average_pool = _averages(_nine)
column_average_pool = _averages(_columns)
long_average_pool = _averages(_long_window)

SOURCES = {
    "AveragePool": (average_pool, 240, 120),
    "MaxPool": (selecting_pool("MaxPool"), 240, 100),
    "MinPool": (selecting_pool("MinPool"), 240, 0),
}
