"""Scratch and order of convolutions on planes of packed rows (kernels/include/dpl/cortex_m/
planes.h)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deployer.kernelset.blocking.cortex_m import (
    PLANE_BAND_BYTES,
    PLANE_WEIGHT_BYTES,
    RING_BAND_ROWS,
    RING_OUTPUTS,
    RING_ROOM_BLOCKS,
    RING_TERMS,
)
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.order import AccessOrder

BY_PLANES = ("quad", "quad_row", "quad_taps", "packed", "spread")  # terms
_WORD = 4
_FEW_TERMS = 3  # of a row, which are not filled up
_BLOCK_BYTES = 12
_ROOM_BYTES = RING_ROOM_BLOCKS * RING_OUTPUTS * _WORD


@dataclass(frozen=True)
class Planes:
    """A convolution of ``channels`` outputs for each group of ``depth`` inputs: an image of
    ``outputs`` rows and columns."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    outputs: tuple[int, int]
    depth: int
    channels: int

    @property
    def turned(self) -> Planes:
        """With rows for columns."""
        kernel, stride, dilation, outputs = (
            pair[::-1] for pair in (self.kernel, self.stride, self.dilation, self.outputs)
        )
        return replace(self, kernel=kernel, stride=stride, dilation=dilation, outputs=outputs)

    @property
    def turns(self) -> bool:
        """Whether columns fill blocks better than rows; nevertheless those of a ring stay rows."""
        alike = self.stride[0] == self.stride[1]
        return alike and 5 * self.turned._products < 4 * self._products

    @property
    def bytes(self) -> int:
        """Of scratch, for the image as it lies and for rows as columns where that may be better."""
        return max(self._bytes, self.turned._bytes) if self.turns else self._bytes

    @property
    def band(self) -> int:
        """Output rows whose input is packed before they are written."""
        tall, rows = self.outputs[0], 1
        while rows < min(tall, RING_BAND_ROWS) and self._band_bytes(rows + 1) <= PLANE_BAND_BYTES:
            rows += 1
        return -(-tall // -(-tall // rows))

    @property
    def slides(self) -> bool:
        return self.stride[1] == 1

    @property
    def phases(self) -> tuple[int, ...]:
        """Outputs of a row in each phase, where windows of neighbours overlap; otherwise all."""
        count = self.dilation[1] if self.slides else 1
        return tuple((self.outputs[1] - n + count - 1) // count for n in range(count))

    @property
    def terms(self) -> int:
        """Of a packed row."""
        wide, pairs = self.kernel[1], (self.kernel[1] + 1) // 2
        if self.slides:
            terms = wide // 2 + 1
            if terms > RING_TERMS:
                return terms + terms % 2
            return RING_TERMS if terms > _FEW_TERMS else terms
        return pairs if self._one_line else 1

    @property
    def lines(self) -> int:
        """Packed rows of a channel."""
        if self.slides:
            return self.dilation[1]
        return 1 if self._one_line else (self.kernel[1] + 1) // 2

    @property
    def rows(self) -> int:
        """Of terms, for an output."""
        return self.kernel[0] * self.depth * (1 if self.slides else self.lines)

    @property
    def blocks(self) -> int:
        """Of a row of outputs of a channel."""
        return sum(-(-outputs // RING_OUTPUTS) for outputs in self.phases)

    @property
    def line(self) -> int:
        """Words of a packed row."""
        blocks = -(-self.phases[0] // RING_OUTPUTS)
        return blocks * (2 if self.slides else RING_OUTPUTS) + self.terms

    @property
    def partial(self) -> int:
        """Of them, those that are not full."""
        return self.blocks - sum(outputs // RING_OUTPUTS for outputs in self.phases)

    @property
    def weight_words(self) -> int:
        """Of an output channel."""
        return self.rows * self.terms * (2 if self.slides and self.terms != 2 else 1)

    @property
    def packed_rows(self) -> int:
        """Input rows that are packed, about."""
        (tall, stride), dilation = (self.kernel[0], self.stride[0]), self.dilation[0]
        if dilation == 1:
            return (self.outputs[0] - 1) * min(stride, tall) + tall
        every = self.outputs[0] * stride + (tall - 1) * dilation
        return every // dilation if stride % dilation == 0 else every

    @property
    def kept_rows(self) -> int:
        """Rows of a band's planes that the next one reads too, and that are moved for it."""
        return max(0, self.kernel[0] - self._step) if self.dilation[0] == 1 else 0

    @property
    def weights_fit(self) -> bool:
        """Whether those of a group stay packed for all bands."""
        return _WORD * self.weight_words * self.channels <= PLANE_WEIGHT_BYTES

    @property
    def _one_line(self) -> bool:
        return self.stride[1] == 2 and self.dilation[1] == 1 and self.kernel[1] <= 6

    @property
    def _products(self) -> int:
        dilation = self.dilation[1]
        outputs = -(-self.outputs[1] // dilation)
        blocks = -(-outputs // RING_OUTPUTS) * dilation
        return self.kernel[0] * (self.kernel[1] // 2 + 1) * blocks * self.outputs[0]

    @property
    def _step(self) -> int:
        return self.stride[0] if self.dilation[0] > 1 else min(self.stride[0], self.kernel[0])

    def _band_bytes(self, rows: int) -> int:
        """Of the planes for so many output rows."""
        tall, dilation = self.kernel[0], self.dilation[0]
        last = (rows - 1) * self._step + (tall - 1) * dilation
        remainders = 1 if self.stride[0] % dilation == 0 else dilation
        count = remainders * (last // dilation + 1)
        return count * self.depth * self.lines * self.line * _WORD

    @property
    def _bytes(self) -> int:
        weights = self.weight_words * _WORD * (self.channels if self.weights_fit else 1)
        lists = self.band * self.blocks * (_BLOCK_BYTES + _WORD)
        own = lists + _ROOM_BYTES + weights + self._band_bytes(self.band)
        return own + self.line * _WORD


def planes_of(case: KernelCase) -> Planes:
    """Of a convolution."""
    depth, channels = case.in_channels // case.groups, case.out_channels // case.groups
    outputs = case.out_shape[1], case.out_shape[2]
    return Planes(case.kernel, case.stride, case.dilation, outputs, depth, channels)


def remainders_of(case: KernelCase) -> tuple[Planes, ...]:
    """The convolutions of a transposed one that have outputs."""
    depth, channels = case.in_channels // case.groups, case.out_channels // case.groups
    rows, columns = (_axis(case, n) for n in range(2))
    return tuple(
        Planes((tall, wide), (1, 1), (1, 1), (height, width), depth, channels)
        for tall, height in rows
        for wide, width in columns
        if height and width
    )


def plane_scratch(case: KernelCase) -> int:
    """Of a convolution."""
    return planes_of(case).bytes


def remainder_scratch(case: KernelCase) -> int:
    """Of a transposed convolution."""
    return max((planes.bytes for planes in remainders_of(case)), default=0)


def by_plane_bands(case: KernelCase) -> AccessOrder | None:
    """A band of rows at a time, unless another group reads it again."""
    planes = planes_of(case)
    alone = case.groups == 1 and not planes.turns
    return AccessOrder(rows=planes.band, buffered=True) if alone else None


def _axis(case: KernelCase, n: int) -> tuple[tuple[int, int], ...]:
    """Taps and outputs of each remainder of a transposed convolution's rows or columns."""
    kernel, stride, extent = case.kernel[n], case.stride[n], case.out_shape[1 + n]
    pad = (case.pads.top, case.pads.left)[n]
    return tuple(
        (len(range(r, kernel, stride)), len(range((r - pad) % stride, extent, stride)))
        for r in range(stride)
    )
