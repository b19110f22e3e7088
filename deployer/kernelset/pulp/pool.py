"""Pools: four channels of a tap at a time.

Cycles are estimated, of one call on GAP8's eight cores, everything in L1: a row of windows in one
run of the assembler, a window that a side cuts in one of its own. They are fitted to gap8_sim
(docs/gap8-simulator.md) within 5 % on most of 22 shapes, 12 % on the smallest.
"""

from __future__ import annotations

from dataclasses import dataclass

from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS

CALL = 250.0  # entering and leaving a kernel, fields of its arguments
MAX_RUN, MEAN_RUN = 200.0, 300.0  # of a run; of one that reads its requantization from L2
AGAIN = 100.0  # of a second run over the same windows


@dataclass(frozen=True)
class _Share:
    """Of the core with most work: ``runs`` of whole windows, windows that are ``cut``, all of its
    ``pixels``, and words of four channels of each: parts of one where channels of neighbours share
    a word. ``again``: cycles that a run takes more where words leave some channels."""

    runs: int
    cut: int
    pixels: int
    words: float
    again: float = 0.0

    @property
    def whole(self) -> int:
        return max(self.pixels - self.cut, 0)


def max_pool(case: KernelCase) -> float:
    """Windows of 2x2 one by one, those of 3x3 two columns apart in common, others tap by tap."""
    share, (tall, wide) = _share(case), case.kernel
    run = MAX_RUN + share.again
    fixed = CALL + run * share.runs + share.cut * (run + _taps(share.words, tall, wide))
    if case.kernel == (2, 2):
        return fixed + share.whole * (32 + 10 * share.words)
    if case.kernel == (3, 3) and case.stride[1] == 2 and case.dilation[1] == 1:
        return fixed + share.words * (25 * share.runs + 15 * share.whole)
    return fixed + share.whole * _taps(share.words, tall, wide)


def average_pool(case: KernelCase) -> float:
    """Sums of taps, two at a time, and what requantizes four of them."""
    share, (tall, wide) = _share(case), case.kernel
    if wide == case.in_shapes[0][2]:  # rows that follow one another are one
        tall, wide = 1, tall * wide
    word = 36 + tall * (6 + 5 * wide + wide % 2)
    run = MEAN_RUN + share.again
    return CALL + run * (share.runs + share.cut) + share.pixels * share.words * word


def _taps(words: float, tall: int, wide: int) -> float:
    """Of words of channels, two at a time, the odd one alone."""
    pairs, odd = divmod(words, 2)
    return pairs * (17 + tall * (4 + 4 * wide)) + odd * (15 + tall * (3 + 3 * wide))


def _share(case: KernelCase) -> _Share:
    """Cores share pixels, or words of channels where pixels are few. Channels beside whole words
    take a run of their own, unless windows lie a column apart."""
    height, width = case.out_shape[1:3]
    words, few = -(-case.out_channels // 4), height * width < CORES
    pixels = height * width if few else -(-height * width // CORES)
    runs = -(-pixels // width)
    cut = min(runs * _sides(case), pixels)
    if few:
        return _Share(runs, cut, pixels, -(-words // CORES))
    if case.out_channels % 4 and case.stride[1] == 1:
        return _Share(runs, cut, pixels, case.out_channels / 4)
    left = case.out_channels % 4 and case.out_channels > 4
    return _Share(runs, cut, pixels, words, AGAIN if left else 0.0)


def _sides(case: KernelCase) -> int:
    """How many of a row's ends have windows that are cut; one each."""
    last = (case.out_shape[2] - 1) * case.stride[1] - case.pads.left
    end = last + (case.kernel[1] - 1) * case.dilation[1]
    return (case.pads.left > 0) + (end >= case.in_shapes[0][2])


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_average_pool_s8__xpulpv2",
        op="AveragePool",
        order=BY_PIXELS,
        assembly=("average_windows.S", "sum_run.S"),
        cycles=average_pool,
    ),
    Kernel(
        "dpl_max_pool_s8__xpulpv2",
        op="MaxPool",
        order=BY_PIXELS,
        assembly=("max_windows.S", "max_three.S", "max_words.S"),
        cycles=max_pool,
    ),
)
