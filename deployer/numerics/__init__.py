"""What every operator computes, on reals and integers: the definition kernels are held to."""

from deployer.numerics import functions, interpret
from deployer.numerics.convolve import convolve, depthwise_sum, window_max, window_sum
from deployer.numerics.convolve_transposed import transposed_sums
from deployer.numerics.domains import gap_note, gap_of, step_note
from deployer.numerics.integer import pad_value, softmax_table
from deployer.numerics.interpolate import axis_taps, weight_bits
from deployer.numerics.interpret import chunks, run, trace
from deployer.numerics.ops.attention import fraction_bits, integer_epsilon, norm_count
from deployer.numerics.ops.resample import RESAMPLE_BITS
from deployer.numerics.requant import (
    INT32_MAX,
    MAX_SHIFT,
    Multipliers,
    RuleSearch,
    choose,
    half_up,
    mean,
    mean_of,
    rounding_constant,
)
from deployer.numerics.steps import dequantize, quantize
from deployer.numerics.windows import taps, taps_inside

__all__ = [
    "INT32_MAX",
    "MAX_SHIFT",
    "RESAMPLE_BITS",
    "Multipliers",
    "RuleSearch",
    "axis_taps",
    "choose",
    "chunks",
    "convolve",
    "depthwise_sum",
    "dequantize",
    "fraction_bits",
    "functions",
    "gap_note",
    "gap_of",
    "half_up",
    "integer_epsilon",
    "interpret",
    "mean",
    "mean_of",
    "norm_count",
    "pad_value",
    "quantize",
    "rounding_constant",
    "run",
    "softmax_table",
    "step_note",
    "taps",
    "taps_inside",
    "trace",
    "transposed_sums",
    "weight_bits",
    "window_max",
    "window_sum",
]
