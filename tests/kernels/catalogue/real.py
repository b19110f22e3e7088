"""Float problems with exact answers: those of int8 with whole numbers as floats, so that every sum
of products is a float whatever its order, and a kernel is held to numpy bit for bit."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from catalogue.act import S8
from catalogue.problem import WEIGHTS, Problem, pose_real
from deployer.ir.attrs import Clamp, MatMulAttrs, NormAttrs, ResampleAttrs, TableAttrs
from deployer.ir.ops import OPS

_CLAMPS = (Clamp(), Clamp(0.0), Clamp(-50.0, 300.0))
_FUNCTIONS = (
    TableAttrs("abs"),
    TableAttrs("clip", -7.0, 40.0),
    TableAttrs("leaky_relu", 0.25),
    TableAttrs("hard_sigmoid", 0.0625, 0.5),
)
_EXACT = 1 << 24  # whole numbers below it are floats
_ROOM = 12_000  # elements, with gaps among them: the driver's room is in bytes


def real(problems: Iterable[Problem], rng: np.random.Generator) -> Iterator[Problem]:
    """``problems`` of int8 as those of floats, but what the driver has no room for."""
    for i, problem in enumerate(problems):
        sizes = [x.size for x in problem.inputs] + [problem.expected.size]
        sizes += [problem.constant(1).size] if problem.node.op in WEIGHTS else []
        if sum(sizes) < _ROOM:
            yield _real(problem, rng, i)


def _real(problem: Problem, rng: np.random.Generator, number: int) -> Problem:
    node = problem.node
    inputs = tuple(x.astype(np.float32) for x in problem.inputs)
    attrs: Any = node.attrs
    if OPS[node.op].clamps:
        attrs = replace(attrs, clamp=_CLAMPS[number % 3])
    if node.op == "Table":
        attrs = _FUNCTIONS[number % 4]
    if node.op == "Softmax":  # powers of 1 and 0
        inputs = tuple(np.where(x > x.max(-1, keepdims=True) - 60, 5, -200) for x in inputs)
        inputs = tuple(x.astype(np.float32) for x in inputs)
    if isinstance(attrs, MatMulAttrs):
        attrs = replace(attrs, scale=(1.0, 0.125)[number % 2])
    if isinstance(attrs, NormAttrs):
        attrs = replace(attrs, epsilon=64.0)
        inputs = (_regular(inputs[0], attrs.groups),)
    return pose_real(node.op, attrs, inputs, _constants(problem, rng))


def _regular(x: np.ndarray, groups: int) -> np.ndarray:
    """6 above and below 100 as often, whose variance and an epsilon of 64 have a root of 10; where
    channels of a group are odd nothing but 100."""
    channels = x.shape[-1]
    odd = channels // groups % 2
    around = np.resize([0.0] if odd else [6.0, -6.0], channels)
    return np.broadcast_to(100 + around, x.shape).astype(np.float32)


def _constants(problem: Problem, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    if problem.node.op == "PRelu":
        slopes = rng.choice([0.0, 0.5, -0.25, 2.0], problem.inputs[0].shape[-1])
        return {"s": slopes.astype(np.float32)}
    if isinstance(problem.node.attrs, NormAttrs):
        scale, offset = problem.constant(1) // 8, problem.constant(2) % 2001 - 1000
        return {"g": scale.astype(np.float32), "b": offset.astype(np.float32)}
    if isinstance(problem.node.attrs, ResampleAttrs):
        weights, starts = problem.constant(1) // 1024, problem.constant(2)
        return {"h": weights.astype(np.float32), "i": starts.astype(np.float32)}
    if problem.node.op not in WEIGHTS:
        return {}
    weights, bias = problem.constant(1), problem.constant(2)
    if weights.size // len(bias) * 128 * 127 > _EXACT:
        weights = np.trunc(weights / 8)
    return {
        "w": weights.astype(np.float32),
        "b": (bias % 2001 - 1000).astype(np.float32),
    }


def bits(number: float | None) -> int:
    """A float as a word of the driver's."""
    word: int = struct.unpack("<i", struct.pack("<f", number))[0]
    return word


def bounds(problem: Problem) -> tuple[int, int]:
    """The words of a fused activation."""
    clamp = problem.node.attrs.clamp
    low = -np.inf if clamp.low is None else clamp.low
    return bits(low), bits(np.inf if clamp.high is None else clamp.high)


Source = Callable[[np.random.Generator, int, Any], Iterator[Problem]]


def of_int8(source: Source) -> Source:
    """The float problems that ``source`` gives."""
    return lambda rng, count, act: real(source(rng, count, S8), rng)
