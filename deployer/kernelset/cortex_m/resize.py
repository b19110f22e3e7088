"""Magnification."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS


def _nearest(case: KernelCase) -> bool:
    return case.mode == "nearest"


KERNELS: tuple[Kernel, ...] = tuple(
    Kernel(
        f"dpl_resize_nearest_{act}__armv7em",
        op="Resize",
        act=act,
        when=_nearest,
        order=BY_PIXELS,
    )
    for act in ("s8", "s16")
)
