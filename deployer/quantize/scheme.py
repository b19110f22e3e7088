"""What a quantization scheme decides; the integer layers around it are the same for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from deployer.choices import Calibration, SchemeName
from deployer.ir import Graph, QuantParams, RequantRule
from deployer.numerics import Multipliers
from deployer.quantize.ranges import Interval
from deployer.quantize.rounding import Round, nearest

# What numbers in [-1, 1] are in int16, in every scheme.
UNIT_16 = QuantParams((2.0**-15,), bits=16)
# int16 has bits to spare beside int8 weights: one of them is for what calibration did not see.
HEADROOM = 2


@dataclass(frozen=True)
class Tensor:
    """What a layer knows of an input: its quantization and the integers it can hold."""

    quant: QuantParams
    interval: Interval

    @property
    def centred(self) -> Interval:
        """The interval less the zero point."""
        low, high = self.interval
        return low - self.quant.zero_point, high - self.quant.zero_point


@dataclass(frozen=True, eq=False)
class Linear:
    """A convolution or dense layer: weights as (channels, taps), bias, input, wanted output.

    ``expected`` holds, beside each weight, the mean of what it multiplies; zero to leave the mean
    error of rounding alone. ``phases`` is None where every output sums all taps. In a transposed
    convolution it numbers them: an output sums some of the taps of one phase, so the input's zero
    point cannot be folded into the bias. ``scales``, one per channel, are those the graph states,
    if it does. ``round`` makes integers of weights in steps.
    """

    rows: np.ndarray
    bias: np.ndarray
    expected: np.ndarray
    x: Tensor
    output: QuantParams
    phases: np.ndarray | None = None
    scales: np.ndarray | None = None
    round: Round = nearest

    @property
    def folds_zero(self) -> bool:
        """Whether the input's zero point goes into the bias."""
        return self.phases is None

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
        largest = self.x.quant.steps * self.x.quant.tensor_scale * np.abs(self.rows).sum(axis=1)
        limit = largest + 2 * (self.output.steps + 1) * self.output.tensor_scale
        clipped: np.ndarray = np.clip(bias, -limit, limit)
        return clipped


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

    ``fit(low, high, bits)`` is the finest quantization of an activation that holds the range, in
    int16 HEADROOM times the range; ``candidates(low, high)`` are the int8 ones: it begins with that
    and goes on with finer ones that saturate.
    ``weight_scales`` is one scale per output channel; ``multipliers(real, bound, output)`` the
    integers of a linear layer, or ValueError when the output's scale is too fine for them.
    ``calibration`` is the method that serves the scheme best. ``rules`` are tried in order where
    one multiplier brings a tensor to a scale (Mul, Concat). ``unit`` is the int8 quantization of
    values in [0, 1], ``signed_unit`` of [-1, 1]. ``mean_pools``: an AveragePool of int8 keeps its
    input's quantization, as runtimes with q31 arithmetic have it. ``close``: multipliers lose no
    more than those of float arithmetic, where the rules have the bits.
    """

    name: SchemeName
    fit: Callable[[float, float, int], QuantParams]
    candidates: Callable[[float, float], tuple[QuantParams, ...]]
    weight_scales: Callable[[Linear], np.ndarray]
    multipliers: Callable[[np.ndarray, np.ndarray, QuantParams], Multipliers]
    calibration: Calibration
    rules: tuple[RequantRule, ...]
    unit: QuantParams
    signed_unit: QuantParams
    mean_pools: bool = False
    close: bool = False


def known(scheme: Scheme, graph: Graph, bits: Mapping[str, int]) -> dict[str, QuantParams]:
    """The outputs whose range needs no calibration: bounded functions. ``bits`` of each output."""
    quants = dict.fromkeys(("sigmoid", "hard_sigmoid"), scheme.unit)
    quants["tanh"] = scheme.signed_unit
    return {
        node.output: quants[node.attrs.function] if bits[node.output] == 8 else UNIT_16
        for node in graph.nodes
        if node.op == "Table" and node.attrs.function in quants
    }
