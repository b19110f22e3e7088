"""How the windows of a convolution are found: what its scratch and its time have in common."""

from __future__ import annotations

from deployer.kernelset.blocking.pulp import MAX_OPTIONAL_STRIP_BYTES
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.layouts.x4c4 import Runs, window_runs


def words(size: int) -> int:
    """Bytes in whole words."""
    return -(-size // 4) * 4


def group_channels(case: KernelCase) -> int:
    """Input channels of a group."""
    return case.in_channels // case.groups


def runs_of(case: KernelCase) -> Runs:
    """As the weights lie; windows are read so, unless a side cuts them."""
    along = case.groups == 1 and case.dilation[1] == 1
    return window_runs(*case.kernel, group_channels(case), along=along)


def copied(case: KernelCase) -> bool:
    """Whether runs are more words than a copy of the window."""
    return runs_of(case).count == 1 < case.kernel[0]


def fills_no_words(case: KernelCase) -> bool:
    return case.in_channels % 4 != 0


def cut_by_sides(case: KernelCase) -> bool:
    return case.pads.left > 0 or case.pads.right > 0


def covered_bytes(case: KernelCase) -> int:
    """What four windows cover of a row whose pixels follow one another."""
    return words((3 * case.stride[1] + case.kernel[1]) * case.in_channels)


def strip_bytes(case: KernelCase) -> int:
    """Bytes of a strip's row: none where all rows of it would be many."""
    if _lists_taps(case):
        return 0
    row = covered_bytes(case)
    made = in_columns(case) or row * case.kernel[0] <= MAX_OPTIONAL_STRIP_BYTES
    return row if made and cut_by_sides(case) else 0


def in_columns(case: KernelCase) -> bool:
    """Whether windows are copied, a column each: those of few bytes; and where sides cut them or
    pixels may lie anyhow, those whose rows lie in the weights as runs of no whole words."""
    if copied(case):
        return True
    along = case.groups == 1 and case.dilation[1] == 1 < case.kernel[1]
    return along and fills_no_words(case) and (cut_by_sides(case) or not case.contiguous)


def table_runs(case: KernelCase) -> int:
    """Runs of a window in the table of a block: a copy, its rows, or its taps."""
    if in_columns(case):
        return 1
    one = case.kernel[1] == 1 or (case.dilation[1] == 1 and case.contiguous and case.groups == 1)
    return case.kernel[0] * (1 if one and not cut_by_sides(case) else case.kernel[1])


def _lists_taps(case: KernelCase) -> bool:
    """Whether four windows that a side cuts are a table of taps: pixels of a group of channels do
    not follow one another."""
    return case.groups > 1
