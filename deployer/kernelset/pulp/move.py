"""Operators that move elements: runs in words."""

from __future__ import annotations

from deployer.ir import ResizeMode
from deployer.kernelset.kernel import Kernel, by_mode
from deployer.kernelset.order import BY_PARTS, BY_PIXELS, BY_ROWS

_COPY, _FILL = "copy_runs.S", "fill_runs.S"
_GATHER, _SCATTER = "gather_run.S", "scatter_run.S"


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
    Kernel("dpl_transpose_s8__xpulpv2", op="Transpose", assembly=(_COPY, _GATHER)),
)
