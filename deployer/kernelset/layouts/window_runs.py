"""Runs of bytes in which the kernels of XpulpV2 read a window of a convolution."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.blocking.pulp import MAX_COPIED_CHANNELS, MAX_RUN_TWENTIETHS

WORD = 4


@dataclass(frozen=True)
class Runs:
    """``count`` of them, of ``bytes`` each: kernel rows, taps, or a copy of the window."""

    count: int
    bytes: int

    @property
    def words(self) -> int:
        """Of all of them; each begins a word."""
        return self.count * -(-self.bytes // WORD)


def window_runs(height: int, width: int, channels: int, *, along: bool) -> Runs:
    """Of a window of so many taps of ``channels`` bytes. ``along``: the taps of a kernel row follow
    one another."""
    if not along:
        return Runs(height * width, channels)
    rows, copy = Runs(height, width * channels), Runs(1, height * width * channels)
    few = channels <= MAX_COPIED_CHANNELS and width > 1
    return copy if few and 20 * rows.words > MAX_RUN_TWENTIETHS * copy.words else rows
