"""Layers with weights as integers: weights, bias, multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deployer.ir.types import QuantParams
from deployer.numerics.requant import Multipliers
from deployer.quantize import ranges
from deployer.quantize.scheme import Linear, Scheme
from deployer.quantize.widen import Misfit, fit_output

_TRIES = 40
# Below the first the multiplier of a channel that holds nothing but a bias becomes the second,
# exact in every rule: exporters choose any scale there, down to where the bias fills an int32.
_TINY_MULTIPLIER, _EMPTY_MULTIPLIER = 2.0**-16, 2.0**-8


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
    scales, rows, bias = _fitting_weights(layer, wanted)
    bound = _reach(layer, rows, bias)
    input_scale = layer.x.quant.tensor_scale
    output, multipliers, notes = fit_output(
        layer.output,
        lambda out: scheme.multipliers(scales * input_scale / out.tensor_scale, bound, out),
    )
    return LinearIntegers(
        rows=rows.astype(np.int8),
        scales=scales,
        bias=bias.astype(np.int32),
        output=output,
        multipliers=multipliers,
        notes=(*_weight_notes(wanted, scales), *notes),
    )


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
    products = scales * quant.tensor_scale
    bias = np.rint(layer.telling(layer.bias + shift) / products).astype(np.int64)
    return rows, bias - quant.zero_point * rows.sum(axis=1) if layer.folds_zero else bias


def _fitting_weights(
    layer: Linear, scales: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``scales``, doubled where accumulators would come too close to int32, and the integers."""
    limit = ranges.ACCUMULATOR_LIMIT if layer.output.bits == 8 else ranges.WIDE_LIMIT
    for _ in range(_TRIES):
        rows, bias = integers(layer, scales)
        partial = ranges.partial_magnitude(rows, bias, _taken(layer))
        wide = partial > limit
        if not wide.any():
            return scales, rows, bias
        scales = scales * np.where(wide, 2.0, 1.0)
    raise Misfit("its accumulators leave int32 at every weight scale")


def _reach(layer: Linear, rows: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """``A`` per channel: the largest accumulator of any output."""
    if layer.phases is None:
        return ranges.magnitude(*ranges.accumulators(rows, bias, _taken(layer)))
    by_phase = [
        ranges.magnitude(*ranges.accumulators(rows[:, layer.phases == phase], bias, _taken(layer)))
        for phase in np.unique(layer.phases)
    ]
    return np.max(by_phase, axis=0)


def _taken(layer: Linear) -> ranges.Interval:
    """Integers a tap can read. Padding reads the zero point; with phases the inputs are centred,
    and a tap that meets no input adds nothing."""
    if not layer.folds_zero:
        return ranges.hull(layer.x.centred, 0)
    return ranges.hull(layer.x.interval, layer.x.quant.zero_point)


def _weight_notes(wanted: np.ndarray, scales: np.ndarray) -> tuple[str, ...]:
    """Say where int32, not the weights, decided a scale."""
    count = int(np.count_nonzero(scales > wanted))
    return (f"weight scale widened in {count} channel(s) to stay in int32",) if count else ()
