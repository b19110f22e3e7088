"""How the windows of a convolution are found: what its scratch and its time have in common."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import MAX_OPTIONAL_STRIP_BYTES
from deployer.kernelset.kernel import KernelCase


def words(size: int) -> int:
    """Bytes in whole words."""
    return -(-size // 4) * 4


def copied(case: KernelCase) -> bool:
    return case.in_channels % 4 != 0


def cut_by_sides(case: KernelCase) -> bool:
    return case.pads.left > 0 or case.pads.right > 0


def covered_bytes(case: KernelCase) -> int:
    """What four windows cover of a row whose pixels follow one another."""
    return words((3 * case.stride[1] + case.kernel[1]) * case.in_channels)


def strip_bytes(case: KernelCase) -> int:
    """Bytes of a strip's row: none where all rows of it would be many."""
    row = covered_bytes(case)
    made = copied(case) or row * case.kernel[0] <= MAX_OPTIONAL_STRIP_BYTES
    return row if made and cut_by_sides(case) else 0


def table_runs(case: KernelCase) -> int:
    """Runs of a window in the table of a block: a copy, its rows, or its taps."""
    if copied(case):
        return 1
    one = case.kernel[1] == 1 or (case.dilation[1] == 1 and case.contiguous)
    return case.kernel[0] * (1 if one and not cut_by_sides(case) else case.kernel[1])
