"""One node of an integer graph, ready to be evaluated on tensors, and views that layers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn import functional

from deployer.ir import Node, QuantParams, Window
from deployer.tools.train.straight_through import Tables

Inputs = Sequence[torch.Tensor]


@dataclass(frozen=True, eq=False)
class Layer:
    """A node of an integer graph and what its evaluation needs.

    ``sources`` are the quantizations of its activations. ``weight`` and ``bias`` are the integers
    of a linear layer, the bias float64 and without the input's zero point; ``constants`` those of
    the others.
    """

    node: Node
    sources: tuple[QuantParams, ...]
    target: QuantParams
    requant: Tables | None
    constants: tuple[torch.Tensor, ...] = ()
    weight: torch.Tensor | None = None
    bias: torch.Tensor | None = None

    @property
    def attrs(self) -> Any:
        return self.node.attrs

    @property
    def tables(self) -> Tables:
        if self.requant is None:
            raise ValueError(f"{self.node.name} has no requantization")
        return self.requant

    @property
    def weights(self) -> torch.Tensor:
        if self.weight is None:
            raise ValueError(f"{self.node.name} has no weights")
        return self.weight

    def with_integers(self, weight: torch.Tensor, bias: torch.Tensor) -> Layer:
        return replace(self, weight=weight, bias=bias)


def centred(layer: Layer, x: torch.Tensor) -> torch.Tensor:
    """The first input without its zero point."""
    zero = layer.sources[0].zero_point
    return x - zero if zero else x


def padded(x: torch.Tensor, window: Window, fill: float = 0) -> torch.Tensor:
    """NHWC with the window's pads filled with ``fill``."""
    pads = window.pads
    if not pads.any:
        return x
    return functional.pad(x, (0, 0, pads.left, pads.right, pads.top, pads.bottom), value=fill)


def channels_second(x: torch.Tensor) -> torch.Tensor:
    """NHWC as torch's windows want it; a view."""
    return x.permute(0, 3, 1, 2)
