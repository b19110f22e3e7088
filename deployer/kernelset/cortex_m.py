"""Kernels for cores with the DSP instructions of ARMv7E-M, tuned for the Cortex-M7."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase

_COLUMNS = 3
_STRIP_BYTES, _CACHED_WEIGHTS, _MOST_TRIPLES = 8192, 8192, 32  # as conv2d_s8__armv7em.c has them
_BEYOND = 12  # bytes the inner loop reads behind the columns


def _one_group(case: KernelCase) -> bool:
    return case.groups == 1


def _column_scratch(case: KernelCase) -> int:
    """A strip of triples of int16 columns, and bytes of one window that is not aligned."""
    values = -(-case.kernel[0] * case.kernel[1] * case.in_channels // 4) * 4
    triple = 2 * _COLUMNS * values
    triples = -(-case.out_shape[1] * case.out_shape[2] // _COLUMNS)
    strip = 1
    if values * case.out_channels > _CACHED_WEIGHTS:
        strip = max(1, min(_STRIP_BYTES // triple, _MOST_TRIPLES))
    return min(strip, triples) * triple + _BEYOND + (0 if case.in_channels % 4 == 0 else values)


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em",
        op="Conv2d",
        when=_one_group,
        scratch=_column_scratch,
        weight_layout="pairs",
    ),
)
