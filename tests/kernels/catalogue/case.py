"""A problem laid out in memory: the words and operands that driver/arguments.c reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from catalogue.memory import DENSE, Form, Laid, Region, lay, whole
from catalogue.problem import Problem
from deployer.ir.attrs import Pads, Window
from deployer.kernelset.kernel import KernelCase, case_of
from deployer.numerics.requant import RULES

Words = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Operand:
    """Bytes, placed ``shift`` (0 to 3) beyond an aligned address."""

    data: bytes
    shift: int = 0


@dataclass(frozen=True, eq=False)
class Case:
    """``operands``: inputs, output (what is expected), constants; ``output`` is its index."""

    about: str
    seen: KernelCase
    words: Words
    operands: tuple[Operand, ...]
    output: int
    mask: bytes


def build(
    problem: Problem,
    rng: np.random.Generator,
    *,
    forms: tuple[Form, Form] = (DENSE, DENSE),
    region: Region | None = None,
) -> Case | None:
    """A case that computes ``region`` of the output (default: all) from the input it needs.

    ``forms`` are those of the inputs and of the output. None when the region needs no input.
    """
    expected = _hwc(problem.expected)
    inputs = [_hwc(x) for x in problem.inputs]
    window = getattr(problem.node.attrs, "window", None)
    source, pads = whole(inputs[0]), window.pads if window else None
    if region is not None:
        source, pads = _needs(window, region, inputs[0]) if window else (region, None)
    if source.empty:
        return None
    laid = [lay(x, source, forms[0], rng) for x in inputs]
    out = lay(expected, region or whole(expected), forms[1], rng)
    words, constants = _CONSTANTS[problem.node.op](problem, _window_words(window, pads))
    tensors = () if problem.node.op == "Transpose" else _flat([*laid, out])
    operands = [_shifted(x.image, rng) for x in (*laid, out)]
    return Case(
        about=f"{problem.node.op} {problem.node.attrs} {forms} {region or 'whole'}",
        seen=case_of(problem.graph, problem.node),
        words=(*tensors, *words),
        operands=(*operands, *(_constant(array, rng) for array in constants)),
        output=len(laid),
        mask=out.mask.tobytes(),
    )


def _hwc(x: np.ndarray) -> np.ndarray:
    return x.reshape((1, 1, *x.shape[1:])[-3:])


def _flat(laid: list[Laid]) -> Words:
    return tuple(word for tensor in laid for word in tensor.words)


def _shifted(array: np.ndarray, rng: np.random.Generator) -> Operand:
    return Operand(array.tobytes(), int(rng.integers(0, 4)))


def _constant(array: np.ndarray, rng: np.random.Generator) -> Operand:
    """Bytes may lie anywhere, words are aligned."""
    return _shifted(array, rng) if array.itemsize == 1 else Operand(array.tobytes())


def _needs(window: Window, region: Region, x: np.ndarray) -> tuple[Region, Pads]:
    """The part of the input under the windows of ``region``, and how far they reach beyond."""
    (kh, kw), (sh, sw), (dh, dw) = window.kernel, window.stride, window.dilation
    top, left = region.top * sh - window.pads.top, region.left * sw - window.pads.left
    bottom = (region.bottom - 1) * sh - window.pads.top + (kh - 1) * dh + 1
    right = (region.right - 1) * sw - window.pads.left + (kw - 1) * dw + 1
    height, width = x.shape[:2]
    pads = Pads(max(0, -top), max(0, -left), max(0, bottom - height), max(0, right - width))
    return Region(max(0, top), max(0, left), min(bottom, height), min(right, width)), pads


def _window_words(window: Window | None, pads: Pads | None) -> Words:
    if window is None or pads is None:
        return ()
    sides = (pads.top, pads.left, pads.bottom, pads.right)
    return (*window.kernel, *window.stride, *window.dilation, *sides)


Constants = tuple[Words, tuple[np.ndarray, ...]]


def _requant(problem: Problem) -> Words:
    rq = problem.node.rq
    step = int(len(problem.tables[0]) > 1)
    return step, RULES.index(rq.rule), rq.low, rq.high


def _zero_in(problem: Problem) -> int:
    return problem.graph.values["x0"].q.zero_point


def _conv(problem: Problem, window: Words) -> Constants:
    words = (*window, problem.node.attrs.groups, _zero_in(problem), *_requant(problem))
    return words, (problem.constant(1), problem.constant(2), *problem.tables)


def _depthwise(problem: Problem, window: Words) -> Constants:
    words = (*window, _zero_in(problem), *_requant(problem))
    return words, (problem.constant(1), problem.constant(2), *problem.tables)


def _dense(problem: Problem, window: Words) -> Constants:
    return _requant(problem), (problem.constant(1), problem.constant(2), *problem.tables)


def _requant_only(problem: Problem, window: Words) -> Constants:
    return (*window, *_requant(problem)), problem.tables


def _add(problem: Problem, window: Words) -> Constants:
    numbers = [int(number) for table in problem.tables for number in table]
    return (*numbers, problem.node.rq.low, problem.node.rq.high), ()


def _softmax(problem: Problem, window: Words) -> Constants:
    quant = problem.graph.values["y"].q
    return (round(1 / quant.tensor_scale), quant.zero_point), (problem.constant(1),)


def _transpose(problem: Problem, window: Words) -> Constants:
    pitches = np.ascontiguousarray(problem.inputs[0]).strides
    return (*problem.expected.shape, *(pitches[axis] for axis in problem.node.attrs.perm)), ()


_CONSTANTS: dict[str, Callable[[Problem, Words], Constants]] = {
    "Conv2d": _conv,
    "DepthwiseConv2d": _depthwise,
    "FullyConnected": _dense,
    "Add": _add,
    "Rescale": _requant_only,
    "AveragePool": _requant_only,
    "MaxPool": _requant_only,
    "Softmax": _softmax,
    "Transpose": _transpose,
}
