"""Operators that move elements: runs in words."""

from __future__ import annotations

import math

from deployer.ir import ResizeMode
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.kernel import Kernel, KernelCase, by_mode
from deployer.kernelset.order import BY_PARTS, BY_PIXELS, BY_ROWS

_COPY, _FILL = "copy_runs.S", "fill_runs.S"
_GATHER, _SCATTER = "gather_run.S", "scatter_run.S"
# Cycles: of a call and an element of a Transpose; on one core of a nearest Resize's input pixel in
# each row of the output, its copies and an element of one.
_CALL, _ELEMENT = 500.0, 0.6
_PIXEL, _COPY_OF_IT, _COPIED = 55, 6, 0.75


def _transposed(case: KernelCase) -> float:
    """Estimated, on eight cores with everything in L1: runs of few elements take most."""
    return _CALL + _ELEMENT * math.prod(case.out_shape)


def _copied(case: KernelCase) -> float:
    """The same of a nearest Resize, whose windows are an input's outputs."""
    pixels, channels = math.prod(case.out_shape[:-1]), case.out_channels
    runs = pixels / case.kernel[1] * _PIXEL
    return _CALL + (runs + pixels * (_COPY_OF_IT + _COPIED * channels)) / CORES


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_concat_s8__xpulpv2",
        op="Concat",
        order=BY_PARTS,
        assembly=(_COPY, "affine_runs.S"),
    ),
    Kernel(
        "dpl_resize_nearest_s8__xpulpv2",
        op="Resize",
        when=by_mode(ResizeMode.NEAREST),
        order=BY_PIXELS,
        assembly=(_COPY,),
        cycles=_copied,
    ),
    Kernel(
        "dpl_resize_linear_s8__xpulpv2",
        op="Resize",
        when=by_mode(ResizeMode.LINEAR),
        order=BY_PIXELS,
        assembly=("blend_words.S",),
    ),
    Kernel("dpl_copy_s8__xpulpv2", op="Slice", order=BY_ROWS, assembly=(_COPY,)),
    Kernel("dpl_pad_s8__xpulpv2", op="Pad", order=BY_ROWS, assembly=(_COPY, _FILL)),
    Kernel(
        "dpl_depth_to_space_s8__xpulpv2",
        op="DepthToSpace",
        order=BY_ROWS,
        assembly=(_COPY, _GATHER),
    ),
    Kernel(
        "dpl_space_to_depth_s8__xpulpv2",
        op="SpaceToDepth",
        order=BY_ROWS,
        assembly=(_COPY, _SCATTER),
    ),
    Kernel(
        "dpl_transpose_s8__xpulpv2",
        op="Transpose",
        assembly=(_COPY, _GATHER, "gather_bytes.S"),
        cycles=_transposed,
    ),
)
