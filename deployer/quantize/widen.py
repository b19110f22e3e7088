"""Widen an output's scale until its requantization has integers inside int32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deployer.ir import QuantParams
from deployer.numerics import Multipliers

_MAX_TRIES = 64


class Misfit(Exception):
    """No integers for this layer; the caller knows which one and raises ModelError."""


def fit_output(
    wanted: QuantParams, attempt: Callable[[QuantParams], Multipliers]
) -> tuple[QuantParams, Multipliers, tuple[str, ...]]:
    """``wanted``, or the narrowest widening of it that ``attempt`` accepts, and a note if widened.

    ``attempt`` raises ValueError when the scale is too fine. Raises Misfit when none works.
    """
    output, reason = wanted, ""
    for _ in range(_MAX_TRIES):
        try:
            return output, attempt(output), _note(wanted, output, reason)
        except ValueError as error:
            output, reason = widened(output), str(error)
    raise Misfit(reason)


def widened(quant: QuantParams) -> QuantParams:
    """Twice the scale: the range grows on both sides of zero and so holds the old one."""
    return replace(quant, scale=(quant.tensor_scale * 2,))


def _note(wanted: QuantParams, output: QuantParams, reason: str) -> tuple[str, ...]:
    if output == wanted:
        return ()
    ratio = round(output.tensor_scale / wanted.tensor_scale)
    return (f"output scale widened {ratio} times: {reason}",)
