"""A network as a list of layers: shapes and counts, no weights.

Shapes leave out the batch, which is 1: (channels, height, width) or (features,). MACs are those of
convolutions, transposed convolutions and dense layers, as the literature counts them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """One layer, which writes the value of its own name.

    ``weight`` has ONNX's axis order; empty when there is none. ``norm``: a batch norm belongs to
    the layer. ``fan_in``: inputs summed for one output; ``gain``: spread of the outputs for
    inputs of spread 1 (He et al., "Delving Deep into Rectifiers", section 2.2).
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    shape: Shape
    attrs: Mapping[str, Any] = field(default_factory=dict)
    weight: Shape = ()
    norm: bool = False
    bias: bool = False
    fan_in: int = 1
    gain: float = 1.0
    macs: int = 0

    @property
    def trained(self) -> int:
        """Trained numbers; two a channel for batch norm, none for its statistics."""
        return self._matrix + self.shape[0] * (2 * self.norm + self.bias)

    @property
    def folded(self) -> int:
        """Numbers that are left when every batch norm behind a convolution is folded."""
        if self.kind == "norm":
            return 4 * self.shape[0]
        return self._matrix + self.shape[0] * (self.norm or self.bias)

    @property
    def _matrix(self) -> int:
        return math.prod(self.weight) if self.weight else 0


@dataclass(frozen=True)
class Network:
    """Layers in execution order. ``outputs``: layer names by output name."""

    name: str
    input: Shape
    layers: tuple[Layer, ...]
    outputs: Mapping[str, str]

    @property
    def parameters(self) -> int:
        """Trained numbers, the figure that papers give."""
        return sum(layer.trained for layer in self.layers)

    @property
    def folded_parameters(self) -> int:
        """Numbers in the file when batch norm is folded."""
        return sum(layer.folded for layer in self.layers)

    @property
    def macs(self) -> int:
        """Multiply-accumulate operations of one inference."""
        return sum(layer.macs for layer in self.layers)
