"""Magnification."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel, by_mode
from deployer.kernelset.order import BY_PIXELS

KERNELS: tuple[Kernel, ...] = (
    *(
        Kernel(
            f"dpl_resize_nearest_{act}__armv7em",
            op="Resize",
            act=act,
            when=by_mode("nearest"),
            order=BY_PIXELS,
        )
        for act in ("s8", "s16")
    ),
    Kernel("dpl_resize_linear_s8__armv7em", op="Resize", when=by_mode("linear"), order=BY_PIXELS),
)
