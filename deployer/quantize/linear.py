"""Layers with weights as integers: weights, bias, multipliers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from deployer.ir import QuantParams
from deployer.numerics import INT32_MAX, Multipliers
from deployer.quantize import ranges
from deployer.quantize.float_steps import stepping_as_floats
from deployer.quantize.scheme import Linear, Scheme
from deployer.quantize.widen import Misfit, fit_output

_MAX_TRIES = 40
# Below the first the multiplier of a channel that holds nothing but a bias becomes the second,
# exact in every rule: exporters choose any scale there, down to where the bias fills an int32.
_TINY_MULTIPLIER, _EMPTY_MULTIPLIER = 2.0**-16, 2.0**-8
_FLOAT32_FRACTIONS = 1 << 21  # quotients of floats below it are right to a quarter


@dataclass(frozen=True, eq=False)
class LinearIntegers:
    """``rows`` int8 (channels, taps) at ``scales``; ``bias`` int32, with the input's zero
    folded in where the layer folds it.

    ``notes`` tell where a scale had to be widened.
    """

    rows: np.ndarray
    scales: np.ndarray
    bias: np.ndarray
    output: QuantParams
    multipliers: Multipliers
    notes: tuple[str, ...]


def solve_linear(layer: Linear, scheme: Scheme) -> LinearIntegers:
    """The layer's integers, every accumulator proven to fit int32. Raises Misfit if none do."""
    wanted = scheme.weight_scales(layer) if layer.scales is None else _stated_scales(layer)
    scales, rows, bias = _fitting_weights(layer, wanted, _limit(layer, scheme))
    bound = _accumulator_bound(layer, rows, bias)
    output, multipliers, notes = fit_output(
        layer.output,
        lambda out: scheme.multipliers(_real(layer, scales, out, scheme), bound, out),
    )
    if scheme.close:
        real = _real(layer, scales, output, scheme)
        multipliers = stepping_as_floats(
            multipliers, real, bound, output, _centre(layer, rows, bias)
        )
    moved = _moved(layer, scales, rows, output)
    return LinearIntegers(
        rows=rows.astype(np.int8),
        scales=scales,
        bias=bias.astype(np.int32),
        output=output,
        multipliers=replace(multipliers, error=multipliers.error + moved),
        notes=(*_weight_notes(wanted, scales, moved), *notes),
    )


def _moved(layer: Linear, scales: np.ndarray, rows: np.ndarray, output: QuantParams) -> float:
    """Most output steps by which an output moves because stated weights had to be rounded to other
    scales; 0 for weights that are rounded anyway."""
    if layer.scales is None:
        return 0.0
    low, high = layer.x.centred
    lost = np.abs(layer.rows - rows * scales[:, None]).sum(axis=1)
    lost = np.where(scales == layer.scales, 0.0, lost)
    steps = layer.x.quant.tensor_scale / output.tensor_scale
    return float(lost.max(initial=0.0)) * max(-low, high) * steps


def _real(layer: Linear, scales: np.ndarray, output: QuantParams, scheme: Scheme) -> np.ndarray:
    """Output steps in an accumulator step, float64; a close scheme's are numbers of float32, since
    runtimes multiply by those."""
    if not scheme.close:
        return scales * layer.x.quant.tensor_scale / output.tensor_scale
    kind = np.float32
    products = scales.astype(kind) * kind(layer.x.quant.tensor_scale)
    return (products / kind(output.tensor_scale)).astype(np.float64)


def _stated_scales(layer: Linear) -> np.ndarray:
    """Those stated, but for channels whose weights are all 0 at any scale."""
    assert layer.scales is not None
    empty = ~layer.rows.any(axis=1) & (layer.scales * layer.steps < _TINY_MULTIPLIER)
    return np.where(empty, _EMPTY_MULTIPLIER / layer.steps, layer.scales)


def integers(layer: Linear, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights in [-127, 127], stated ones in [-128, 127], and the bias, both int64.

    The bias holds the mean error of the rounded weights and, where the layer folds it, the input's
    zero point.
    """
    steps = scales[:, None]
    rounded = layer.round(layer.rows / steps)
    shift = ((layer.rows - rounded * steps) * layer.expected).sum(axis=1)
    rows, quant = rounded.astype(np.int64), layer.x.quant
    bias = np.rint(_bias_steps(layer, layer.telling(layer.bias + shift), scales)).astype(np.int64)
    return rows, bias - quant.zero_point * rows.sum(axis=1) if layer.folds_zero else bias


def _bias_steps(layer: Linear, bias: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """``bias`` in steps of the accumulator, as yet not rounded. Beside stated weights those are
    float32 quotients, as other runtimes have them, up to where float32 has room for a fraction."""
    steps = bias / (scales * layer.x.quant.tensor_scale)
    if layer.scales is None:
        return steps
    kind = np.float32
    quotients = bias.astype(kind) / (scales.astype(kind) * kind(layer.x.quant.tensor_scale))
    return np.where(np.abs(steps) < _FLOAT32_FRACTIONS, quotients, steps)


def _centre(layer: Linear, rows: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """The accumulators of inputs that are all 0.0, which others scatter about."""
    return bias + layer.x.quant.zero_point * rows.sum(axis=1) if layer.folds_zero else bias


def _limit(layer: Linear, scheme: Scheme) -> int:
    """Of accumulators. A close scheme has rules that need no room beside them."""
    if scheme.close:
        return INT32_MAX
    return ranges.ACCUMULATOR_LIMIT if layer.output.bits == 8 else ranges.WIDE_LIMIT


def _fitting_weights(
    layer: Linear, scales: np.ndarray, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``scales``, doubled where accumulators would exceed the limit, and the integers."""
    for _ in range(_MAX_TRIES):
        rows, bias = integers(layer, scales)
        partial = ranges.partial_magnitude(rows, bias, _taken(layer))
        wide = partial > limit
        if not wide.any():
            return scales, rows, bias
        scales = scales * np.where(wide, 2.0, 1.0)
    raise Misfit("its accumulators leave int32 at every weight scale")


def _accumulator_bound(layer: Linear, rows: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """``A`` per channel: the largest accumulator of any output."""
    if layer.phases is None:
        return ranges.magnitude(*ranges.accumulators(rows, bias, _taken(layer)))
    by_phase = [
        ranges.magnitude(*ranges.accumulators(rows[:, layer.phases == phase], bias, _taken(layer)))
        for phase in np.unique(layer.phases)
    ]
    largest: np.ndarray = np.max(by_phase, axis=0)
    return largest


def _taken(layer: Linear) -> ranges.Interval:
    """Integers a tap can read. Padding reads the zero point; with phases the inputs are centred,
    and a tap that meets no input adds nothing."""
    if not layer.folds_zero:
        return ranges.hull(layer.x.centred, 0)
    return ranges.hull(layer.x.interval, layer.x.quant.zero_point)


def _weight_notes(wanted: np.ndarray, scales: np.ndarray, moved: float) -> tuple[str, ...]:
    """Say where int32, not the weights, decided a scale."""
    count = int(np.count_nonzero(scales > wanted))
    if not count:
        return ()
    cost = f"; an output moves by at most {moved:.2g} steps" if moved else ""
    return (f"weight scale widened in {count} channel(s) to stay in int32{cost}",)
