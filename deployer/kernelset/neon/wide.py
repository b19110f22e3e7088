"""Transposed convolutions in planes, pixels that a stride of columns covers taken as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from deployer.ir import Pads
from deployer.kernelset.access import hwc
from deployer.kernelset.blocking.neon import SCRATCH_CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.neon.planes import (
    bytes_together,
    fits,
    may_join,
    no_gaps,
    scratch,
)
from deployer.kernelset.neon.planes_choice import LEAST_GAIN, in_planes_of
from deployer.kernelset.neon.scatter import least_of_others, scattered_or_none

_SPREAD = 2.5  # cycles more of an output that has no others of its pixel beside it


def _parts(case: KernelCase) -> Iterator[KernelCase]:
    """The convolutions that it consists of, one for each remainder of the rows."""
    down, across = case.stride
    rows, columns, channels = hwc(case.out_shape)
    taps = -(-case.kernel[1] // across)
    for y in range(down):
        yield replace(
            case,
            kernel=(len(range(y, case.kernel[0], down)), taps),
            stride=(1, 1),
            pads=Pads(),
            out_shape=(1, -(-rows // down), columns // across, channels * across),
        )


def _may_take(case: KernelCase) -> bool:
    """Windows begin where pixels do that are taken as one."""
    across, left = case.stride[1], case.pads.left
    whole = left >= 0 and left % across == 0 and hwc(case.out_shape)[1] % across == 0
    return across > 1 and whole and no_gaps(case) and all(map(fits, _parts(case)))


def _cycles(case: KernelCase) -> float:
    outputs = case.out_shape[1] * case.out_shape[2] * case.out_channels
    spread = _SPREAD * outputs if case.groups > 1 else 0
    return in_planes_of(list(_parts(case)), joined=may_join(case)) + spread


def _yields(case: KernelCase) -> bool:
    others = [least_of_others(case), *scattered_or_none(case)]
    return LEAST_GAIN * _cycles(case) > min(others)


def _scratch(case: KernelCase) -> int:
    parts = list(_parts(case))
    together = SCRATCH_CORES * bytes_together(case, parts) if may_join(case) else 0
    return max(together, *map(scratch, parts))


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_conv_transpose2d_{act}__armv8a_wide",
        weighed=False,
        op="ConvTranspose2d",
        act=act,
        when=_may_take,
        yields=_yields,
        scratch=_scratch,
        weight_layout=WeightLayout.PLANES_WIDE,
        contiguous=True,  # pixels that lie next to each other are one
    )
    for act in ("s8", "s16")
)
