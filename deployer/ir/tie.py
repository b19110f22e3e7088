"""Values of alike steps, such as those of an unrolled recurrence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tie:
    """``values`` take one quantization, so that the nodes which make and read them are alike and
    share their constants. ``bits``: the width of the nodes that make them, unless the user names
    another one. Values that a graph no longer has count for nothing."""

    values: tuple[str, ...]
    bits: int = 8
