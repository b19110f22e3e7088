"""Problems of the operators without a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, linear, pick, scaling, weights, whole_range
from catalogue.problem import Problem, Scaling, pose
from deployer.ir.attrs import PointAttrs, SoftmaxAttrs, TableAttrs, TransposeAttrs
from deployer.ir.rules import PRODUCTS
from deployer.numerics.integer import softmax_table
from deployer.numerics.requant import Multipliers, rounding_constant


def fully_connected(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Every pair of CHANNELS once in 144."""
    for i in range(count):
        w = weights(rng, (CHANNELS[(i + i // 12) % 12], CHANNELS[i % 12] * (1 + i % 5)))
        x = activations(rng, act, (1, w.shape[1]))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w, scale)
        yield pose("FullyConnected", PointAttrs(), [x], {"w": w, "b": bias}, scale, multipliers)


def long_inputs(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """So many inputs that a sum of products may leave 24 bits, around the chunks of a kernel."""
    for i in range(count):
        depth, channels = (504, 505, 1008, 1009, 1530, 2100)[i % 6], (8, 1, 3, 13, 5, 9, 16)[i % 7]
        w = weights(rng, (channels, depth))
        x = activations(rng, act, (1, depth))
        scale = scaling(rng, act)
        bias, multipliers = linear(rng, act, w, scale)
        yield pose("FullyConnected", PointAttrs(), [x], {"w": w, "b": bias}, scale, multipliers)


def add(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    return _sums(rng, count, act, "Add")


def sub(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    return _sums(rng, count, act, "Sub")


def _sums(rng: np.random.Generator, count: int, act: Act, op: str) -> Iterator[Problem]:
    """Multipliers int16, the larger in [2^14, 2^15), either side; the second of a Sub is negative.
    Those of int16 have one bit less, so that the sum fits."""
    sign, top = -1 if op == "Sub" else 1, 1 << (14 if act.symmetric else 15)
    for i in range(count):
        shape, scale = _shape(rng, i), scaling(rng, act)
        pair = np.array([rng.integers(top // 2, top), rng.integers(0, top)], dtype=np.int32)
        pair = pair[:: int(rng.choice([1, -1]))] * np.array([1, sign], dtype=np.int32)
        shift = int(rng.integers(12, 20))
        zeros = act.zeros(rng, [-128, 0, 3, 127], 2)
        rounding = rounding_constant(shift, scale.zero_out) - int((zeros * pair).sum())
        scale = replace(scale, zero_in=int(zeros[0]), zero_right=int(zeros[1]))
        multipliers = Multipliers(
            "i32", pair, np.array([rounding], dtype=np.int32), np.array([shift], dtype=np.uint8), 0
        )
        inputs = [activations(rng, act, shape), activations(rng, act, shape)]
        yield pose(op, PointAttrs(), inputs, {}, scale, multipliers)


def mul(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """All rules; the second input of every third is one pixel."""
    for i in range(count):
        zeros = [int(z) for z in act.zeros(rng, [-128, -5, 0, 0, 1, 127], 2)]
        scale = replace(scaling(rng, act), zero_in=zeros[0], zero_right=zeros[1])
        real = np.array([rng.uniform(0.2, 4.0) / (90 * (act.high // 127))])
        rule, bound = PRODUCTS[i // 3 % len(PRODUCTS)], np.array([_farthest(act) ** 2])
        left = activations(rng, act, _shape(rng, i))
        pixel = (1, 1, 1, left.shape[-1])
        right = activations(rng, act, pixel if i % 3 == 1 and left.ndim == 4 else left.shape)
        multipliers = pick(rule, real, bound, scale.zero_out)
        yield pose("Mul", PointAttrs(), [left, right], {}, scale, multipliers)


def maximum(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """An entry for each input, by all rules but those without an input's zero point."""
    for i in range(count):
        scale, rule = scaling(rng, act), ("i32", "shift")[i % 2]
        zeros = act.zeros(rng, [-128, -5, 0, 1, 127], 2)
        real, bound = rng.uniform(0.1, 2.0, 2), np.full(2, _farthest(act))
        multipliers = pick(rule, real, bound, scale.zero_out, zeros)
        shape = _shape(rng, i)
        inputs = [activations(rng, act, shape), activations(rng, act, shape)]
        yield pose("Maximum", PointAttrs(), inputs, {}, scale, multipliers)


def prelu(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """All rules; slopes from 0 to above 1, some negative where the rule has a signed multiplier;
    some of more channels than tables of a few pixels have entries."""
    for i in range(count):
        scale, rule = scaling(rng, act), PRODUCTS[i % 3]
        shape = (1, 2, 3, (64, 127, 128, 130)[i // 10 % 4]) if i % 10 == 9 else _shape(rng, i)
        x = activations(rng, act, shape)
        entries = 1 + x.shape[-1]
        real = rng.uniform(0.01, 1.5, entries)
        if rule != "shift":
            real[1:] *= rng.choice([0, 1, 1, 1], entries - 1)
        multipliers = pick(rule, real, np.full(entries, _farthest(act)), scale.zero_out)
        if rule == "i32":
            multipliers.multiplier[1:] *= rng.choice([-1, 1, 1], entries - 1)
        yield pose("PRelu", PointAttrs(), [x], {}, scale, multipliers)


def table(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Any 256 or 513 entries: the kernel does not know the function."""
    for i in range(count):
        entries = rng.integers(act.low, act.high + 1, 513 if act.symmetric else 256)
        x = activations(rng, act, _shape(rng, i))
        yield pose(
            "Table",
            TableAttrs("sigmoid"),
            [x],
            {"t": entries.astype(act.numpy)},
            whole_range(act),
        )


def rescale(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    return _rescales(rng, count, act, act)


def rescale_to(target: Act) -> Callable[[np.random.Generator, int, Act], Iterator[Problem]]:
    return lambda rng, count, act: _rescales(rng, count, act, target)


def _rescales(rng: np.random.Generator, count: int, act: Act, target: Act) -> Iterator[Problem]:
    """All rules; q16, q32 and q31 without an input zero point, which they cannot fold."""
    for i in range(count):
        scale, rule = scaling(rng, target), ("i32", "shift", "q16", "q32", "q31")[i % 5]
        scale = scale if act == target else replace(scale, zero_in=_zero_in(rng, act))
        extra = np.array([0 if rule in ("q16", "q32", "q31") else scale.zero_in])
        real = np.array([rng.uniform(0.05, 3.0) * (target.high // 127) / (act.high // 127)])
        multipliers = pick(rule, real, np.array([-act.low]), scale.zero_out, extra)
        x = activations(rng, act, _shape(rng, i))
        yield pose("Rescale", PointAttrs(), [x], {}, scale, multipliers)


def _zero_in(rng: np.random.Generator, act: Act) -> int:
    return int(act.zeros(rng, [-128, -7, 0, 5, 127], 1)[0])


def _farthest(act: Act) -> int:
    """The largest distance from a zero point."""
    return -act.low if act.symmetric else 255


def softmax(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    for i in range(count):
        levels, zero = ((256, -128), (128, 0))[i % 2]
        scale = Scaling(0, zero, out_scale=1 / levels)
        table = softmax_table(float(rng.choice([0.004, 0.03, 0.1, 0.4, 2.0])))
        x = activations(rng, act, _shape(rng, i))
        yield pose("Softmax", SoftmaxAttrs(), [x], {"t": table}, scale)


def long_softmax(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Over many channels, of few pixels."""
    for i in range(count):
        scale = Scaling(0, (-128, 0)[i % 2], out_scale=1 / (256, 128)[i % 2])
        table = softmax_table(float(rng.choice([0.004, 0.03, 0.1, 0.4, 2.0])))
        x = activations(rng, act, (1, 1 + i % 2, 1 + i % 3, (24, 25, 26, 27, 64, 121, 502)[i % 7]))
        yield pose("Softmax", SoftmaxAttrs(), [x], {"t": table}, scale)


def transpose(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Every order of the axes behind the batch."""
    orders = [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)]
    for i in range(count):
        height, width = (int(n) for n in rng.integers(1, 10, 2))
        x = activations(rng, act, (1, height, width, CHANNELS[i % 12]))
        perm = TransposeAttrs((0, *orders[(i + i // 12) % 6]))
        yield pose("Transpose", perm, [x], {}, whole_range(act))


def long_transpose(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Two short axes exchanged beside one so long that it is walked in stretches; both tensors in
    the room that the driver of GAP8 has."""
    for i in range(count):
        width, channels = 5 + i % 2, 8 + i // 2
        height = 42_000 // act.numpy.itemsize // (width * channels)
        long = (height, width, channels) if i % 2 else (width, height, channels)
        perm = TransposeAttrs((0, 1, 3, 2) if i % 2 else (0, 3, 2, 1))
        yield pose("Transpose", perm, [activations(rng, act, (1, *long))], {}, whole_range(act))


def few_products(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Mul of one to several fours and what is left, by the high-word rule between the bounds of the
    type, without zero points where it is wide."""
    for i in range(count):
        scale = whole_range(act)
        inputs = [activations(rng, act, (1, 1 + i)) for _ in range(2)]
        real = np.array([rng.uniform(0.2, 4.0) / (90 * (act.high // 127))])
        multipliers = pick("q32", real, np.array([_farthest(act) ** 2]), scale.zero_out)
        yield pose("Mul", PointAttrs(), inputs, {}, scale, multipliers)


def _shape(rng: np.random.Generator, i: int) -> tuple[int, ...]:
    """Rank 2 one time in four, else 1 to 9 rows and columns; channels in turn."""
    channels = CHANNELS[i % 12]
    if rng.random() < 0.25:
        return (1, channels)
    height, width = (int(n) for n in rng.integers(1, 10, 2))
    return (1, height, width, channels)


# problems with int8 and with int16 activations, by operator
SOURCES = {
    "FullyConnected": (fully_connected, 288, 144),
    "Add": (add, 200, 100),
    "Sub": (sub, 100, 60),
    "Mul": (mul, 240, 120),
    "Maximum": (maximum, 200, 0),
    "PRelu": (prelu, 180, 120),
    "Table": (table, 120, 100),
    "Rescale": (rescale, 200, 100),
    "Softmax": (softmax, 200, 0),
    "Transpose": (transpose, 150, 100),
}
