"""Kernels for cores with the DSP instructions of ARMv7E-M, tuned for the Cortex-M7."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_ELEMENTS, AccessOrder

_COLUMNS = 3
_STRIP_BYTES, _CACHED_WEIGHTS, _MOST_TRIPLES = 8192, 8192, 32  # as conv2d_s8__armv7em.c has them
_BEYOND = 12  # bytes the inner loop reads behind the columns, and windows are copied too far


def _one_group(case: KernelCase) -> bool:
    return case.groups == 1


def _pointwise(case: KernelCase) -> bool:
    shape = case.kernel == (1, 1) and case.stride == (1, 1) and not case.pads.any
    return shape and _one_group(case) and case.in_channels % 4 == 0


def _column_scratch(case: KernelCase) -> int:
    return _columns(case, case.kernel[0] * case.kernel[1], case.out_shape[1] * case.out_shape[2])


def _strip(case: KernelCase, values: int) -> int:
    """Triples of columns that are made before their outputs are."""
    if values * case.out_channels <= _CACHED_WEIGHTS:
        return 1
    return max(1, min(_STRIP_BYTES // (2 * _COLUMNS * values), _MOST_TRIPLES))


def _by_strips(case: KernelCase) -> AccessOrder:
    values = -(-case.kernel[0] * case.kernel[1] * case.in_channels // 4) * 4
    return AccessOrder(run=_COLUMNS * _strip(case, values), buffered=True)


def _columns(case: KernelCase, taps: int, pixels: int) -> int:
    """A strip of triples of int16 columns, and bytes of one window that is not aligned."""
    values = -(-taps * case.in_channels // 4) * 4
    triple = 2 * _COLUMNS * values
    room = min(_strip(case, values), -(-pixels // _COLUMNS)) * triple
    return room + _BEYOND + (0 if case.in_channels % 4 == 0 else values)


def _transposed(case: KernelCase) -> bool:
    """No gaps between what neighbouring inputs reach."""
    steps = zip(case.kernel, case.stride, strict=True)
    return _one_group(case) and case.dilation == (1, 1) and all(k >= s for k, s in steps)


def _transposed_scratch(case: KernelCase) -> int:
    """Of the largest of the convolutions it consists of; a smaller one may make longer strips."""
    down, across = case.stride
    return max(
        _columns(
            case,
            len(range(y, case.kernel[0], down)) * len(range(x, case.kernel[1], across)),
            -(-case.out_shape[1] // down) * -(-case.out_shape[2] // across),
        )
        for y in range(down)
        for x in range(across)
    )


_PLANE_BYTES, _CHANNELS, _COLUMN_BYTES = (
    8192,
    4,
    48,
)  # as depthwise_conv2d_s8__armv7em_3x3.c has them


def _depthwise_3x3(case: KernelCase) -> bool:
    shape = case.kernel == (3, 3) and case.dilation == (1, 1) and case.stride in ((1, 1), (2, 2))
    return shape and case.multiplier == 1 and case.in_channels % _CHANNELS == 0


def _planes(case: KernelCase) -> tuple[int, int]:
    """Bytes of a plane of packed rows, which holds four channels, and how many a group has."""
    width, stride = case.out_shape[2], case.stride[1]
    plane = ((width - 1) * stride + 3) * _COLUMN_BYTES
    return plane, min(max(1, _PLANE_BYTES // plane), case.in_channels // _CHANNELS)


def _plane_scratch(case: KernelCase) -> int:
    """The planes of a group of channels, and what the inner loop reads beyond."""
    plane, planes = _planes(case)
    return planes * plane + _COLUMN_BYTES


def _by_two_rows(case: KernelCase) -> AccessOrder | None:
    """A second group of channels reads the input again, when the first is written."""
    whole = _planes(case)[1] * _CHANNELS == case.in_channels
    return AccessOrder(rows=2, buffered=True) if whole else None


def _sums_of_24_bits(case: KernelCase) -> bool:
    return case.reach < 1 << 23


def _widened_input(case: KernelCase) -> int:
    return -(-case.in_channels // 8) * 16 + 8


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_1x1",
        op="Conv2d",
        when=_pointwise,
        scratch=_column_scratch,
        weight_layout="pairs",
        order=_by_strips,
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em",
        op="Conv2d",
        when=_one_group,
        scratch=_column_scratch,
        weight_layout="pairs",
        order=_by_strips,
    ),
    Kernel(
        "dpl_depthwise_conv2d_s8__armv7em_3x3",
        op="DepthwiseConv2d",
        when=_depthwise_3x3,
        scratch=_plane_scratch,
        weight_layout="taps_3x3",
        order=_by_two_rows,
        together=2,
    ),
    Kernel(
        "dpl_fully_connected_s8__armv7em",
        op="FullyConnected",
        when=_sums_of_24_bits,
        scratch=_widened_input,
        weight_layout="quads",
        order=AccessOrder(rows=0, buffered=True),
    ),
    Kernel(
        "dpl_conv_transpose2d_s8__armv7em",
        op="ConvTranspose2d",
        when=_transposed,
        scratch=_transposed_scratch,
        weight_layout="remainders",
    ),
    Kernel("dpl_add_s8__armv7em", op="Add", also=("Sub",), order=BY_ELEMENTS),
)
