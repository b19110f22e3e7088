"""Grouped convolutions of few outputs a group, each channel by itself on windows where they lie."""

from __future__ import annotations

from deployer.kernelset.blocking.cortex_m import COLUMN_CHANNELS_S8, COLUMNS, SINGLE_ENTRIES
from deployer.kernelset.cortex_m.column_cycles import column_cycles
from deployer.kernelset.cortex_m.convolution import several_groups
from deployer.kernelset.cortex_m.planes import planes_of
from deployer.kernelset.cortex_m.planes_choice import conv_fits, plane_cycles
from deployer.kernelset.cortex_m.strips import ROW_BOUNDS
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.layouts.x1c4_taps import entries_of_tap, words_of_bytes

# Estimated cycles of three pixels: a word and an entry of a channel, what follows its sums; a
# listed entry, a pixel. Of the last pixel alone a word.
_WORD, _ENTRY, _END, _LISTED, _TRIPLE = 9.5, 6.5, 65.0, 32.0, 100.0
_ALONE_WORD = 5.0
_GAIN = 0.9  # of the others' cycles at most


def takes_singles(case: KernelCase) -> bool:
    """Whether words of a pixel hold its groups' channels."""
    whole = case.in_channels % COLUMN_CHANNELS_S8 == 0
    return several_groups(case) and whole and _entries(case) <= SINGLE_ENTRIES


def _entries(case: KernelCase) -> int:
    return case.kernel[0] * case.kernel[1] * entries_of_tap(case.in_channels // case.groups)


def single_cycles(case: KernelCase) -> float:
    """Estimated."""
    _, height, width, channels = case.out_shape
    entries, taps = _entries(case), case.kernel[0] * case.kernel[1]
    words = taps * words_of_bytes(case.in_channels // case.groups)
    channel = words * _WORD + entries * _ENTRY + _END
    alone = _alone(height, width) * channels * words * (_WORD - _ALONE_WORD)
    triples = -(-height * width // COLUMNS)
    return triples * (channels * channel + entries * _LISTED + _TRIPLE) - alone


def _alone(height: int, width: int) -> bool:
    """Whether the last pixel is no part of three: rows of three and more end in three."""
    return width < COLUMNS and height * width % COLUMNS == 1


def _is_dearer(case: KernelCase) -> bool:
    planes = planes_of(case)
    columns = column_cycles(case, (planes,))
    others = min(columns, plane_cycles(planes, case.groups)) if conv_fits(case) else columns
    return single_cycles(case) >= _GAIN * others


def _outside(case: KernelCase) -> int:
    """A pixel of zero points."""
    return case.in_channels


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_conv2d_s8__armv7em_singles",
        weighed=False,
        op="Conv2d",
        contiguous=True,  # words of a pixel must not reach beyond it
        when=takes_singles,
        yields=_is_dearer,
        formula=single_cycles,
        scratch=_outside,
        weight_layout=WeightLayout.X1C4_TAPS,
        shared=ROW_BOUNDS["s8"],
    ),
)
