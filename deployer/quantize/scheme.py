"""What a quantization scheme decides; the integer layers around it are the same for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.numerics.requant import Multipliers
from deployer.quantize.calibrate import Progress, Spread
from deployer.quantize.ranges import Interval

# Output steps by which a bias must pass all products to be certain of saturation, doubled.
_SATURATION = 512


@dataclass(frozen=True)
class Tensor:
    """What a layer knows of an input: its quantization and the integers it can hold."""

    quant: QuantParams
    interval: Interval


@dataclass(frozen=True, eq=False)
class Linear:
    """A convolution or dense layer: weights as (channels, taps), bias, input, wanted output.

    ``expected`` holds, beside each weight, the mean of what it multiplies; zero to leave the mean
    error of rounding alone. ``scales``, one per channel, are those the graph states, if it does.
    """

    rows: np.ndarray
    bias: np.ndarray
    expected: np.ndarray
    x: Tensor
    output: QuantParams
    scales: np.ndarray | None = None

    @property
    def steps(self) -> float:
        """Output steps in one input step times a weight of 1.0."""
        return self.x.quant.tensor_scale / self.output.tensor_scale

    @property
    def smallest_scale(self) -> float:
        """The weight scale below which small weights gain nothing."""
        return finest_product(self.rows.shape[1]) / self.steps

    def telling(self, bias: np.ndarray) -> np.ndarray:
        """``bias`` cut to where it saturates every output anyway, so that it fits int32."""
        reach = 255 * self.x.quant.tensor_scale * np.abs(self.rows).sum(axis=1)
        limit = reach + _SATURATION * self.output.tensor_scale
        return np.clip(bias, -limit, limit)


def finest_product(taps: int) -> float:
    """Output steps in one product step, below which small weights need no finer scale.

    Rounding the weights then adds 0.014 steps RMS for inputs of 50 steps RMS, and 2 if all errors
    had one sign and all inputs were 128. Coarser products keep the accumulators small, and so the
    multipliers of i32 precise.
    """
    return 1 / (32 * max(taps, 32 * math.sqrt(taps)))


@dataclass(frozen=True)
class Scheme:
    """One way to choose scales and rules.

    ``activations(graph, arrays, spreads, progress)`` gives the quantization of every activation
    that sets its own; ``weight_scales`` one scale per output channel; ``multipliers(real, bound,
    zero_point)`` the integers of a linear layer, or ValueError when the output's scale is too fine
    for them. ``softmax`` is the quantization of a softmax's output.
    """

    name: str
    activations: Callable[
        [Graph, Mapping[str, np.ndarray], Mapping[str, Spread], Progress], dict[str, QuantParams]
    ]
    weight_scales: Callable[[Linear], np.ndarray]
    multipliers: Callable[[np.ndarray, np.ndarray, int], Multipliers]
    per_channel: bool
    softmax: QuantParams
