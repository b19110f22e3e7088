"""Depthwise 1x1 at stride 1: what its kernel takes, its scratch, and its cycles on eight cores with
all in L1: an estimate for choosing tiles, fitted to gap8_sim: within 6 %."""

from __future__ import annotations

from deployer.ir import AFFINE, Pads
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.blocking.pulp import TABLE_BYTES
from deployer.kernelset.kernel import KernelCase

_BEGIN = 2  # pixels, of a group's cycles beside them
_ENTERED, _REPEATED = 58, 352  # cycles of a call, and of one of channels that are no fours
_CALL, _GROUP, _PIXEL = 202, 39.4, 21.6  # of a call of the loop, of four channels, of their pixel
_ELEMENT = 22.7  # that fills no word


def scales(case: KernelCase) -> bool:
    """Each element by a number of its channel."""
    return (
        case.kernel == case.stride == (1, 1)
        and case.multiplier == 1
        and case.pads == Pads()
        and case.rule in AFFINE
    )


def point_scratch(case: KernelCase) -> int:
    """Weights of four channels, of channels that are no fours."""
    return CORES * GROUP * (4 + TABLE_BYTES) if case.out_channels % GROUP else 0


def point_cycles(case: KernelCase) -> float:
    height, width, channels = case.out_shape[1:]
    pixels = height * width
    if channels % GROUP:
        return _ENTERED + _REPEATED + _repeated_cycles(pixels * channels, channels)
    groups = channels // GROUP
    each, some = -(-groups // CORES), -(-pixels // CORES)
    if each * (pixels + _BEGIN) <= groups * (some + _BEGIN):
        groups = each
    else:
        pixels = some
    return _ENTERED + _CALL + groups * (_GROUP + _PIXEL * pixels)


def _repeated_cycles(elements: int, channels: int) -> float:
    """Of the last core, pixels of two or four times the channels."""
    wide = channels * (4 if channels % 2 else 2)
    groups, pixels = wide // GROUP, elements // wide
    left = -(-(elements - pixels * wide) // CORES)
    begin, end = groups * pixels * (CORES - 1) // CORES, groups * pixels
    calls = (end - 1) // pixels - begin // pixels + 1 if pixels else 0
    return calls * (_CALL + _GROUP) + _PIXEL * (end - begin) + _ELEMENT * left
