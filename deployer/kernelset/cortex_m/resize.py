"""Magnification."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_PIXELS


def _nearest(case: KernelCase) -> bool:
    return case.mode == "nearest"


def _linear(case: KernelCase) -> bool:
    return case.mode == "linear"


KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_resize_nearest_{act}__armv7em",
            op="Resize",
            act=act,
            when=_nearest,
            order=BY_PIXELS,
        )
        for act in ("s8", "s16")
    ),
    Kernel("dpl_resize_linear_s8__armv7em", op="Resize", when=_linear, order=BY_PIXELS),
)
