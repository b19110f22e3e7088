"""What the compiler may rely on of an operator: one ``OpSpec`` each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from deployer.ir.ops.access import AccessMap
from deployer.ir.types import DType

Shape = tuple[int, ...]


class Family(Enum):
    """What kind of work an operator does, as pictures and counts tell them apart."""

    CONVOLUTION = "convolution"
    DEPTHWISE = "depthwise"
    DENSE = "dense"
    ARITHMETIC = "arithmetic"
    ACTIVATION = "activation"
    POOL = "pool"
    MOVE = "move"


class Quantization(Enum):
    """Where the scale and the zero point of the output come from."""

    RANGE = "range"  # its own range
    INPUT = "input"  # its input: what is written are integers that were read
    UNIT = "unit"  # fixed by the operator


class Entries(Enum):
    """How many entries the requantization tables of an integer node have."""

    NONE = "none"  # it requantizes nothing
    PAIR = "pair"  # two multipliers, one rounding and one shift, passed by value
    CHANNELS = "channels"  # one, or one for each output channel
    SLOPES = "slopes"  # one, and one for each channel below the zero point
    TAPS = "taps"  # one for each number of taps inside of the input
    INPUTS = "inputs"  # one for each activation


def no_macs(attrs: Any, shapes: Sequence[Shape]) -> int:
    return 0


@dataclass(frozen=True, kw_only=True)
class OpSpec:
    """``shape`` and ``macs`` take the attributes and the shapes of all inputs, weights included.

    Every flag is a permission: what is not stated is refused.

    ``activations``: how many inputs are activations, 0 for any number. ``constants``: how many
    follow them in an integer node. ``lookup``: of an operator whose constant is a table, the type
    of the activations to the shape and type of it.
    ``arguments``: the argument struct of its kernels, ``dpl_<arguments>_<types>_args``; "" where no
    code runs. ``access``: the rows and columns of the input that those of the output read first;
    without it the output never lies over the input.
    ``channel_axis``: of an operator with weights and sums of products, the axis of its weights that
    output channels lie along. ``complete_sums``: every output sums one product for each weight of
    its row, padded taps included, so that the input's zero point is part of the bias.
    ``partial_sums``: its output channels may be computed some at a time, and its sums over input
    channels part by part.
    ``alias``: the output is the input's bytes, no code runs. ``elementwise``: element i of the
    output reads element i of each input of its shape, and channel c of a pixel or constant that is
    broadcast. ``spatial``: some rows and columns of the output read some rows and columns of the
    input (analysis.spatial says which). ``channelwise``: output channel c reads input channel c, or
    c / multiplier, only, and its kernels take some of the channels. ``homogeneous``: a positive
    factor of an input channel is the same factor of that output channel, unless the attributes
    bound or bend it. ``int16``: int16 activations have kernels. ``changes_type``: the output may
    have another type than the input. ``trains``: ``deployer finetune`` passes gradients through it.
    """

    attrs: type
    shape: Callable[[Any, Sequence[Shape]], Shape]
    family: Family
    quantization: Quantization
    entries: Entries
    arguments: str
    macs: Callable[[Any, Sequence[Shape]], int] = no_macs
    access: AccessMap | None = None
    activations: int = 1
    constants: int = 0
    lookup: Mapping[DType, tuple[Shape, DType]] = field(default_factory=dict)
    channel_axis: int | None = None
    complete_sums: bool = False
    partial_sums: bool = False
    alias: bool = False
    elementwise: bool = False
    spatial: bool = False
    channelwise: bool = False
    homogeneous: bool = False
    int16: bool = False
    changes_type: bool = False
    trains: bool = False

    @property
    def linear(self) -> bool:
        """Whether it has weights, a bias, and sums of products."""
        return self.channel_axis is not None

    @property
    def clamps(self) -> bool:
        """Whether its attributes hold a fused activation."""
        return any(item.name == "clamp" for item in fields(self.attrs))

    @property
    def keeps_quantization(self) -> bool:
        """Whether the output has the scale and the zero point of the input."""
        return self.quantization is Quantization.INPUT

    @property
    def own_range(self) -> bool:
        """Whether the output's scale follows its own range."""
        return self.quantization is Quantization.RANGE

    @property
    def requantizes(self) -> bool:
        """Whether its integer nodes have requantization tables."""
        return self.entries is not Entries.NONE
