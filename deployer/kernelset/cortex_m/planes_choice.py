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

# Of the columns' cycles at most for windows where they lie; the second where channels of one group
# fill words, which serve most networks, so that another kernel would be code for a layer. Of those
# windows' cycles for planes.
_WINDOW_GAIN, _REGULAR_WINDOW_GAIN, _WINDOWS_GAIN = 0.96, 0.9, 0.95
_FOUR = 4  # channels that are packed at once
_MAX_BYTES = 24576  # of scratch
_GAIN, _SINGLE_GAIN, _TRANSPOSED_GAIN, _REGULAR_GAIN = 0.8, 0.9, 0.97, 0.45
# Estimated cycles. Planes: of a row of so many terms for a block that slides, of one that steps,
# of four outputs beside them, of those that slide and whose terms have no loop, of fewer; of a word
# and a line that is packed alone, of those packed in fours; of a row that is packed, of a word of
# weights, of a band.
_SLIDES, _STEPS = (7.0, 9.0, 13.0, 22.0, 22.0), (6.5, 11.0, 16.0)
_BLOCK, _LOOPLESS, _PARTIAL = 40.0, 27.0, 80.0
_ALONE, _IN_FOURS = (5.0, 24.0), (3.0, 10.0)
_ROW, _WEIGHT, _BAND = 75.0, 12.0, 1200.0


def conv_fits(case: KernelCase) -> bool:
    """Whether planes of a convolution have room."""
    return _divides(case) and planes_of(case).bytes <= _MAX_BYTES


def has_tiles(case: KernelCase) -> bool:
    """Of windows that Winograd's kernel takes, which serves most networks."""
    shape = (case.kernel, case.stride, case.dilation) == ((3, 3), (1, 1), (1, 1))
    return shape and case.groups == 1 and case.in_channels >= _FOUR and case.act == "s8"


def window_gain(case: KernelCase) -> float:
    """Of the columns' cycles, that windows where they lie must stay below."""
    whole = case.groups == 1 and case.in_channels % ALIGNED[case.act] == 0
    return _REGULAR_WINDOW_GAIN if whole and case.op == "Conv2d" else _WINDOW_GAIN


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
    beside = _LOOPLESS if p.slides and p.terms <= len(_STEPS) else _BLOCK
    blocks = p.blocks * (1.05 * p.rows * _row(p) + beside) + p.partial * _PARTIAL
    products = every * tall * blocks
    word, line = _ALONE if p.depth < _FOUR else _IN_FOURS
    row = p.depth * (p.line * word + line) + _ROW
    packing = groups * p.packed_rows * p.lines * row
    weights = every * p.weight_words * _WEIGHT * (1 if p.weights_fit else bands)
    return products + packing + weights + groups * bands * _BAND


def _row(planes: Planes) -> float:
    known = _SLIDES if planes.slides else _STEPS
    return known[planes.terms - 1] if planes.terms <= len(known) else 4.5 * planes.terms + 6


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
