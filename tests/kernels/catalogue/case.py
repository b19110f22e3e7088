"""A problem laid out in memory: the words and operands that the driver reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from catalogue.arguments import Words, arguments
from catalogue.memory import CONTIGUOUS, Form, Laid, Region, channel_view, lay, whole
from catalogue.problem import Problem
from catalogue.sources import hwc, sources
from deployer.ir.attrs import Pads
from deployer.ir.rules import RequantRule
from deployer.kernelset.arguments import REAL, SUMS
from deployer.kernelset.kernel import KernelCase, case_of
from deployer.kernelset.layouts import Parameters


@dataclass(frozen=True, eq=False)
class Operand:
    """Bytes, placed ``shift`` (0 to 3) beyond an aligned address."""

    data: bytes
    shift: int = 0


@dataclass(frozen=True, eq=False)
class Case:
    """``operands``: inputs, output (what is expected), constants; ``output`` is its index.

    ``seen`` chooses the kernel, ``met`` is the part of it that a call computes, which needs the
    scratch. ``parameters``: of operators with weights, which are the first of the constants;
    ``high_word``: whether their outputs are high words of products saturated as int8.
    """

    about: str
    seen: KernelCase
    met: KernelCase
    words: Words
    operands: tuple[Operand, ...]
    output: int
    mask: bytes
    parameters: Parameters | None = None
    high_word: bool = False


def build(
    problem: Problem,
    rng: np.random.Generator,
    *,
    forms: Sequence[Form] = (),
    region: Region | None = None,
) -> Case | None:
    """A case that computes ``region`` of the output (default: all) from the input it needs.

    ``forms`` are those of each input and of the output, contiguous by default. None when the region
    needs no input.
    """
    expected, forms = hwc(problem.expected), forms or [CONTIGUOUS] * (len(problem.inputs) + 1)
    regions, pads = sources(problem, region)
    if any(part.empty for part in regions):
        return None
    *laid, out = (
        lay(x, part, form, rng)
        for x, part, form in zip(
            [*map(hwc, problem.inputs), expected],
            [*regions, region or whole(expected)],
            forms,
            strict=True,
        )
    )
    words, constants = arguments(problem, pads)
    images = (x.image for x in (*laid, out))
    seen = case_of(problem.graph, problem.node)
    return Case(
        about=f"{problem.node.op} {problem.node.attrs} {forms} {region or 'whole'}",
        seen=seen,
        met=_part(seen, regions, region, pads) if region else seen,
        words=(*_tensors(problem, [*laid, out]), *words),
        operands=tuple(_shifted(array, rng) for array in (*images, *constants)),
        output=len(laid),
        mask=out.mask.repeat(out.image.itemsize).tobytes(),
        parameters=_parameters(problem) if _has_layout(problem, seen) else None,
        high_word=_high_word(problem),
    )


def _high_word(problem: Problem) -> bool:
    rq = problem.node.requant
    return rq is not None and (rq.rule, rq.low, rq.high) == (RequantRule.Q32, -128, 127)


def _part(
    seen: KernelCase, inputs: Sequence[Region], output: Region, pads: Pads | None
) -> KernelCase:
    shapes = zip(inputs, seen.in_shapes, strict=True)
    return replace(
        seen,
        in_shapes=tuple((1, part.height, part.width, shape[-1]) for part, shape in shapes),
        out_shape=(1, output.height, output.width, seen.out_channels),
        pads=pads or seen.pads,
    )


def _has_layout(problem: Problem, seen: KernelCase) -> bool:
    """Whether kernels may want its weights in an order of their own: no kernel of sums does."""
    return bool(seen.weights) and (bool(problem.node.requant) or seen.weights == REAL)


def _parameters(problem: Problem) -> Parameters:
    seen = case_of(problem.graph, problem.node)
    if seen.weights == REAL:
        return _float_parameters(problem, seen)
    zero = problem.graph.values["x0"].q.zero_point
    multiplier, *others = problem.tables
    weights, bias = problem.constant(1), problem.constant(2)
    rule = problem.node.rq.rule
    window = seen.stride, zero, rule, *others, seen.groups, seen.dilation
    return Parameters(weights, bias, multiplier, *window)


def _float_parameters(problem: Problem, seen: KernelCase) -> Parameters:
    weights, bias = problem.constant(1), problem.constant(2)
    return Parameters(weights, bias, stride=seen.stride, groups=seen.groups)


def _tensors(problem: Problem, laid: list[Laid]) -> Words:
    """The tensors' fields; a Concat says first how many inputs it has, and sums, which
    may have something to start with."""
    op, attrs = problem.node.op, problem.node.attrs
    if op == "Transpose":
        return ()
    if op == "Slice":
        laid = [channel_view(laid[0], attrs.begin[-1], problem.expected.shape[-1]), laid[1]]
    count = (len(laid) - 1,) if op in ("Concat", SUMS) else ()
    return (*count, *(word for tensor in laid for word in tensor.words))


def _shifted(array: np.ndarray, rng: np.random.Generator) -> Operand:
    """Bytes may lie anywhere, wider elements are aligned."""
    shift = int(rng.integers(0, 4))
    return Operand(array.tobytes(), shift // array.itemsize * array.itemsize)
