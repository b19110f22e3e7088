"""How the windows of a convolution are found: what its scratch and its time have in common."""

from __future__ import annotations

from deployer.kernelset.kernel import KernelCase

CORES = 8  # of GAP8's cluster
_STRIP = 1024  # as dpl/pulp/windows.h has it


def words(size: int) -> int:
    """Bytes in whole words."""
    return -(-size // 4) * 4


def copied(case: KernelCase) -> bool:
    return case.in_channels % 4 != 0


def strip_bytes(case: KernelCase) -> int:
    """Bytes of a strip's row: none where all rows of it would be many."""
    row = words((3 * case.stride[1] + case.kernel[1]) * case.in_channels)
    made = copied(case) or row * case.kernel[0] <= _STRIP
    return row if made and case.pads.any else 0
