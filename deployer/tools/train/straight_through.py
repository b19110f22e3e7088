"""Exact integers forward, straight-through gradients backward (paper 001, 3.3.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from deployer.ir import MEANS, Graph, Node, RequantRule

# of a multiplier, before the shift
_SLOPES = {RequantRule.Q16: 2.0**-16, RequantRule.Q32: 2.0**-32}
EXACT_FLOAT32 = 2**24  # integers up to here


class _Through(torch.autograd.Function):
    """Forward the second argument, backward the gradient to the first."""

    @staticmethod
    def forward(ctx: Any, soft: torch.Tensor, hard: torch.Tensor) -> torch.Tensor:
        return hard.view_as(hard)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, None]:
        return grads[0], None


def through(soft: torch.Tensor, hard: torch.Tensor) -> torch.Tensor:
    """``hard``, as if it had been computed like ``soft``: both of one shape and type."""
    result: torch.Tensor = _Through.apply(soft, hard)
    return result


def rounded(x: torch.Tensor) -> torch.Tensor:
    """Half to even; the gradient passes unchanged."""
    return through(x, x.detach().round())


@dataclass(frozen=True, eq=False)
class Tables:
    """A node's Requant as float64 tensors, channels last or one entry a case."""

    rule: RequantRule
    multiplier: torch.Tensor
    rounding: torch.Tensor
    shift: torch.Tensor
    low: int
    high: int

    def entry(self, index: torch.Tensor) -> Tables:
        """The entries ``index`` points at, for operators that choose among them."""
        parts = (self.multiplier[index], self.rounding[index], self.shift[index])
        return Tables(self.rule, *parts, self.low, self.high)


def tables_of(graph: Graph, node: Node, device: torch.device) -> Tables | None:
    """The requantization of a node of integer ``graph``, None where it has none."""
    if node.requant is None:
        return None
    rq = node.requant
    multiplier, rounding, shift = (
        torch.as_tensor(graph.constants[name], dtype=torch.float64, device=device)
        for name in (rq.multiplier, rq.rounding, rq.shift)
    )
    return Tables(rq.rule, multiplier, rounding, shift, rq.low, rq.high)


def requantize(
    acc: torch.Tensor,
    tables: Tables,
    bias: torch.Tensor | None = None,
    *,
    bound: float = math.inf,
) -> torch.Tensor:
    """``acc`` (integers in float32 or float64) plus float64 ``bias`` to int8 values in float32.

    The value is numerics.requant's, exactly: float64 holds every step, int64 products, and
    float32 those of a shift while sums stay below 2^24; ``bound`` is the largest magnitude ``acc``
    can have. The gradient is the real multiplier's inside the clamp and zero outside; it reaches
    ``tables.multiplier`` where that is trained.
    """
    added = torch.zeros_like(tables.rounding) if bias is None else bias
    largest = bound + float((added.detach().abs() + tables.rounding.abs()).max())
    narrow = tables.rule == RequantRule.SHIFT and largest <= EXACT_FLOAT32
    result: torch.Tensor = _Requantize.apply(acc, added, tables.multiplier, tables, narrow)
    return result


class _Requantize(torch.autograd.Function):
    """One function rather than a chain: elementwise passes dominate the cost of a small network."""

    @staticmethod
    def forward(
        ctx: Any,
        acc: torch.Tensor,
        bias: torch.Tensor,
        multiplier: torch.Tensor,
        tables: Tables,
        narrow: bool,
    ) -> torch.Tensor:
        kind = torch.float32 if narrow else torch.float64
        steps = _unfloored(acc.to(kind), bias, multiplier, tables)
        half = (0.5 * (tables.shift > 0)).to(kind)
        inside = (steps >= tables.low + half) & (steps <= tables.high + half)
        slope = _slope(tables, multiplier)
        taught = acc if ctx.needs_input_grad[2] else None
        ctx.save_for_backward(inside, multiplier, slope, taught)
        ctx.shapes = acc.dtype, bias.shape, multiplier.shape
        return steps.floor_().clamp_(tables.low, tables.high).float()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        inside, multiplier, slope, taught = ctx.saved_tensors
        kind, of_bias, of_multiplier = ctx.shapes
        passed = grads[0] * inside
        to_acc = passed * (multiplier * slope).float()
        to_bias = to_acc.sum_to_size(of_bias).double() if ctx.needs_input_grad[1] else None
        to_multiplier = None
        if taught is not None:
            to_multiplier = (passed * taught * slope.float()).sum_to_size(of_multiplier).double()
        return to_acc.to(kind), to_bias, to_multiplier, None, None


def _slope(tables: Tables, multiplier: torch.Tensor) -> torch.Tensor:
    """Of the output by the accumulator, over the multiplier."""
    if tables.rule in MEANS:
        return multiplier**-2
    return torch.exp2(-tables.shift) * _SLOPES.get(tables.rule, 1.0)


def _unfloored(
    acc: torch.Tensor, bias: torch.Tensor, multiplier: torch.Tensor, tables: Tables
) -> torch.Tensor:
    """What the last floor takes, in the type of ``acc``; a new tensor."""
    scale = torch.exp2(-tables.shift)
    if tables.rule == RequantRule.SHIFT:
        return (acc + (bias + tables.rounding).to(acc.dtype)).mul_(scale.to(acc.dtype))
    if tables.rule == RequantRule.Q32:
        product = (acc + bias).long() * multiplier.long() + (1 << 31)
        return (product >> 32).double().add_(tables.rounding)
    if tables.rule == RequantRule.Q31:
        shift = tables.shift.long()
        product = (acc + bias).long() * multiplier.long() + torch.ones_like(
            shift
        ).bitwise_left_shift(shift - 1)
        return (product >> shift).double().add_(tables.rounding)
    if tables.rule == RequantRule.MEAN:
        total = acc + bias
        return torch.div(total + total.sign() * (multiplier / 2).floor(), multiplier).trunc()
    if tables.rule == RequantRule.MEAN_EVEN:
        centred = acc + bias - multiplier * tables.rounding
        return torch.div(centred, multiplier).round().add_(tables.rounding)
    product = (acc + bias).mul_(multiplier)
    if tables.rule == RequantRule.Q16:
        product = product.mul_(_SLOPES[RequantRule.Q16]).floor_()
    return product.add_(tables.rounding).mul_(scale)
