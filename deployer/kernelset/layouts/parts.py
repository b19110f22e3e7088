"""Grouped convolution as dense ones: which groups are computed together, on which channels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_FOUR = 4  # channels of a word of bytes
_MAX_TOGETHER = 8  # groups, since each one more adds zeros to the rows of all others
# Estimated cycles of three output pixels: to widen four values of each, to multiply them with a
# pair of output channels, to finish a pair, to begin a part.
_WIDEN, _PAIR, _FINISH_PAIR, _BEGIN = 11.0, 12.5, 22.0, 40.0


@dataclass(frozen=True)
class Parts:
    """``groups`` of ``depth`` input channels to ``channels`` outputs, ``together`` of them a part.

    A part reads ``fours`` of input channels and, with ``half``, two more. The last part, and one
    that would read beyond the last channel, begin earlier, so that neighbours may share channels.
    """

    groups: int
    depth: int
    channels: int
    together: int

    @property
    def count(self) -> int:
        return -(-self.groups // self.together)

    @property
    def outputs(self) -> int:
        """Of a part."""
        return self.together * self.channels

    @property
    def fours(self) -> int:
        return (self.together * self.depth + 1) // _FOUR

    @property
    def half(self) -> bool:
        return self.together * self.depth > _FOUR * self.fours

    @property
    def inputs(self) -> int:
        """Of a part."""
        return _FOUR * self.fours + 2 * self.half

    def values(self, taps: int) -> int:
        """Of a part's column: two channels of two taps are four."""
        return _FOUR * (self.fours * taps + self.half * -(-taps // 2))

    def starts(self) -> Iterator[tuple[int, int]]:
        """The first input and the first output channel of each part."""
        for part in range(self.count):
            group = min(part * self.together, self.groups - self.together)
            last = self.groups * self.depth - self.inputs
            yield min(group * self.depth, last), group * self.channels


def parts_of(groups: int, depth: int, channels: int, taps: int) -> Parts:
    """The cheapest parts for ``groups`` groups of ``depth`` input channels and ``channels`` outputs
    under a window of ``taps``."""
    found = (Parts(groups, depth, channels, n + 1) for n in range(min(groups, _MAX_TOGETHER)))
    fitting = (parts for parts in found if parts.inputs <= groups * depth)
    return min(fitting, key=lambda parts: part_cycles(parts, taps))


def dense_weights(parts: Parts, weights: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """OHWI of groups to each part's first output and its rows of weights, zero between groups.

    A row has fours of input channels by taps by the four, then, of two channels more, taps by the
    two, their number filled up to an even one.
    """
    for source, first in parts.starts():
        rows = weights[first : first + parts.outputs]
        rows = rows.reshape(len(rows), -1, parts.depth)  # [output, tap, channel of its group]
        full = np.zeros((*rows.shape[:2], parts.inputs), np.int8)
        for i, row in enumerate(rows):
            at = (first + i) // parts.channels * parts.depth - source
            full[i, :, at : at + parts.depth] = row
        yield first, _in_columns(full, _FOUR * parts.fours)


def _in_columns(full: np.ndarray, fours: int) -> np.ndarray:
    """[output, tap, channel] with so many channels in fours."""
    outputs, taps = full.shape[:2]
    split = full[:, :, :fours].reshape(outputs, taps, -1, _FOUR).transpose(0, 2, 1, 3)
    half = np.pad(full[:, :, fours:], ((0, 0), (0, taps % 2), (0, 0)))
    return np.concatenate([split.reshape(outputs, -1), half.reshape(outputs, -1)], axis=1)


def part_cycles(parts: Parts, taps: int) -> float:
    """Of three output pixels."""
    fours = parts.values(taps) // _FOUR
    pairs = -(-parts.outputs // 2)
    products = pairs * (fours * _PAIR + _FINISH_PAIR)
    return parts.count * (fours * _WIDEN + products + _BEGIN)
