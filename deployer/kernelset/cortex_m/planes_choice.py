"""Where convolutions on planes of packed rows take fewer cycles than on columns."""

from __future__ import annotations

from deployer.kernelset.cortex_m.column_cycles import column_cycles
from deployer.kernelset.cortex_m.direct import MAX_BYTES, conv
from deployer.kernelset.cortex_m.planes import (
    Planes,
    planes_of,
    remainder_scratch,
    remainders_of,
)
from deployer.kernelset.cortex_m.strips import ALIGNED
from deployer.kernelset.kernel import KernelCase

# Of the columns' cycles at most for windows where they lie: those of Winograd's kernel, those of a
# pixel and others where channels of one group fill words, others. The former serve most networks,
# so that another kernel would be code for a layer. Of those windows' cycles for planes.
_TILES_GAIN, _POINT_WINDOW_GAIN, _REGULAR_WINDOW_GAIN, _WINDOW_GAIN = 0.53, 0.8, 0.9, 0.96
_MANY_WINDOW_GAIN, _MANY_OUTPUTS = 0.8, 8  # of int8, which columns serve well
_WINDOWS_GAIN = 0.95
_FOUR = 4  # channels of a word
_MAX_BYTES = 24576  # of scratch
_GAIN, _SINGLE_GAIN, _TRANSPOSED_GAIN, _REGULAR_GAIN = 0.75, 0.9, 0.97, 0.45
# Estimated cycles, fitted to 181 layers of every kind (10 %, rms): of a row of so many terms for a
# block that slides, of one that steps, of four outputs beside them, of those that are not full; of
# a word that is packed, of one that is kept for the next band; of a packed row, of a word of
# weights, of a channel in a band, of a band.
_SLIDES, _STEPS = (6.8, 8.7, 12.6, 21.3, 21.3), (6.3, 10.7, 15.5)
_BLOCK, _PARTIAL = 26.0, 82.0
_WORD, _KEPT = 3.3, 1.75
_ROW, _WEIGHT, _CHANNEL, _BAND = 250.0, 21.0, 200.0, 600.0


def conv_fits(case: KernelCase) -> bool:
    """Whether planes of a convolution have room."""
    return _divides(case) and planes_of(case).bytes <= _MAX_BYTES


def has_tiles(case: KernelCase) -> bool:
    """Of windows that Winograd's kernel takes, which serves most networks."""
    shape = (case.kernel, case.stride, case.dilation) == ((3, 3), (1, 1), (1, 1))
    return shape and case.groups == 1 and case.in_channels >= _FOUR and case.act == "s8"


def window_gain(case: KernelCase) -> float:
    """Of the columns' cycles, that windows where they lie must stay below."""
    if has_tiles(case):
        return _TILES_GAIN
    whole = case.groups == 1 and case.in_channels % ALIGNED[case.act] == 0
    if whole and case.op == "Conv2d" and case.kernel == case.stride == (1, 1):
        return _POINT_WINDOW_GAIN
    alone = case.groups == 1 and case.op == "Conv2d" and case.act == "s8"
    if alone and case.out_channels >= _MANY_OUTPUTS:
        return _MANY_WINDOW_GAIN
    return _REGULAR_WINDOW_GAIN if whole and case.op == "Conv2d" else _WINDOW_GAIN


def conv_plane_cycles(case: KernelCase) -> float:
    """Of a convolution."""
    return plane_cycles(planes_of(case), case.groups)


def transposed_plane_cycles(case: KernelCase) -> float:
    """Of a transposed convolution."""
    return sum(plane_cycles(planes, case.groups) for planes in remainders_of(case))


def conv_on_columns(case: KernelCase) -> bool:
    """Whether columns take a convolution in fewer cycles, or windows where they lie."""
    dearer = case.kernel == (1, 1) or _are_dearer(case, (planes_of(case),))
    return dearer and not _beats_windows(case)


def transposed_fits(case: KernelCase) -> bool:
    """Whether planes of all remainders have room."""
    steps = zip(case.kernel, case.stride, strict=True)
    possible = _divides(case) and case.dilation == (1, 1) and all(k >= s for k, s in steps)
    return possible and remainder_scratch(case) <= _MAX_BYTES


def transposed_on_columns(case: KernelCase) -> bool:
    """Whether columns take a transposed convolution in fewer cycles."""
    return case.kernel == case.stride or _are_dearer(case, remainders_of(case))


def plane_cycles(planes: Planes, groups: int) -> float:
    """Of a convolution of so many groups."""
    p = planes.turned if planes.turns else planes
    tall, every = p.outputs[0], groups * p.channels
    bands = -(-tall // p.band)
    products = every * tall * (p.blocks * (p.rows * _row(p) + _BLOCK) + p.partial * _PARTIAL)
    words = p.depth * p.lines * p.line  # of an input row
    packing = p.packed_rows * (words * _WORD + p.lines * _ROW)
    keeping = (bands - 1) * p.kept_rows * words * _KEPT
    weights = every * p.weight_words * _WEIGHT * (1 if p.weights_fit else bands)
    begun = bands * (_BAND + p.channels * _CHANNEL)
    return products + weights + groups * (packing + keeping + begun)


def _row(planes: Planes) -> float:
    known = _SLIDES if planes.slides else _STEPS
    return known[planes.terms - 1] if planes.terms <= len(known) else 4.4 * planes.terms + 6


def _divides(case: KernelCase) -> bool:
    return not any(n % case.groups for n in (case.in_channels, case.out_channels))


def _are_dearer(case: KernelCase, every: tuple[Planes, ...]) -> bool:
    own = sum(plane_cycles(planes, case.groups) for planes in every)
    return own >= _gain(case) * column_cycles(case, every)


def _beats_windows(case: KernelCase) -> bool:
    """Whether windows where they lie would take a convolution from columns, and planes take fewer
    cycles still: either is code for a layer then."""
    planes, windows = planes_of(case), conv(case)
    better = plane_cycles(planes, case.groups) < _WINDOWS_GAIN * windows.cycles
    fits = case.kernel != (1, 1) and not has_tiles(case) and windows.bytes <= MAX_BYTES
    return fits and better and windows.cycles < window_gain(case) * column_cycles(case, (planes,))


def _gain(case: KernelCase) -> float:
    """Cycles that planes must stay below, of the columns': both are estimates. Where channels fill
    words, columns serve most networks, and another kernel would be code for a layer."""
    regular = case.groups == 1 and case.dilation == (1, 1) and case.in_channels % 4 == 0
    conv = _SINGLE_GAIN if case.in_channels == 1 else _GAIN
    other = conv if case.op == "Conv2d" else _TRANSPOSED_GAIN
    return _REGULAR_GAIN if regular else other
