"""Where functions of Table nodes have no number: a table has an entry for every integer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from deployer.ir import COMPOSED, TableAttrs
from deployer.numerics.functions import composed


@dataclass(frozen=True)
class Gap:
    """``outside`` says of numbers whether the function has none there, ``held`` what stands in its
    place."""

    outside: Callable[[np.ndarray], np.ndarray]
    what: str
    held: str


_LEAST, _MOST = "the least number of the output", "the largest number of the output"
_GAPS: Mapping[str, Gap] = MappingProxyType(
    {
        "log": Gap(lambda x: x <= 0, "no logarithm", _LEAST),
        "reciprocal": Gap(lambda x: x == 0, "no reciprocal", _MOST),
        "sqrt": Gap(lambda x: x < 0, "no square root", "0"),
    }
)
_STEPS = frozenset({"ceil", "floor", "round", "sign", "thresholded_relu"})

# Of an expression: what may have steps.
_JUMPS = (*_STEPS, "equal", "fmod", "greater", "less", "mod", "shrink", "truncated", "where")


def gap_of(attrs: TableAttrs) -> Gap | None:
    """What is to be known of a function; None of one that has a number everywhere."""
    if attrs.function == COMPOSED:
        return Gap(
            lambda x: ~np.isfinite(composed(attrs, x)), "no number", "0 or an end of its range"
        )
    if attrs.function != "power":
        return _GAPS.get(attrs.function)
    whole, poles = float(attrs.alpha).is_integer(), attrs.alpha < 0
    if whole and not poles:
        return None
    if whole:
        return Gap(lambda x: x == 0, "no such power", _MOST)
    return Gap(
        (lambda x: x <= 0) if poles else (lambda x: x < 0),
        "no such power",
        _MOST if poles else "0",
    )


def gap_note(attrs: TableAttrs, samples: np.ndarray) -> str:
    """What a table holds for those of ``samples`` where the function has no number; else empty."""
    gap = gap_of(attrs)
    found = samples[:0] if gap is None else samples[gap.outside(samples)]
    if gap is None or not found.size:
        return ""
    low, high = (f"{float(end):.3g}" for end in (found.min(), found.max()))
    where = low if low == high else f"{low} to {high}"
    return f"inputs of {where} may occur, which have {gap.what}: the table holds {gap.held} there"


def step_note(attrs: TableAttrs) -> str:
    """Of functions with steps, where entries are interpolated; else empty."""
    if attrs.function not in _STEPS and not any(f"{each}(" in attrs.expression for each in _JUMPS):
        return ""
    return f"a step of {attrs.function} is a slope over 1/512 of the input's range in int16"
