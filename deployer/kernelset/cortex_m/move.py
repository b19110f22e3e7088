"""Operators that move elements: the portable ones with runs in words."""

from __future__ import annotations

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.order import BY_ROWS


def _typed(act: str) -> tuple[Kernel, ...]:
    """One kernel for each operator, activations of type ``act``."""
    return (
        Kernel(f"dpl_copy_{act}__armv7em", op="Slice", act=act, order=BY_ROWS),
        Kernel(f"dpl_pad_{act}__armv7em", op="Pad", act=act, order=BY_ROWS),
        Kernel(f"dpl_depth_to_space_{act}__armv7em", op="DepthToSpace", act=act, order=BY_ROWS),
        Kernel(f"dpl_space_to_depth_{act}__armv7em", op="SpaceToDepth", act=act, order=BY_ROWS),
    )


KERNELS: tuple[Kernel, ...] = (*_typed("s8"), *_typed("s16"))
