"""Attributes of the operators, one frozen dataclass each."""

from __future__ import annotations

from dataclasses import dataclass, field

from deployer.choices import Word
from deployer.ir.decode import stored_as


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
class MatMulAttrs:
    """The product of two activations, times ``scale``, above 0."""

    scale: float = 1.0
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


@dataclass(frozen=True)
class ConvTransposeAttrs:
    """ConvTranspose2d, weights OHWI. ``window.pads`` crop the full result; ``output`` is the
    output's height and width, which the window alone leaves open."""

    window: Window
    output: tuple[int, int]
    groups: int = 1
    clamp: Clamp = field(default_factory=Clamp)


@dataclass(frozen=True)
class ConcatAttrs:
    """Inputs one after the other along ``axis`` (of the NHWC or NC output)."""

    axis: int


@dataclass(frozen=True)
class SliceAttrs:
    """Elements from ``begin`` up to, not including, ``end`` along every axis, batch included.
    ``fetched``: the node reads these rows from the row source of an input that is not resident, or
    of a value that was spilled. ``spilled``: what it writes lies in the memory behind the arena's,
    from where other Slices fetch it."""

    begin: tuple[int, ...]
    end: tuple[int, ...]
    fetched: bool = field(default=False, metadata=stored_as("arrive"))
    spilled: bool = False


@dataclass(frozen=True)
class PadAttrs:
    """Elements added before and after every axis, batch included, holding ``value``."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    value: float = 0.0


COMPOSED = "composed"


@dataclass(frozen=True)
class TableAttrs:
    """An elementwise function of one variable, by name: numerics.functions holds them. That of the
    name COMPOSED is an ``expression`` of numerics.expressions."""

    function: str
    alpha: float = 0.0
    beta: float = 0.0
    expression: str = ""


class ResizeMode(Word):
    """``NEAREST``: output o reads input (o + start) // factor."""

    NEAREST = "nearest"
    LINEAR = "linear"


@dataclass(frozen=True)
class ResizeAttrs:
    """Magnification by whole factors (height, width).

    The factors of a linear one are powers of two; ``half_pixel`` says where its samples lie:
    centres aligned, or corners (asymmetric). ``start``: where in the copies of its inputs a nearest
    one begins (height, width); outputs before the first and behind the last copy are as those.
    """

    factors: tuple[int, int]
    mode: ResizeMode = ResizeMode.NEAREST
    half_pixel: bool = True
    start: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class ResampleAttrs:
    """Weighted sums of neighbours along ``axis``, 1 or 2 of NHWC. The weights (outputs, taps) and
    the first input of each output follow the activation among the node's inputs."""

    axis: int


@dataclass(frozen=True)
class BlockAttrs:
    """DepthToSpace and SpaceToDepth by ``block``; ``column_first`` is ONNX's CRD order."""

    block: int
    column_first: bool = False


@dataclass(frozen=True)
class NormAttrs:
    """LayerNorm, over the channels of each pixel, and GroupNorm, over all pixels of each of
    ``groups`` equal parts of the channels. ``epsilon`` is added to the variance."""

    epsilon: float
    groups: int = 1
    clamp: Clamp = field(default_factory=Clamp)
