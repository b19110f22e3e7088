"""What a node gives to the packing of its weights."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Parameters:
    """Of a node: ``weights`` int8 in the IR's layout; ``bias`` and ``multiplier`` int32, an entry a
    channel, or one multiplier for all; ``stride`` of the window, ``zero`` point of the input. The
    ``rule`` and its other tables for layouts that hold them in another form. ``groups`` of a
    convolution, whose weights have the input channels of one, and its ``dilation``. Of a float node
    weights and biases are float32, and there are no tables."""

    weights: np.ndarray
    bias: np.ndarray
    multiplier: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    stride: tuple[int, int] = (1, 1)
    zero: int = 0
    rule: str = ""
    rounding: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    shift: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint8))
    groups: int = 1
    dilation: tuple[int, int] = (1, 1)
