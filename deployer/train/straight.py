"""Exact integers forward, straight-through gradients backward (paper 001, 3.3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from deployer.ir.graph import Graph, Node

_Q16, _Q32 = 2.0**-16, 2.0**-32


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

    rule: str
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


def requantize(acc: torch.Tensor, tables: Tables, bias: torch.Tensor | None = None) -> torch.Tensor:
    """``acc`` (integers in float32 or float64) plus float64 ``bias`` to int8 values in float32.

    The value is numerics.requant's, exactly: every step fits the 53 bits of float64, or the 63 of
    int64 in q32. The gradient
    is the real multiplier's inside the clamp and zero outside.
    """
    scale = torch.exp2(-tables.shift)
    gain = tables.multiplier * scale * {"q16": _Q16, "q32": _Q32}.get(tables.rule, 1.0)
    offset = tables.rounding * scale - 0.5 * (tables.shift > 0)
    if tables.rule == "q32":
        offset = tables.rounding
    wide = acc.detach().double()
    soft = acc.float()
    if bias is not None:
        wide, soft = wide + bias.detach(), soft + bias.float()
    soft = (soft * gain.float() + offset.float()).clamp(tables.low, tables.high)
    return through(soft, _exact(wide, tables, scale).float())


def _exact(acc: torch.Tensor, tables: Tables, scale: torch.Tensor) -> torch.Tensor:
    if tables.rule == "q32":
        product = acc.long() * tables.multiplier.long() + (1 << 31)
        return ((product >> 32) + tables.rounding).clamp_(tables.low, tables.high)
    if tables.rule != "shift":
        acc = acc * tables.multiplier
    if tables.rule == "q16":
        acc = (acc * _Q16).floor_()
    return ((acc + tables.rounding) * scale).floor_().clamp_(tables.low, tables.high)
