"""Scratch and order of convolutions on strips of columns that are made of copied rows."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.blocking.cortex_m import COLUMN_OVERREAD_BYTES, COLUMNS
from deployer.kernelset.cortex_m.strips import strip_triples
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.order import AccessOrder


@dataclass(frozen=True)
class RowWindow:
    """``kernel`` rows and columns over ``depth`` channels, ``step`` pixels from one to the next, of
    ``outputs`` rows and columns with so many ``channels`` each."""

    kernel: tuple[int, int]
    step: int
    outputs: tuple[int, int]
    depth: int
    channels: int

    @property
    def run(self) -> int:
        """Values of a kernel row, in fours."""
        return _fours(self.kernel[1] * self.depth)

    @property
    def values(self) -> int:
        return self.kernel[0] * self.run

    @property
    def triples(self) -> int:
        """Of a strip."""
        return strip_triples(self.values, self.channels)

    def bytes(self, element: int) -> int:
        """Copies of the kernel's rows of elements of so many bytes, a strip of triples of int16
        columns, and what is read behind them."""
        row = _fours((self.outputs[1] - 1) * self.step * self.depth + self.run)
        triples = min(self.triples, -(-self.outputs[0] * self.outputs[1] // COLUMNS))
        strip = triples * 2 * COLUMNS * self.values
        return self.kernel[0] * row * element + strip + COLUMN_OVERREAD_BYTES


def row_scratch(case: KernelCase) -> int:
    """Of a convolution."""
    return _window(case).bytes(case.element_bytes)


def by_copied_rows(case: KernelCase) -> AccessOrder:
    """A strip of pixels at a time; a row is copied before the first pixel that reads it."""
    return AccessOrder(run=COLUMNS * _window(case).triples, buffered=True, once=True)


def _window(case: KernelCase) -> RowWindow:
    _, rows, columns, channels = case.out_shape
    return RowWindow(case.kernel, case.stride[1], (rows, columns), case.in_channels, channels)


def _fours(values: int) -> int:
    return -(-values // 4) * 4
