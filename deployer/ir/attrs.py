"""Attributes of the operators, one frozen dataclass each."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Pads:
    top: int = 0
    left: int = 0
    bottom: int = 0
    right: int = 0

    @property
    def any(self) -> bool:
        return bool(self.top or self.left or self.bottom or self.right)


@dataclass(frozen=True)
class Window:
    """A sliding window over height and width."""

    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pads: Pads = field(default_factory=Pads)

    @property
    def taps(self) -> int:
        return self.kernel[0] * self.kernel[1]


@dataclass(frozen=True)
class Clamp:
    """A fused activation: real bounds, None for no bound. ReLU6 is Clamp(0, 6)."""

    low: float | None = None
    high: float | None = None

    @property
    def active(self) -> bool:
        return self.low is not None or self.high is not None


@dataclass(frozen=True)
class ConvAttrs:
    """Conv2d (weights OHWI, I = channels / groups) and DepthwiseConv2d (weights HWC)."""

    window: Window
    groups: int = 1
    clamp: Clamp = field(default_factory=Clamp)


@dataclass(frozen=True)
class PoolAttrs:
    """AveragePool and MaxPool. Padding counts in the average only if count_include_pad."""

    window: Window
    count_include_pad: bool = False
    clamp: Clamp = field(default_factory=Clamp)


@dataclass(frozen=True)
class PointAttrs:
    """FullyConnected, Add, Rescale: nothing but a fused activation."""

    clamp: Clamp = field(default_factory=Clamp)


@dataclass(frozen=True)
class SoftmaxAttrs:
    """Softmax over the last axis."""


@dataclass(frozen=True)
class ReshapeAttrs:
    """A new shape over the same bytes; an alias, no code."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class TransposeAttrs:
    perm: tuple[int, ...]
