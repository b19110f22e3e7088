"""Operators that move elements: runs in words."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PARTS, BY_PIXELS, BY_ROWS

_COPY, _FILL, _GATHER = "copy_runs.S", "fill_runs.S", "gather_run.S"


def _nearest(case: KernelCase) -> bool:
    return case.mode == "nearest"


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "dpl_concat_s8__xpulpv2",
        op="Concat",
        order=BY_PARTS,
        assembly=(_COPY, "affine_words.S"),
    ),
    Kernel(
        "dpl_resize_nearest_s8__xpulpv2",
        op="Resize",
        when=_nearest,
        order=BY_PIXELS,
        assembly=(_COPY,),
    ),
    Kernel("dpl_copy_s8__xpulpv2", op="Slice", order=BY_ROWS, assembly=(_COPY,)),
)
