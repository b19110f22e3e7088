"""Floats as C has them."""

from __future__ import annotations

import math

import numpy as np


def float_literal(number: float | str) -> str:
    """A C constant that is exactly ``number`` rounded to single precision, infinite where that
    is."""
    with np.errstate(over="ignore"):
        value = float(np.float32(number))
    if math.isinf(value):
        return "-__builtin_inff()" if value < 0 else "__builtin_inff()"
    text = f"{value:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
