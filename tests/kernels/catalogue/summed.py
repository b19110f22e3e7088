"""Problems of the kernels that sum up a layer over groups of its input channels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from catalogue.act import Act
from catalogue.numbers import CHANNELS, activations, pick, scaling, weights
from catalogue.problem import Problem, pose
from catalogue.windowed import any_window
from deployer.ir.attrs import ConvAttrs, PointAttrs, Window
from deployer.ir.graph import Graph, Node
from deployer.ir.rules import PRODUCTS
from deployer.ir.types import DType, Layout, QuantParams, Value
from deployer.kernelset.arguments import REQUANTIZE, SUMS
from deployer.numerics.integer import conv_sums


def conv2d_sums(rng: np.random.Generator, count: int, act: Act) -> Iterator[Problem]:
    """Two of three start with the sums of other channels."""
    for i in range(count):
        depth, channels = CHANNELS[i % 12], CHANNELS[(i + i // 12) % 12]
        window, height, width = any_window(rng, small=depth * channels > 128)
        if act.symmetric:
            depth = min(depth, 5)  # any more of the largest would leave int32
        w = weights(rng, (channels, *window.kernel, depth))
        x = activations(rng, act, (1, height, width, depth))
        zero = scaling(rng, act).zero_in
        yield _summed(rng, x, w, window, zero=zero, starts=i % 3 > 0)


def requantize_to(target: Act) -> Callable[[np.random.Generator, int, Act], Iterator[Problem]]:
    return lambda rng, count, act: _requantized(rng, count, target)


def _summed(
    rng: np.random.Generator,
    x: np.ndarray,
    w: np.ndarray,
    window: Window,
    *,
    zero: int,
    starts: bool,
) -> Problem:
    sums, bias = conv_sums(x, w, window, zero=zero), rng.integers(-5000, 5000, len(w))
    start = rng.integers(-(1 << 24), 1 << 24, sums.shape).astype(np.int32)
    expected = (sums + (start if starts else bias)).astype(np.int32)
    constants = {"w": w, "b": bias.astype(np.int32)}
    inputs = (x, start) if starts else (x,)
    names = tuple(f"x{i}" for i in range(len(inputs)))
    node = Node(SUMS, SUMS, (*names, *constants), ("y",), ConvAttrs(window))
    arrays = {**dict(zip(names, inputs, strict=True)), **constants, "y": expected}
    values = {name: _value(name, array, zero) for name, array in arrays.items()}
    return Problem(Graph(SUMS, values, (node,), names, ("y",), constants), node, inputs, expected)


def _value(name: str, array: np.ndarray, zero: int) -> Value:
    layout = {"w": Layout.OHWI, "b": Layout.VECTOR}.get(name, Layout.NHWC)
    return Value(name, array.shape, DType(array.dtype.name), layout, QuantParams((1.0,), zero))


def _requantized(rng: np.random.Generator, count: int, target: Act) -> Iterator[Problem]:
    """Sums of every magnitude up to the bound of each channel, by all rules."""
    for i in range(count):
        channels, scale = CHANNELS[i % 12], scaling(rng, target)
        height, width = (int(n) for n in rng.integers(1, 10, 2))
        bound = 2 ** rng.integers(8, 21, channels)
        real = rng.uniform(0.3, 2.0, channels) * target.high / bound
        if i % 5 == 0:
            bound, real = np.full(channels, bound[0]), np.full(channels, real[0])
        sums = rng.integers(-bound, bound + 1, (1, height, width, channels)).astype(np.int32)
        multipliers = pick(PRODUCTS[i // 12 % len(PRODUCTS)], real, bound, scale.zero_out)
        problem = pose("Rescale", PointAttrs(), [sums], {}, scale, multipliers)
        yield replace(problem, node=replace(problem.node, op=REQUANTIZE))
