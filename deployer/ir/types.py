"""Element types, layouts and quantization of one tensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np


class DType(Enum):
    """Element type; the value is its numpy name."""

    F32 = "float32"
    S8 = "int8"
    S16 = "int16"
    S32 = "int32"
    U8 = "uint8"

    @property
    def numpy(self) -> np.dtype:
        return np.dtype(self.value)

    @property
    def bytes(self) -> int:
        return self.numpy.itemsize


class Layout(Enum):
    """Order of the axes, slowest first."""

    NHWC = "NHWC"  # activations of rank 4
    BLOCKED = "BLOCKED"  # the same, blocks of 4 pixels of a row by 4 channels transposed
    NC = "NC"  # activations of rank 2
    OHWI = "OHWI"  # convolution weights
    HWC = "HWC"  # depthwise weights
    OI = "OI"  # fully connected weights
    VECTOR = "VECTOR"  # bias, requantization parameters, tables


@dataclass(frozen=True)
class QuantParams:
    """real = scale * (q - zero_point); several scales run along ``axis``.

    ``bits`` is 8 or 16 in an activation: the width of its integers. Weights have 8.
    """

    scale: tuple[float, ...]
    zero_point: int = 0
    axis: int | None = None
    bits: int = 8

    @property
    def low(self) -> int:
        """The smallest integer of the type."""
        return -(1 << (self.bits - 1))

    @property
    def high(self) -> int:
        """The largest integer of the type."""
        return (1 << (self.bits - 1)) - 1

    @property
    def steps(self) -> int:
        """How many steps lie between the two."""
        return self.high - self.low

    @property
    def dtype(self) -> DType:
        """The element type of an activation."""
        return DType.S8 if self.bits == 8 else DType.S16

    @property
    def tensor_scale(self) -> float:
        """The single scale of an activation."""
        if len(self.scale) != 1:
            raise ValueError("tensor has one scale per channel")
        return self.scale[0]


@dataclass(frozen=True)
class Value:
    """A tensor: an activation (batch 1 in axis 0) or a constant."""

    name: str
    shape: tuple[int, ...]
    dtype: DType
    layout: Layout
    quant: QuantParams | None = None

    @property
    def q(self) -> QuantParams:
        """The quantization of a value of an integer graph."""
        if self.quant is None:
            raise ValueError(f"{self.name} is not quantized")
        return self.quant

    @property
    def step(self) -> float:
        """Real difference of neighbouring integers of an activation; 1 of reals."""
        return self.quant.tensor_scale if self.quant else 1.0

    @property
    def zero_point(self) -> int:
        """What stands for 0.0: 0 of reals."""
        return self.quant.zero_point if self.quant else 0

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * self.dtype.bytes


def transposed_blocks(array: np.ndarray) -> np.ndarray:
    """NHWC with each block of 4 pixels of a row by 4 channels transposed, both in fours; the
    same of the result is ``array`` again."""
    count, height, width, channels = array.shape
    blocks = array.reshape(count, height, width // 4, 4, channels // 4, 4)
    return blocks.transpose(0, 1, 2, 5, 4, 3).reshape(array.shape)


def hwc(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Height, width and channels of an activation of rank 2 to 4, batch first."""
    height, width, channels = (1, 1, *shape[1:])[-3:]
    return height, width, channels
