"""Where convolutions are read where they lie, as halfwords, rather than as columns or planes."""

from __future__ import annotations

from deployer.kernelset.cortex_m.column_cycles import column_cycles
from deployer.kernelset.cortex_m.direct import (
    MAX_BYTES,
    conv,
    transposed_bytes,
    transposed_cycles,
)
from deployer.kernelset.cortex_m.in_place import stays_bytes
from deployer.kernelset.cortex_m.joined import shared_is_dearer
from deployer.kernelset.cortex_m.planes import Planes, planes_of, remainders_of
from deployer.kernelset.cortex_m.planes_choice import (
    conv_fits,
    conv_on_columns,
    has_tiles,
    plane_cycles,
    transposed_fits,
    transposed_on_columns,
    window_gain,
)
from deployer.kernelset.cortex_m.singles import single_cycles, takes_singles
from deployer.kernelset.cortex_m.strips import ROW_BOUNDS, column_scratch
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout

# Of the cycles of planes: what windows where they lie must stay below, of so few channels.
_PLANES_GAIN, _FEW_CHANNELS = 0.96, 3


def _divides(case: KernelCase) -> bool:
    return not any(n % case.groups for n in (case.in_channels, case.out_channels))


def _conv_fits(case: KernelCase) -> bool:
    return _divides(case) and conv_scratch(case) <= max(MAX_BYTES, column_scratch(case))


def _transposed_fits(case: KernelCase) -> bool:
    steps = zip(case.kernel, case.stride, strict=True)
    possible = _divides(case) and case.dilation == (1, 1) and all(k >= s for k, s in steps)
    return possible and transposed_bytes(case) <= MAX_BYTES


def conv_scratch(case: KernelCase) -> int:
    """Of a convolution."""
    return conv(case).bytes


def conv_cycles(case: KernelCase) -> float:
    """Of a convolution."""
    return conv(case).cycles


def conv_is_dearer(case: KernelCase) -> bool:
    """Whether others take a convolution in fewer cycles."""
    if stays_bytes(case):
        return True
    on_planes = has_tiles(case) or not conv_on_columns(case)
    others = _others(case, (planes_of(case),), on_planes=conv_fits(case) and on_planes)
    if case.act == "s8" and takes_singles(case):
        others = min(others, single_cycles(case))
    return conv(case).cycles >= others


def transposed_is_dearer(case: KernelCase) -> bool:
    """Whether others take a transposed convolution in fewer cycles: one group as blocks of the
    stride shares its columns."""
    if case.groups == 1 and case.kernel == case.stride and not shared_is_dearer(case):
        return True
    on_planes = transposed_fits(case) and not transposed_on_columns(case)
    others = _others(case, remainders_of(case), on_planes=on_planes)
    return transposed_cycles(case) >= others


def _others(case: KernelCase, every: tuple[Planes, ...], *, on_planes: bool) -> float:
    """Cycles to stay below."""
    columns = window_gain(case) * column_cycles(case, every)
    packed = sum(plane_cycles(planes, case.groups) for planes in every)
    gain = _PLANES_GAIN if every[0].depth <= _FEW_CHANNELS else 1.0
    return min(columns, gain * packed) if on_planes else columns


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s16__armv7em_direct",
        op="Conv2d",
        contiguous=True,  # it turns rows to columns and writes some outputs twice
        act="s16",
        when=_conv_fits,
        yields=conv_is_dearer,
        formula=conv_cycles,
        scratch=conv_scratch,
        weight_layout=WeightLayout.X2C4_TAPS_ORDERED,
    ),
    Kernel(
        "dpl_conv2d_s8__armv7em_halves",
        weighed=False,
        op="Conv2d",
        contiguous=True,
        when=_conv_fits,
        yields=conv_is_dearer,
        formula=conv_cycles,
        scratch=conv_scratch,
        weight_layout=WeightLayout.X2C4_TAPS_ORDERED,
        shared=ROW_BOUNDS["s8"],
    ),
    Kernel(
        "dpl_conv_transpose2d_s16__armv7em_direct",
        op="ConvTranspose2d",
        contiguous=True,
        act="s16",
        when=_transposed_fits,
        yields=transposed_is_dearer,
        formula=transposed_cycles,
        scratch=transposed_bytes,
        weight_layout=WeightLayout.X2C4_TAPS_REMAINDERS_ORDERED,
    ),
    Kernel(
        "dpl_conv_transpose2d_s8__armv7em_halves",
        weighed=False,
        op="ConvTranspose2d",
        contiguous=True,
        when=_transposed_fits,
        yields=transposed_is_dearer,
        formula=transposed_cycles,
        scratch=transposed_bytes,
        weight_layout=WeightLayout.X2C4_TAPS_REMAINDERS_ORDERED,
        shared=ROW_BOUNDS["s8"],
    ),
)
